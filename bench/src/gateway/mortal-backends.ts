import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One service that can die as a killed process does: at once, with all its connections. */
class MortalBackend {
  readonly #name: string;
  #server: Server | undefined;
  port = 0;

  constructor(name: string) {
    this.#name = name;
  }

  async live(): Promise<void> {
    const body = `hello from ${this.#name}`;
    const server = createServer({ keepAlive: true }, (request, reply) => {
      request.resume();
      request.on('end', () => reply.writeHead(200, { 'Content-Length': body.length }).end(body));
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  die(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = undefined;
  }
}

/** Services of which one after the other dies and comes back, never all at once. */
export class MortalBackends {
  readonly #backends: readonly MortalBackend[];
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;
  deaths = 0;

  constructor(count: number) {
    this.#backends = Array.from({ length: count }, (_, index) => new MortalBackend(`b${index}`));
  }

  async start(): Promise<readonly number[]> {
    await Promise.all(this.#backends.map((backend) => backend.live()));
    return this.#backends.map((backend) => backend.port);
  }

  /** Each in turn is gone for as long as it then stays. */
  kill(periodMs: number): void {
    const backend = this.#backends[this.#turn % this.#backends.length];
    this.#turn += 1;
    backend?.die();
    this.deaths += 1;
    this.#timer = setTimeout(() => {
      void backend?.live().then(() => {
        this.#timer = setTimeout(() => this.kill(periodMs), periodMs);
      });
    }, periodMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const backend of this.#backends) backend.die();
  }
}
