import { type FileHandle, open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { discardBody, HttpClient, targetOf } from '@waygate/text';
import {
  type Deliver,
  DeliveryQueue,
  defaultQueue,
  type QueueSettings,
} from '../plugin/delivery-queue.ts';
import { logEntry } from '../plugin/log-entry.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';

/** Queues by where they deliver to: changes to other settings of a plugin keep what is waiting. */
class Queues {
  readonly #queues = new Map<string, DeliveryQueue<string>>();

  get(
    key: string,
    context: RequestContext,
    settings: QueueSettings,
    deliver: Deliver<string>,
  ): DeliveryQueue<string> {
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      const { log } = context.runtime;
      queue = new DeliveryQueue(
        settings,
        deliver,
        (count, error) => log.error('log entries are lost', { count, error: String(error) }),
        (line) => line.length,
      );
      this.#queues.set(key, queue);
    }
    return queue;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }
}

interface HttpLogConfig {
  readonly http_endpoint: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly content_type: string;
  readonly timeout: number;
  readonly headers: Readonly<Record<string, string>> | null;
  /** What older configurations say instead of `queue`. */
  readonly retry_count?: number | null;
  readonly queue_size?: number | null;
  readonly flush_timeout?: number | null;
  readonly queue?: QueueSettings;
}

/** Sends a line for each request to an HTTP server. */
export function httpLog(): AnyPlugin {
  const queues = new Queues();
  const client = new HttpClient();
  return definePlugin<HttpLogConfig>({
    name: 'http-log',
    priority: 12,
    log(context, config) {
      const settings = {
        ...defaultQueue,
        ...config.queue,
        ...(config.queue_size ? { max_batch_size: config.queue_size } : {}),
        ...(config.flush_timeout ? { max_coalescing_delay: config.flush_timeout } : {}),
      };
      const { http_endpoint: endpoint, method, headers } = config;
      const key = JSON.stringify([endpoint, method, headers, settings]);
      queues
        .get(key, context, settings, async (batch, signal) => {
          const isList = settings.max_batch_size > 1;
          const response = await client.send({
            method: config.method,
            ...targetOf(new URL(endpoint)),
            headers: { 'content-type': config.content_type, ...config.headers },
            body: isList ? `[${batch.join(',')}]` : batch.join(''),
            idleTimeoutMs: config.timeout,
            signal,
          });
          discardBody(response);
          if (response.statusCode >= 300) {
            throw new Error(`the log server answered ${response.statusCode}`);
          }
        })
        .push(JSON.stringify(logEntry(context)));
    },
    async close() {
      await queues.close();
      client.close();
    },
  });
}

interface TcpLogConfig {
  readonly host: string;
  readonly port: number;
  readonly timeout: number;
  readonly tls: boolean;
  readonly tls_sni: string | null;
}

/** Writes a line for each request to a TCP server. */
export function tcpLog(): AnyPlugin {
  const queues = new Queues();
  return definePlugin<TcpLogConfig>({
    name: 'tcp-log',
    priority: 7,
    log(context, config) {
      const key = JSON.stringify([config.host, config.port, config.tls]);
      const settings = { ...defaultQueue, max_batch_size: 100, max_coalescing_delay: 0.05 };
      queues
        .get(key, context, settings, (batch, signal) => sendLines(config, batch, signal))
        .push(`${JSON.stringify(logEntry(context))}\n`);
    },
    close: () => queues.close(),
  });
}

function sendLines(
  config: TcpLogConfig,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { host, port, tls, tls_sni: name, timeout } = config;
    const socket: Socket = tls
      ? connectTls({ host, port, ...(name === null ? {} : { servername: name }) })
      : connect({ host, port });
    socket.setTimeout(timeout, () => socket.destroy(new Error('the log server is too slow')));
    const giveUp = () => socket.destroy(new Error('the gateway has stopped'));
    signal.addEventListener('abort', giveUp, { once: true });
    socket.on('error', reject);
    socket.on('close', () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
    socket.end(lines.join(''));
    socket.resume();
  });
}

interface FileLogConfig {
  readonly path: string;
  readonly reopen: boolean;
}

/**
 * Writes a line for each request to a file. Who may configure the gateway would so be able to write any
 * file that its process can, hence it has to be allowed when the gateway is started.
 */
export function fileLog(isAllowed: boolean): AnyPlugin {
  const files = new Map<string, Promise<FileHandle>>();
  let isWarned = false;
  return definePlugin<FileLogConfig>({
    name: 'file-log',
    priority: 9,
    async log(context, config) {
      if (!isAllowed) {
        if (!isWarned) {
          isWarned = true;
          context.runtime.log.warn('file-log is not allowed to write files', { path: config.path });
        }
        return;
      }
      let file = files.get(config.path);
      if (file === undefined) {
        file = open(config.path, 'a', 0o640);
        files.set(config.path, file);
      }
      const handle = await file;
      await handle.appendFile(`${JSON.stringify(logEntry(context))}\n`);
      if (config.reopen) {
        files.delete(config.path);
        await handle.close();
      }
    },
    async close() {
      for (const file of files.values()) {
        await (await file).close();
      }
      files.clear();
    },
  });
}
