import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type Server,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Gateway } from '../gateway.ts';
import type { GatewayOptions } from '../gateway-options.ts';

/** What a backend got. */
export interface Received {
  readonly server: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** What a client got. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request to the gateway under test. */
export interface Ask {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  readonly isChunked?: boolean;
  /** The address that the client asks from. */
  readonly from?: string;
  readonly isSecure?: boolean;
  /** The name to shake hands with, and what to show when asked who one is. */
  readonly serverName?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** What a backend says; `drop` closes the connection instead. */
interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  readonly drop?: boolean;
}

type Respond = (received: Received) => Said | undefined | Promise<Said | undefined>;

/** Backends and gateways for one test; {@link stop} ends all of them. */
export class PluginGateway {
  readonly received: Received[] = [];
  readonly #servers: Server[] = [];
  readonly #gateways: Gateway[] = [];
  #port = 0;
  #securePort = 0;
  #statusPort = 0;

  /** Starts a backend that answers as told, by default with its name. Returns its port. */
  async backend(name: string, respond?: Respond): Promise<number> {
    const server = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const received: Received = {
          server: name,
          method: request.method ?? '',
          url: request.url ?? '',
          headers: request.headers,
          rawHeaders: request.rawHeaders,
          body: Buffer.concat(chunks).toString(),
        };
        this.received.push(received);
        const answer = await respond?.(received);
        if (answer?.drop === true) {
          request.socket.destroy();
          return;
        }
        reply.writeHead(answer?.status ?? 200, {
          'Content-Type': 'text/plain',
          ...answer?.headers,
        });
        reply.end(answer?.body ?? name);
      });
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  /** Starts a gateway with one route to a backend's port, or with the services given. */
  async start(
    port: number,
    plugins: readonly object[],
    more: object = {},
    options: GatewayOptions = {},
  ): Promise<Gateway> {
    const gateway = new Gateway({
      proxy: [
        { host: '127.0.0.1', port: 0 },
        { host: '127.0.0.1', port: 0, isTls: true },
      ],
      admin: false,
      ...options,
      config: {
        _format_version: '3.0',
        services: [
          {
            name: 's',
            host: '127.0.0.1',
            port,
            routes: [{ name: 'r', paths: ['/'], strip_path: false, preserve_host: true, plugins }],
          },
        ],
        ...more,
      },
    } as GatewayOptions);
    this.#gateways.push(gateway);
    const { proxy, status } = await gateway.start();
    this.#statusPort = status?.port ?? 0;
    this.#port = proxy[0]?.port ?? 0;
    this.#securePort = proxy[1]?.port ?? 0;
    return gateway;
  }

  /** Where the gateway speaks plain HTTP. */
  get port(): number {
    return this.#port;
  }

  /** Where the gateway speaks TLS. */
  get securePort(): number {
    return this.#securePort;
  }

  /** The text of `/metrics`, of a gateway that was started with a port for it. */
  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#statusPort}/metrics`)).text();
  }

  ask(ask: Ask = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const send = ask.isSecure === true ? requestHttps : requestHttp;
      const { body } = ask;
      const request = send({
        host: '127.0.0.1',
        port: ask.isSecure === true ? this.#securePort : this.#port,
        path: ask.path ?? '/',
        method: ask.method ?? 'GET',
        agent: false,
        rejectUnauthorized: false,
        ...(ask.serverName === undefined ? {} : { servername: ask.serverName }),
        ...ask.certificate,
        headers: {
          host: 'shop.test',
          ...ask.headers,
          ...(body === undefined
            ? {}
            : ask.isChunked === true
              ? { 'transfer-encoding': 'chunked' }
              : { 'content-length': Buffer.byteLength(body) }),
        },
        ...(ask.from === undefined ? {} : { localAddress: ask.from }),
      });
      request.on('response', (reply) => resolve(readAnswer(reply)));
      request.on('error', reject);
      request.end(body);
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#gateways.splice(0).map((gateway) => gateway.stop()));
    for (const server of this.#servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    this.received.length = 0;
  }
}

async function readAnswer(reply: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) {
    chunks.push(chunk as Buffer);
  }
  return {
    status: reply.statusCode ?? 0,
    headers: reply.headers,
    body: Buffer.concat(chunks).toString(),
  };
}
