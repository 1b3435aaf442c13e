import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { CertificateAuthority } from '@waygate/apiserver';
import { Gateway, type GatewayAddresses } from '@waygate/gateway';
import {
  type RouterFlavor,
  type TranslateFeatures,
  toDeclarativeConfig,
  translate,
  withManifestDefaults,
} from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';

/** What a backend saw of a request. */
export interface Seen {
  /** Which backend it was. */
  readonly by: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The name in the certificate that the gateway showed. */
  readonly clientName?: string;
}

/** Where backends and listeners are, for rows that name them. */
export interface Place {
  readonly one: number;
  readonly two: number;
  readonly secure: number;
  readonly grpc: number;
  readonly udp: number;
  /** A port that nobody listens on. */
  readonly dead: number;
  readonly tcpListen: number;
  readonly tlsListen: number;
  readonly udpListen: number;
  /** PEM of the authority of `secure`, and of a client certificate of it. */
  readonly authority: string;
  readonly client: { readonly cert: string; readonly key: string };
}

/**
 * One gateway and its backends for all rows of a file. A row's objects are translated and loaded as a
 * whole, in place of those of the row before.
 */
export class Crossing {
  readonly flavor: RouterFlavor;
  readonly seen: Seen[] = [];
  readonly #servers: Server[] = [];
  #datagrams: Socket | undefined;
  #gateway: Gateway | undefined;
  #addresses: GatewayAddresses | undefined;
  #place: Place | undefined;

  constructor(flavor: RouterFlavor) {
    this.flavor = flavor;
  }

  get place(): Place {
    if (this.#place === undefined) throw new Error('not started');
    return this.#place;
  }

  get addresses(): GatewayAddresses {
    if (this.#addresses === undefined) throw new Error('not started');
    return this.#addresses;
  }

  async start(mode: 'dbless' | 'database' = 'dbless'): Promise<void> {
    const authority = await CertificateAuthority.create(Date.now);
    const server = await authority.issueServer(['localhost']);
    const client = await authority.issueClient('gateway-client', []);
    const secure = createHttpsServer(
      { ...pairOf(server), ca: authority.pem, requestCert: true, rejectUnauthorized: false },
      this.#echo('secure'),
    );
    this.#datagrams = createSocket('udp4');
    const datagrams = this.#datagrams;
    datagrams.on('message', (message, { port, address }) =>
      datagrams.send(`udp ${message.toString()}`, port, address),
    );
    datagrams.bind(0, '127.0.0.1');
    await once(datagrams, 'listening');
    this.#gateway = new Gateway({
      mode,
      flavor: this.flavor,
      proxy: [
        { host: '127.0.0.1', port: 0 },
        { host: '127.0.0.1', port: 0, isTls: true },
      ],
      streams: (['tcp', 'tls', 'udp'] as const).map((kind) => ({
        kind,
        host: '127.0.0.1',
        port: 0,
      })),
      drainMs: 0,
    });
    this.#addresses = await this.#gateway.start();
    const [tcp, tls, udp] = this.#addresses.streams;
    this.#place = {
      one: await this.#listen(createServer(this.#echo('one'))),
      two: await this.#listen(createServer(this.#echo('two'))),
      secure: await this.#listen(secure),
      grpc: await this.#listen(this.#grpcServer()),
      udp: datagrams.address().port,
      dead: await ownPort(),
      tcpListen: tcp?.port ?? 0,
      tlsListen: tls?.port ?? 0,
      udpListen: udp?.port ?? 0,
      authority: authority.pem,
      client: pairOf(client),
    };
  }

  async stop(): Promise<void> {
    await this.#gateway?.stop();
    this.#datagrams?.close();
    for (const server of this.#servers) {
      if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
      server.close();
    }
  }

  /** The state that objects translate to. Throws if any of them has a problem. */
  translated(objects: readonly object[], features: TranslateFeatures = {}) {
    const { state, problems } = translate(objects.map(asStored), {
      routerFlavor: this.flavor,
      features: { rewriteUris: true, ...features },
    });
    if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
    return state;
  }

  /** Loads objects in place of what was there. */
  async load(objects: readonly object[], features?: TranslateFeatures): Promise<void> {
    const document = toDeclarativeConfig(this.translated(objects, features), { isDbless: true });
    const answer = await fetch(`http://127.0.0.1:${this.addresses.admin?.port}/config`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(document),
    });
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
    this.seen.length = 0;
  }

  async #listen(server: Server): Promise<number> {
    this.#servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Remembers what it is asked, and answers after its path's first word: 404, hang, or 200. */
  #echo(by: string) {
    return (request: IncomingMessage, reply: ServerResponse) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString('latin1');
      });
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const socket = request.socket as {
          getPeerCertificate?: () => { subject?: { CN: string } };
        };
        const clientName = socket.getPeerCertificate?.().subject?.CN;
        const seen = { by, method, url, headers, body };
        this.seen.push(clientName === undefined ? seen : { ...seen, clientName });
        if (url.includes('/hang')) return;
        const status = Number(/\/status\/(\d+)/.exec(url)?.[1] ?? 200);
        reply.writeHead(status, {
          'Content-Type': 'application/json',
          'X-Backend': by,
          'X-Two': ['a', 'b'],
          'X-Kong-Limit': 'videos=1',
        });
        reply.end(JSON.stringify({ by, a: 1, b: 'two' }));
      });
    };
  }

  #grpcServer(): Server {
    const server = createHttp2Server();
    server.on('stream', (stream, headers) => {
      const method = String(headers[':method']);
      const url = String(headers[':path']);
      this.seen.push({ by: 'grpc', method, url, headers, body: '' });
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc' },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end();
    });
    return server as unknown as Server;
  }
}

function pairOf({ certificate, privateKey }: { certificate: string; privateKey: string }) {
  return { cert: certificate, key: privateKey };
}

/** An object as an API server would hand it out. */
function asStored(object: object, index: number): KubeObject {
  const { stringData, ...rest } = object as {
    stringData?: Record<string, string>;
    metadata: object;
  };
  const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  rest.metadata = { uid, ...rest.metadata };
  const data = Object.entries(stringData ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  const stored = stringData === undefined ? rest : { ...rest, data: Object.fromEntries(data) };
  return withManifestDefaults(stored as KubeObject);
}
