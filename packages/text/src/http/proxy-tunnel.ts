import { isIP, type Socket } from 'node:net';
import { TextError } from '../error.ts';

const maxAnswer = 16 * 1024;

/** Where a tunnel is to lead. */
interface TunnelEnd {
  readonly host: string;
  readonly port: number;
}

/** Makes a fresh connection to a proxy lead on to a server: by CONNECT, or as SOCKS5 does. */
export async function tunnel(socket: Socket, proxy: URL, target: TunnelEnd): Promise<void> {
  const reader = new SocketReader(socket);
  try {
    if (isSocks(proxy)) await handshakeSocks({ socket, reader, proxy }, target);
    else await handshakeConnect({ socket, reader, proxy }, target);
  } finally {
    reader.release();
  }
}

/** A connection to a proxy, both ways. */
interface ProxyLine {
  readonly socket: Socket;
  readonly reader: SocketReader;
  readonly proxy: URL;
}

export function isSocks({ protocol }: URL): boolean {
  return protocol === 'socks5:' || protocol === 'socks5h:';
}

function refused(proxy: URL, problem: string): TextError {
  // The proxy's user and password are not for messages.
  return new TextError('WG_TEXT_PROXY', `proxy ${proxy.protocol}//${proxy.host}: ${problem}`);
}

async function handshakeConnect(
  { socket, reader, proxy }: ProxyLine,
  target: TunnelEnd,
): Promise<void> {
  const authority = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  const authorization = proxyAuthorization(proxy);
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const head = await reader.until('\r\n\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1];
  if (status === undefined || !status.startsWith('2')) {
    throw refused(proxy, `refused the tunnel with ${status ?? 'no HTTP answer'}`);
  }
}

/** The header for a proxy with user and password in its address. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '' && proxy.password === '') return undefined;
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(user).toString('base64')}`;
}

async function handshakeSocks(
  { socket, reader, proxy }: ProxyLine,
  target: TunnelEnd,
): Promise<void> {
  const withPassword = proxy.username !== '' || proxy.password !== '';
  socket.write(withPassword ? Buffer.from([5, 2, 0, 2]) : Buffer.from([5, 1, 0]));
  const choice = await reader.take(2);
  if (choice[0] !== 5) throw refused(proxy, 'is no SOCKS5 proxy');
  if (choice[1] === 2 && withPassword) {
    socket.write(socksLogin(proxy));
    if ((await reader.take(2))[1] !== 0) throw refused(proxy, 'refused the password');
  } else if (choice[1] !== 0) throw refused(proxy, 'wants a way to log in that we do not have');
  // Names are sent as names: the proxy may know what we cannot resolve.
  const host = Buffer.from(target.host);
  if (host.length > 255) throw refused(proxy, 'takes no such long name');
  const port = Buffer.from([target.port >> 8, target.port & 0xff]);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), host, port]));
  const answer = await reader.take(4);
  if (answer[1] !== 0)
    throw refused(proxy, `cannot reach ${target.host} (SOCKS code ${answer[1]})`);
  if (answer[3] === 1) await reader.take(4 + 2);
  else if (answer[3] === 4) await reader.take(16 + 2);
  else await reader.take(((await reader.take(1))[0] as number) + 2);
}

function socksLogin(proxy: URL): Buffer {
  const user = Buffer.from(decodeURIComponent(proxy.username));
  const password = Buffer.from(decodeURIComponent(proxy.password));
  if (user.length > 255 || password.length > 255)
    throw refused(proxy, 'takes no such long password');
  return Buffer.concat([
    Buffer.from([1, user.length]),
    user,
    Buffer.from([password.length]),
    password,
  ]);
}

/** Reads what a proxy answers and not a byte more: the rest belongs to the tunnel. */
class SocketReader {
  readonly #socket: Socket;
  /** Set while somebody waits for bytes. */
  #wake: (() => void) | undefined;
  /** Why no more bytes will come. */
  #failure: Error | undefined;
  readonly #onReadable = () => this.#wake?.();
  readonly #onError = (error: Error) => this.#fail(error);
  readonly #onEnd = () => this.#fail(new Error('the proxy closed the connection'));

  /**
   * The listeners stay until `release`: one that is added anew is told at once of the bytes that are there, so
   * that waiting for more than those would go round and round, and none could come.
   */
  constructor(socket: Socket) {
    this.#socket = socket
      .on('readable', this.#onReadable)
      .on('end', this.#onEnd)
      .on('close', this.#onEnd)
      .on('error', this.#onError);
  }

  release(): void {
    this.#socket
      .off('readable', this.#onReadable)
      .off('end', this.#onEnd)
      .off('close', this.#onEnd)
      .off('error', this.#onError);
  }

  async take(length: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.#socket.read(length) as Buffer | null;
      if (bytes !== null) {
        if (bytes.length < length) throw new Error('the proxy closed the connection');
        return bytes;
      }
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async until(mark: string): Promise<Buffer> {
    let head = Buffer.alloc(0);
    while (!head.includes(mark)) {
      if (head.length > maxAnswer) throw new Error('the answer of the proxy is too long');
      head = Buffer.concat([head, await this.take(1)]);
    }
    return head;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake?.();
  }
}
