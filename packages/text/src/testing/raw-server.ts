import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Called with each head that arrives, its place among all and the connection to answer on. */
export type OnHead = (socket: Socket, head: string, place: number) => void;

/** A server on loopback that answers byte for byte what a test writes, and can be cut off. */
export class RawServer {
  readonly heads: string[] = [];
  readonly sockets = new Set<Socket>();
  /** Connections that were ever opened. */
  opened = 0;
  readonly #server: Server;

  private constructor(onHead: OnHead) {
    this.#server = createServer((socket) => {
      this.opened += 1;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => {});
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
        for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
          const head = text.slice(0, end);
          const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
          if (text.length < end + 4 + length) return;
          text = text.slice(end + 4 + length);
          this.heads.push(head);
          onHead(socket, head, this.heads.length);
        }
      });
    });
  }

  static async start(onHead: OnHead): Promise<RawServer> {
    const server = new RawServer(onHead);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** An answer with its length. */
export function answer(status: string, body = '', headers = ''): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}
