import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** How to reach a Redis, in the names of Kong's schema. */
export interface RedisSettings {
  readonly host: string;
  readonly port: number;
  readonly timeout?: number;
  readonly username?: string | null;
  readonly password?: string | null;
  readonly database?: number;
  readonly ssl?: boolean;
  readonly ssl_verify?: boolean;
  readonly server_name?: string | null;
}

type RedisReply = string | number | null | Error | readonly RedisReply[];

interface Waiting {
  readonly resolve: (reply: RedisReply) => void;
  readonly reject: (error: Error) => void;
  /** On the clock of `performance.now()`: when it has to be answered. */
  readonly until: number;
}

const defaultTimeoutMs = 2_000;
const maximumReplyBytes = 1_024 * 1_024;

/** A connection to a Redis that is opened when needed and opened again when it broke. */
export class RedisClient {
  readonly #settings: RedisSettings;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  readonly #waiting: Waiting[] = [];
  #watch: NodeJS.Timeout | undefined;

  constructor(settings: RedisSettings) {
    this.#settings = settings;
  }

  /** Sends one command. Rejects when the server cannot be reached or does not answer in time. */
  async command(...words: readonly (string | number)[]): Promise<RedisReply> {
    const socket = this.#socket ?? this.#open();
    const reply = await this.#send(socket, words);
    if (reply instanceof Error) throw reply;
    return reply;
  }

  close(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const { host, port, ssl, ssl_verify, server_name } = this.#settings;
    const socket =
      ssl === true
        ? connectTls({
            host,
            port,
            rejectUnauthorized: ssl_verify === true,
            ...(server_name ? { servername: server_name } : {}),
          })
        : connect({ host, port });
    socket.setNoDelay(true);
    socket.unref();
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#onClose(socket));
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    this.#greet(socket);
    return socket;
  }

  #greet(socket: Socket): void {
    const { username, password, database } = this.#settings;
    const ignore = () => undefined;
    if (password) {
      const words = username ? ['AUTH', username, password] : ['AUTH', password];
      this.#send(socket, words).catch(ignore);
    }
    if (database !== undefined && database > 0) {
      this.#send(socket, ['SELECT', database]).catch(ignore);
    }
  }

  #send(socket: Socket, words: readonly (string | number)[]): Promise<RedisReply> {
    return new Promise((resolve, reject) => {
      const timeoutMs = this.#settings.timeout ?? defaultTimeoutMs;
      this.#waiting.push({ resolve, reject, until: performance.now() + timeoutMs });
      this.#watch ??= setTimeout(() => this.#checkTime(), timeoutMs).unref();
      const parts = words.map((word) => {
        const text = String(word);
        return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
      });
      socket.write(`*${words.length}\r\n${parts.join('')}`);
    });
  }

  /** Not by the socket's silence: commands that are sent to a server that is stuck are no silence. */
  #checkTime(): void {
    this.#watch = undefined;
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    const leftMs = oldest.until - performance.now();
    if (leftMs > 1) {
      this.#watch = setTimeout(() => this.#checkTime(), leftMs).unref();
    } else {
      this.#socket?.destroy(new Error('redis did not answer in time'));
    }
  }

  #onData(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    if (this.#received.length > maximumReplyBytes) {
      this.#socket?.destroy();
      return;
    }
    for (;;) {
      const parsed = parseReply(this.#received, 0);
      if (parsed === undefined) return;
      this.#received = this.#received.subarray(parsed.end);
      this.#waiting.shift()?.resolve(parsed.reply);
    }
  }

  #onClose(socket: Socket): void {
    if (this.#socket === socket) this.#socket = undefined;
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new Error('the connection to redis is closed'));
    }
  }
}

/** Reads one reply of Redis' protocol; undefined if it is not complete yet. */
function parseReply(
  bytes: Buffer,
  start: number,
): { readonly reply: RedisReply; readonly end: number } | undefined {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd === -1) return undefined;
  const line = bytes.toString('utf8', start + 1, lineEnd);
  const next = lineEnd + 2;
  switch (bytes[start]) {
    case 0x2b:
      return { reply: line, end: next };
    case 0x2d:
      return { reply: new Error(line), end: next };
    case 0x3a:
      return { reply: Number(line), end: next };
    case 0x24: {
      const length = Number(line);
      if (length < 0) return { reply: null, end: next };
      return bytes.length < next + length + 2
        ? undefined
        : { reply: bytes.toString('utf8', next, next + length), end: next + length + 2 };
    }
    case 0x2a:
      return parseList(bytes, next, Number(line));
    default:
      return { reply: new Error('no reply that redis would send'), end: bytes.length };
  }
}

function parseList(
  bytes: Buffer,
  start: number,
  count: number,
): { readonly reply: RedisReply; readonly end: number } | undefined {
  const list: RedisReply[] = [];
  let end = start;
  for (let index = 0; index < count; index += 1) {
    const item = parseReply(bytes, end);
    if (item === undefined) return undefined;
    list.push(item.reply);
    end = item.end;
  }
  return { reply: list, end };
}
