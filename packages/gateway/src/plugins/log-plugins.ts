import { type FileHandle, open } from 'node:fs/promises';
import { discardBody, HttpClient, targetOf } from '@waygate/text';
import { defaultQueue } from '../plugin/delivery-queue.ts';
import { DeliveryQueues, type OldQueueSettings, queueSettings } from '../plugin/delivery-queues.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import { type LinePlace, sendLines } from './logs/line-sender.ts';
import { type LogFields, logFieldProblems, logLine } from './logs/log-line.ts';

interface HttpLogConfig extends LogFields, OldQueueSettings {
  readonly http_endpoint: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly content_type: string;
  readonly timeout: number;
  readonly headers: Readonly<Record<string, string>> | null;
}

/** Sends a line for each request to an HTTP server. */
export function httpLog(): AnyPlugin {
  const queues = new DeliveryQueues<string>((line) => line.length);
  const client = new HttpClient();
  return definePlugin<HttpLogConfig>({
    name: 'http-log',
    priority: 12,
    check: logFieldProblems,
    log(context, config) {
      const settings = queueSettings(config, defaultQueue);
      const { http_endpoint: endpoint, method, headers } = config;
      const key = JSON.stringify([endpoint, method, headers, settings]);
      queues
        .get(key, context.runtime.log, settings, async (batch, signal) => {
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
        .push(logLine(context, config));
    },
    async close() {
      await queues.close();
      client.close();
    },
  });
}

interface TcpLogConfig extends LogFields {
  readonly host: string;
  readonly port: number;
  readonly timeout: number;
  readonly tls: boolean;
  readonly tls_sni: string | null;
}

/** Writes a line for each request to a TCP server. */
export function tcpLog(): AnyPlugin {
  const queues = new DeliveryQueues<string>((line) => line.length);
  return definePlugin<TcpLogConfig>({
    name: 'tcp-log',
    priority: 7,
    check: logFieldProblems,
    log(context, config) {
      const key = JSON.stringify([config.host, config.port, config.tls]);
      const settings = { ...defaultQueue, max_batch_size: 100, max_coalescing_delay: 0.05 };
      queues
        .get(key, context.runtime.log, settings, (batch, signal) =>
          sendLines(placeOf(config), batch, signal),
        )
        .push(`${logLine(context, config)}\n`);
    },
    close: () => queues.close(),
  });
}

function placeOf({ host, port, timeout, tls, tls_sni: name }: TcpLogConfig): LinePlace {
  return { host, port, timeoutMs: timeout, ...(tls ? { tlsName: name } : {}) };
}

interface FileLogConfig extends LogFields {
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
    check: logFieldProblems,
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
      await handle.appendFile(`${logLine(context, config)}\n`);
      if (config.reopen) {
        files.delete(config.path);
        await handle.close();
      }
    },
    async close() {
      for (const file of files.values()) await (await file).close();
      files.clear();
    },
  });
}
