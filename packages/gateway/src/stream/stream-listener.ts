import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { ClientHelloParser, type HelloDecision } from '@waygate/text';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { ListenerTls } from '../listener/listener-tls.ts';
import { type ListenAddress, startListening, stopListening } from '../listener/listening.ts';
import { readProxyHeader } from '../listener/read-proxy-header.ts';
import type { StreamFacts } from '../metrics/gateway-metrics.ts';
import type { GatewayLog } from '../plugin/plugin-runtime.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { prefaceOf, streamManner } from './stream-manner.ts';
import { pipeStream } from './stream-pipe.ts';
import { addressesOf, routeStream, type StreamAddresses } from './stream-route.ts';
import { UdpRelay } from './udp-relay.ts';

interface StreamListenerOptions extends ListenAddress {
  /** `tls` takes TLS only, and ends it here unless the route passes it through. */
  readonly kind: 'tcp' | 'tls' | 'udp';
  readonly isProxyProtocol?: boolean;
  readonly publicPort?: number;
  readonly tls: ListenerTls;
  readonly snapshot: () => Snapshot;
  readonly balancers: BalancerRegistry;
  readonly log: GatewayLog;
  readonly onEnd: (facts: StreamFacts) => void;
}

const helloTimeoutMs = 10_000;
const handshakeTimeoutMs = 60_000;
const proxyHeaderTimeoutMs = 5_000;

/** A port for streams: TCP, TLS or UDP. */
export class StreamListener {
  readonly #options: StreamListenerOptions;
  readonly #udp: UdpRelay | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: StreamListenerOptions) {
    this.#options = options;
    this.#udp = options.kind === 'udp' ? new UdpRelay(options) : undefined;
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) =>
      this.#follow(socket, this.#accept(socket)),
    );
  }

  /** Takes a connection of TLS whose first message was put back, if a route for streams does. */
  take(socket: Socket, serverName: string | undefined): boolean {
    const addresses = addressesOf(socket, undefined, this.#options.publicPort);
    if (routeStream(this.#options.snapshot(), 'tls', serverName, addresses) === undefined) {
      return false;
    }
    this.#follow(socket, this.#route(socket, 'tls', serverName, addresses));
    return true;
  }

  #follow(socket: Socket, served: Promise<void>): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    served.catch((error: unknown) => {
      this.#options.log.warn('a stream failed', { error: String(error) });
      socket.destroy();
    });
  }

  async start(): Promise<ListenAddress> {
    if (this.#udp !== undefined) return this.#udp.start();
    const { host, port } = this.#options;
    return await startListening(this.#server, { host, port });
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#udp !== undefined) {
      await this.#udp.stop();
      return;
    }
    await stopListening(this.#server, this.#sockets, graceMs);
  }

  async #accept(socket: Socket): Promise<void> {
    const { isProxyProtocol, kind } = this.#options;
    const proxied =
      isProxyProtocol === true ? await readProxyHeader(socket, proxyHeaderTimeoutMs) : undefined;
    const addresses = addressesOf(socket, proxied, this.#options.publicPort);
    if (kind === 'tcp') {
      // A client may wait for the server to speak first: nothing is read before it is routed.
      await this.#route(socket, 'tcp', undefined, addresses);
      return;
    }
    const decision = await awaitHello(socket);
    if (decision.kind !== 'hello') {
      socket.destroy();
      return;
    }
    await this.#route(socket, 'tls', decision.hello.serverName ?? undefined, addresses);
  }

  async #route(
    socket: Socket,
    protocol: 'tcp' | 'tls',
    serverName: string | undefined,
    addresses: StreamAddresses,
  ): Promise<void> {
    const routed = routeStream(this.#options.snapshot(), protocol, serverName, addresses);
    if (routed === undefined) {
      socket.destroy();
      return;
    }
    const { balancers, onEnd, isProxyProtocol, snapshot } = this.#options;
    const manner = streamManner(snapshot(), routed);
    const isToldHere = protocol === 'tcp' && manner.takesProxyHeader && isProxyProtocol !== true;
    const told = isToldHere ? await readProxyHeader(socket, proxyHeaderTimeoutMs) : undefined;
    const ends = told ?? addresses;
    const isEnded =
      protocol === 'tls' && !routed.match.entry.route.protocols?.includes('tls_passthrough');
    const client = isEnded ? await this.#endTls(socket, serverName) : socket;
    if (client !== undefined) {
      const preface = prefaceOf(manner, ends);
      await pipeStream(client, routed, { balancers, sourceIp: ends.sourceIp, preface, onEnd });
    }
  }

  async #endTls(socket: Socket, serverName: string | undefined): Promise<TLSSocket | undefined> {
    const { fallback, contextFor } = this.#options.tls;
    const secureContext =
      (serverName === undefined ? undefined : await contextFor(serverName)) ??
      createSecureContext({ cert: fallback.cert, key: fallback.key });
    return new Promise((resolve) => {
      // A client that ends, or falls silent, before it has shaken hands is given up.
      socket.allowHalfOpen = false;
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      const fail = () => {
        clearTimeout(timer);
        secure.destroy();
        resolve(undefined);
      };
      const timer = setTimeout(fail, handshakeTimeoutMs);
      secure.once('error', fail);
      secure.once('close', fail);
      secure.once('secure', () => {
        clearTimeout(timer);
        secure.off('error', fail);
        secure.off('close', fail);
        secure.allowHalfOpen = true;
        secure.on('error', () => secure.destroy());
        resolve(secure);
      });
    });
  }
}

/** Reads a ClientHello and puts it back. */
function awaitHello(socket: Socket): Promise<HelloDecision> {
  return new Promise((resolve) => {
    const parser = new ClientHelloParser();
    const chunks: Buffer[] = [];
    const done = () => {
      clearTimeout(timer);
      socket.off('readable', onReadable);
      socket.off('close', done);
      if (chunks.length > 0) socket.unshift(Buffer.concat(chunks));
      resolve(parser.decision);
    };
    const onReadable = () => {
      for (
        let chunk = socket.read() as Buffer | null;
        chunk !== null;
        chunk = socket.read() as Buffer | null
      ) {
        chunks.push(chunk);
        parser.push(chunk);
      }
      if (parser.decision.kind !== 'need-more') done();
    };
    const timer = setTimeout(done, helloTimeoutMs);
    socket.on('readable', onReadable);
    socket.on('close', done);
  });
}
