import { isIP, type Socket } from 'node:net';
import { TextError } from '../error.ts';

const MAX_ANSWER = 16 * 1024;

/** Where a tunnel is to lead. */
interface TunnelEnd {
  readonly host: string;
  readonly port: number;
}

/** Makes a fresh connection to a proxy lead on to a server: by CONNECT, or as SOCKS5 does. */
export async function tunnel(socket: Socket, proxy: URL, target: TunnelEnd): Promise<void> {
  if (isSocks(proxy)) await handshakeSocks(socket, proxy, target);
  else await handshakeConnect(socket, proxy, target);
}

export function isSocks({ protocol }: URL): boolean {
  return protocol === 'socks5:' || protocol === 'socks5h:';
}

function refused(proxy: URL, problem: string): TextError {
  // The proxy's user and password are not for messages.
  return new TextError('WG_TEXT_PROXY', `proxy ${proxy.protocol}//${proxy.host}: ${problem}`);
}

async function handshakeConnect(socket: Socket, proxy: URL, target: TunnelEnd): Promise<void> {
  const authority = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  const authorization = proxyAuthorization(proxy);
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const reader = new SocketReader(socket);
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

async function handshakeSocks(socket: Socket, proxy: URL, target: TunnelEnd): Promise<void> {
  const reader = new SocketReader(socket);
  const withPassword = proxy.username !== '' || proxy.password !== '';
  socket.write(withPassword ? Buffer.from([5, 2, 0, 2]) : Buffer.from([5, 1, 0]));
  const choice = await reader.take(2);
  if (choice[0] !== 5) throw refused(proxy, 'is no SOCKS5 proxy');
  if (choice[1] === 2 && withPassword) {
    const user = Buffer.from(decodeURIComponent(proxy.username));
    const password = Buffer.from(decodeURIComponent(proxy.password));
    if (user.length > 255 || password.length > 255)
      throw refused(proxy, 'takes no such long password');
    socket.write(
      Buffer.concat([
        Buffer.from([1, user.length]),
        user,
        Buffer.from([password.length]),
        password,
      ]),
    );
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

/** Reads what a proxy answers and not a byte more: the rest belongs to the tunnel. */
class SocketReader {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  async take(length: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.#socket.read(length) as Buffer | null;
      if (bytes !== null) {
        if (bytes.length < length) throw new Error('the proxy closed the connection');
        return bytes;
      }
      await this.#readable();
    }
  }

  async until(mark: string): Promise<Buffer> {
    let head = Buffer.alloc(0);
    while (!head.includes(mark)) {
      if (head.length > MAX_ANSWER) throw new Error('the answer of the proxy is too long');
      head = Buffer.concat([head, await this.take(1)]);
    }
    return head;
  }

  #readable(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        socket
          .off('readable', onReadable)
          .off('end', onEnd)
          .off('close', onEnd)
          .off('error', onError);
        settle();
      };
      const onReadable = () => done(resolve);
      const onError = (error: Error) => done(() => reject(error));
      const onEnd = () => done(() => reject(new Error('the proxy closed the connection')));
      socket.on('readable', onReadable).on('end', onEnd).on('close', onEnd).on('error', onError);
    });
  }
}
