import { Readable, Writable } from 'node:stream';
import type { Status } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { KubeError } from '../error.ts';
import { errorFromStatus } from '../error-predicate.ts';
import type { Transport } from '../transport/transport.ts';
import { ChannelSocket, type ChannelSocketEvents } from './channel-socket.ts';
import { openWebSocket } from './websocket-handshake.ts';

const stdinChannel = 0;
const stdoutChannel = 1;
const stderrChannel = 2;
const errorChannel = 3;
const resizeChannel = 4;
/** In v5: the channel that tells that another one has ended. */
const closeChannel = 255;

const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const maxOutput = 64 * 1024 * 1024;

/** What a command wrote, and how it ended. */
export interface ExecOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

interface Settle {
  resolve(code: number): void;
  reject(error: unknown): void;
}

/**
 * A command that runs in a container, or one that we attached to.
 *
 * ```ts
 * const session = await client.pod('shop', 'web-0').exec({ command: ['sh'], stdin: true, tty: true });
 * session.resize(120, 40);
 * session.stdin.end('uptime\nexit\n');
 * session.stdout.pipe(process.stdout);
 * process.exitCode = await session.exitCode;
 * ```
 */
export class ExecSession {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The command's exit code. Rejects when it could not be run, or the connection broke off. */
  readonly exitCode: Promise<number>;

  readonly #channels: ChannelSocket;
  #status = '';
  readonly #settle: Settle;

  private constructor(open: (events: ChannelSocketEvents) => ChannelSocket) {
    let settle: Settle | undefined;
    this.exitCode = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.#settle = settle as Settle;
    // Whoever reads only the output need not look at the exit code.
    this.exitCode.catch(() => {});
    const read = () => this.#channels.resume();
    this.stdout = new Readable({ read });
    this.stderr = new Readable({ read });
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, callback) =>
        this.#channels.send(stdinChannel, chunk, callback),
      final: (callback) => {
        if (this.#channels.protocol !== 'v5.channel.k8s.io') callback();
        else this.#channels.send(closeChannel, Buffer.from([stdinChannel]), callback);
      },
    });
    this.stdin.on('error', () => {});
    this.#channels = open({
      onMessage: (channel, payload) => this.#take(channel, payload),
      onClose: (error) => this.#end(error),
    });
  }

  static async open(transport: Transport, path: string, signal: AbortSignal): Promise<ExecSession> {
    const upgraded = await openWebSocket(transport, path, protocols, signal);
    const session = new ExecSession((events) => new ChannelSocket(upgraded, events));
    const onAbort = () => session.#channels.destroy(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const release = () => signal.removeEventListener('abort', onAbort);
    session.exitCode.then(release, release);
    if (signal.aborted) onAbort();
    return session;
  }

  /** Tells a terminal its size. */
  resize(width: number, height: number): void {
    this.#channels.send(
      resizeChannel,
      Buffer.from(JSON.stringify({ Width: width, Height: height })),
    );
  }

  /** Ends the session; the command loses its connection. */
  close(): void {
    this.#channels.close();
  }

  /** Waits for the end and gives all that was written, up to 64 MiB. */
  async output(): Promise<ExecOutput> {
    const [stdout, stderr, exitCode] = await Promise.all([
      textOfStream(this.stdout),
      textOfStream(this.stderr),
      this.exitCode,
    ]);
    return { stdout, stderr, exitCode };
  }

  #take(channel: number, payload: Buffer): boolean {
    if (channel === stdoutChannel) return payload.length === 0 || this.stdout.push(payload);
    if (channel === stderrChannel) return payload.length === 0 || this.stderr.push(payload);
    if (channel === errorChannel && this.#status.length < 1024 * 1024) {
      this.#status += payload.toString('utf8');
    }
    return true;
  }

  #end(error: Error | undefined): void {
    const outcome = this.#outcome(error);
    if (typeof outcome === 'number') {
      this.#settle.resolve(outcome);
      this.stdout.push(null);
      this.stderr.push(null);
    } else {
      this.#settle.reject(outcome);
      this.stdout.on('error', () => {}).destroy(outcome);
      this.stderr.on('error', () => {}).destroy(outcome);
    }
    this.stdin.destroy();
  }

  /** The exit code that the status channel tells, or what went wrong. */
  #outcome(error: Error | undefined): number | Error {
    let status: unknown;
    try {
      status = JSON.parse(this.#status);
    } catch {
      return new KubeError('WG_KUBE_CONNECTION', 'the session ended without telling how', {
        cause: error,
      });
    }
    if (!isObject(status)) return new KubeError('WG_KUBE_DECODE', 'a status that is no object');
    if (status.status === 'Success') return 0;
    const told = status as Status;
    const code = told.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
    if (told.reason === 'NonZeroExitCode' && /^\d{1,9}$/.test(code ?? '')) return Number(code);
    return errorFromStatus(told);
  }
}

async function textOfStream(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxOutput)
      throw new KubeError('WG_KUBE_DECODE', `output of over ${maxOutput} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
