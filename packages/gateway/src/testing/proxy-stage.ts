import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Gateway } from '../gateway.ts';
import type { GatewayOptions } from '../gateway-options.ts';

/** A service behind gateways, which answers as a test wants it to. */
export class ProxyStage implements AsyncDisposable {
  readonly backend: Server;
  /** How the service answers. `ok`. */
  answer: RequestListener = (_request, reply) => reply.end('ok');
  /** How many requests came to the service. */
  served = 0;
  readonly #gateways: Gateway[] = [];

  static async open(): Promise<ProxyStage> {
    const stage = new ProxyStage();
    await new Promise<void>((resolve) => stage.backend.listen(0, '127.0.0.1', resolve));
    return stage;
  }

  private constructor() {
    this.backend = createServer((request, reply) => {
      this.served += 1;
      this.answer(request, reply);
    });
  }

  get backendPort(): number {
    return (this.backend.address() as AddressInfo).port;
  }

  /** Starts a gateway with a route to the service, and gives its port back. */
  async start(options: Partial<GatewayOptions> = {}): Promise<number> {
    const config = {
      _format_version: '3.0',
      services: [
        {
          name: 's',
          host: '127.0.0.1',
          port: this.backendPort,
          read_timeout: 500,
          routes: [{ name: 'r', paths: ['/'] }],
        },
      ],
    };
    const gateway = new Gateway({
      config,
      proxy: [{ host: '127.0.0.1', port: 0 }],
      admin: false,
      ...options,
    });
    this.#gateways.push(gateway);
    const { proxy } = await gateway.start();
    return proxy[0]?.port ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#gateways.splice(0).map((gateway) => gateway.stop()));
    this.backend.closeAllConnections();
    await new Promise((resolve) => this.backend.close(resolve));
  }
}

/** Sends bytes as they are, and returns all that comes back until the connection is closed. */
export function exchangeBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.setTimeout(3_000, () => socket.destroy());
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
