import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy on loopback: HTTP CONNECT or SOCKS5, and it tells what it was asked. */
export class TestProxy {
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(serve: (socket: Socket, proxy: TestProxy) => Promise<void>) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      serve(socket, this).catch(() => socket.destroy());
    });
  }

  static async start(kind: 'connect' | 'socks', password?: string): Promise<TestProxy> {
    const proxy = new TestProxy((socket, self) =>
      kind === 'connect'
        ? serveConnect(socket, self, password)
        : serveSocks(socket, self, password),
    );
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function tunnel(socket: Socket, port: number, greeting: Buffer | string): void {
  const upstream = connect({ host: '127.0.0.1', port }, () => {
    socket.write(greeting);
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on('error', () => socket.destroy());
  socket.on('close', () => upstream.destroy());
}

function once(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    socket.once('data', (data: Buffer) => resolve(data));
    socket.once('close', () => reject(new Error('closed')));
  });
}

async function serveConnect(socket: Socket, proxy: TestProxy, password?: string): Promise<void> {
  const head = (await once(socket)).toString('latin1');
  const line = head.split('\r\n')[0] as string;
  proxy.asked.push(line);
  const wanted =
    password === undefined ? undefined : Buffer.from(`user:${password}`).toString('base64');
  if (wanted !== undefined && !head.includes(`Basic ${wanted}`)) {
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    return;
  }
  const port = Number(/:(\d+) HTTP/.exec(line)?.[1]);
  tunnel(socket, port, 'HTTP/1.1 200 Connection established\r\n\r\n');
}

async function serveSocks(socket: Socket, proxy: TestProxy, password?: string): Promise<void> {
  await once(socket);
  if (password !== undefined) {
    socket.write(Buffer.from([5, 2]));
    const login = (await once(socket)).toString('latin1');
    const accepted = login.endsWith(password);
    socket.write(Buffer.from([1, accepted ? 0 : 1]));
    if (!accepted) return;
  } else socket.write(Buffer.from([5, 0]));
  const request = await once(socket);
  const length = request[4] as number;
  const host = request.toString('latin1', 5, 5 + length);
  const port = request.readUInt16BE(5 + length);
  proxy.asked.push(`${host}:${port}`);
  tunnel(socket, port, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
}
