import { type ClientHttp2Stream, constants } from 'node:http2';
import type { BalancerAddress } from '../balancer/balancer-address.ts';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { Destination } from '../balancer/destination.ts';
import type { UpstreamBalancer } from '../balancer/upstream-balancer.ts';
import type { GrpcSessions } from './grpc-sessions.ts';
import { pickDestination } from './pick-destination.ts';
import type { RequestContext } from './request-context.ts';
import { type ServiceSettings, serviceSettings } from './service-settings.ts';
import type { ExchangeListener } from './upstream-exchange.ts';

/** HTTP/2 has no such headers; a client that came over HTTP/1 may have. */
const ofOneConnection = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade'];

/** Brings a gRPC call to an upstream over HTTP/2, with trailers and streams in both directions. */
export class GrpcExchange {
  readonly #context: RequestContext;
  readonly #balancers: BalancerRegistry;
  readonly #sessions: GrpcSessions;
  readonly #listener: ExchangeListener;
  readonly #settings: ServiceSettings;
  readonly #tried = new Set<BalancerAddress>();
  #balancer: UpstreamBalancer | undefined;
  #stream: ClientHttp2Stream | undefined;
  #hasHead = false;
  #isDone = false;
  #isCancelled = false;

  constructor(
    context: RequestContext,
    balancers: BalancerRegistry,
    sessions: GrpcSessions,
    listener: ExchangeListener,
  ) {
    this.#context = context;
    this.#balancers = balancers;
    this.#sessions = sessions;
    this.#listener = listener;
    this.#settings = serviceSettings(context.service ?? {}, context.snapshot);
    context.forgetSnapshot();
  }

  start(): void {
    pickDestination(this.#balancers, this.#settings, this.#context, this.#tried, (destination) =>
      this.#dispatch(destination),
    );
  }

  cancel(): void {
    if (!this.#isDone) {
      this.#isCancelled = true;
      this.#stream?.close(constants.NGHTTP2_CANCEL);
    }
  }

  #dispatch(destination: Destination): void {
    if (this.#isCancelled) {
      return;
    }
    if (destination.kind === 'none') {
      this.#listener.onFailure(503, destination.message, false);
      return;
    }
    const { address } = destination;
    this.#balancer = destination.upstream;
    this.#tried.add(address);
    address.connections += 1;
    const { timings, tries, request } = this.#context;
    const now = performance.now();
    timings.proxiedAt ||= now;
    tries.push({ address: address.ip, port: address.port, startedAt: now });
    const session = this.#sessions.get(address, this.#settings);
    const body = this.#context.upstream?.body;
    const hasBody = body !== undefined || this.#context.hasBody;
    const stream = session.request(this.#headers(address), { endStream: !hasBody });
    this.#stream = stream;
    stream.setTimeout(this.#settings.readTimeoutMs, () => this.#fail(address, 504));
    stream.on('error', () => this.#fail(address, 502));
    session.once('error', () => this.#fail(address, 502));
    this.#relayAnswer(stream, address);
    if (body !== undefined) {
      stream.end(body);
    } else if (hasBody) {
      const send = () => {
        request.body?.on('data', (chunk: Buffer) => {
          this.#context.requestBytes += chunk.length;
        });
        request.body?.pipe(stream);
      };
      if (session.connecting) {
        // Nothing of the body is read before there is a connection: another target may still get it.
        session.once('connect', send);
      } else {
        send();
      }
    }
  }

  #relayAnswer(stream: ClientHttp2Stream, address: BalancerAddress): void {
    let trailers: string[] = [];
    stream.on('response', (headers) => {
      this.#hasHead = true;
      this.#context.timings.upstreamAnsweredAt = performance.now();
      const status = Number(headers[':status'] ?? 502);
      this.#balancer?.reportPassive(address, { kind: 'status', status });
      this.#listener.onHead(status, flatten(headers), true, () => stream.resume());
    });
    stream.on('trailers', (headers) => {
      trailers = flatten(headers);
    });
    stream.on('data', (chunk: Buffer) => {
      if (!this.#listener.onData(chunk)) {
        stream.pause();
      }
    });
    stream.on('end', () => {
      if (!this.#isDone && this.#hasHead) {
        this.#isDone = true;
        address.connections -= 1;
        this.#listener.onEnd(trailers);
      }
    });
  }

  #fail(address: BalancerAddress, status: number): void {
    if (this.#isDone || this.#isCancelled) {
      return;
    }
    address.connections -= 1;
    const kind = status === 504 ? 'timeout' : 'tcp-failure';
    this.#balancer?.reportPassive(address, { kind });
    const isUnread =
      this.#context.upstream?.body !== undefined ||
      (this.#context.requestBytes === 0 && this.#context.request.body?.readableFlowing !== true);
    if (
      !this.#hasHead &&
      isUnread &&
      this.#tried.size <= this.#settings.retries &&
      status === 502
    ) {
      this.#stream = undefined;
      this.start();
      return;
    }
    this.#isDone = true;
    this.#listener.onFailure(status, undefined, this.#hasHead);
  }

  #headers(address: BalancerAddress): Record<string, string | string[]> {
    const { upstream, match, headers } = this.#context;
    const kept = match?.entry.route.preserve_host === true ? headers.get(':authority') : undefined;
    const object = upstream?.headers.toObject() ?? {};
    for (const name of ofOneConnection) {
      delete object[name];
    }
    const query = upstream?.query === undefined ? '' : `?${upstream.query}`;
    return {
      ':method': upstream?.method ?? 'POST',
      ':path': (upstream?.path ?? '/') + query,
      ':scheme': this.#settings.tls === undefined ? 'http' : 'https',
      ':authority': kept ?? `${address.hostname}:${address.port}`,
      ...object,
    };
  }
}

function flatten(headers: object): string[] {
  return Object.entries(headers).flatMap(([name, value]: [string, unknown]) => {
    if (name.startsWith(':')) {
      return [];
    }
    return (Array.isArray(value) ? value : [value]).flatMap((item) => [name, String(item)]);
  });
}
