import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

/** A NATS server as far as a publisher meets it: it keeps what is published, and who they said they are. */
export class NatsServer implements AsyncDisposable {
  readonly published: { readonly subject: string; readonly text: string }[] = [];
  hello: Record<string, unknown> = {};
  /** What it tells of itself. */
  info: Record<string, unknown> = { server_id: 'stub', max_payload: 1_048_576 };
  /** Why nobody is let in; nothing: everybody is. */
  refusal: string | undefined;
  isMute = false;
  /** When it hangs up: amid its own greeting, amid a message, or before it says that it has one. */
  hangsUp: 'greeting' | 'message' | 'answer' | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async start(secure?: {
    readonly cert: string;
    readonly key: string;
  }): Promise<NatsServer> {
    const server = new NatsServer(secure);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  private constructor(secure: { readonly cert: string; readonly key: string } | undefined) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      if (this.isMute) return;
      const greeting = `INFO ${JSON.stringify(this.info)}\r\n`;
      if (this.hangsUp === 'greeting') {
        socket.end(greeting.slice(0, 10));
        return;
      }
      socket.write(greeting);
      if (secure === undefined) {
        this.#listen(socket);
        return;
      }
      const secureContext = createSecureContext(secure);
      const within = new TLSSocket(socket, { isServer: true, secureContext });
      within.on('error', () => {});
      this.#listen(within);
    });
  }

  get address(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #listen(socket: Socket): void {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (this.hangsUp === 'message' && text.includes('PUB ')) {
        socket.destroy();
        return;
      }
      for (let rest = this.#read(socket, text); rest !== undefined; rest = this.#read(socket, text))
        text = rest;
    });
  }

  /** Takes one command; what is left of the text, or nothing when there is not enough of it. */
  #read(socket: Socket, text: string): string | undefined {
    const end = text.indexOf('\r\n');
    if (end < 0) return undefined;
    const [command = '', ...words] = text.slice(0, end).split(' ');
    const rest = text.slice(end + 2);
    if (command === 'PUB') {
      const bytes = Buffer.from(rest);
      const length = Number(words.at(-1));
      if (bytes.length < length + 2) return undefined;
      const payload = bytes.subarray(0, length).toString('utf8');
      if (this.refusal === undefined)
        this.published.push({ subject: words[0] ?? '', text: payload });
      return bytes.subarray(length + 2).toString('utf8');
    }
    if (command === 'CONNECT') {
      this.hello = JSON.parse(words.join(' ')) as Record<string, unknown>;
      if (this.refusal !== undefined) socket.end(`-ERR '${this.refusal}'\r\n`);
    }
    if (command === 'PING' && this.hangsUp === 'answer' && this.published.length > 0) {
      socket.end('PO');
      return rest;
    }
    if (command === 'PING' && this.refusal === undefined) socket.write('PONG\r\n');
    return rest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
