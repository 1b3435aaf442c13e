import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import type { Readable } from 'node:stream';
import type { BalancerAddress } from '../balancer/balancer-address.ts';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { Destination } from '../balancer/destination.ts';
import type { UpstreamBalancer } from '../balancer/upstream-balancer.ts';
import { UpstreamError } from '../http1/upstream-error.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import type { GrpcSessions } from './grpc-sessions.ts';
import { pickDestination } from './pick-destination.ts';
import { sendContinue } from './request-body.ts';
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
  #address: BalancerAddress | undefined;
  #session: ClientHttp2Session | undefined;
  #stream: ClientHttp2Stream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #attempts = 0;
  #hasHead = false;
  /** Whether all of the request is on its way. */
  #isRequestSent = false;
  /** Whether any of a body that streams through was read: then it cannot be sent again. */
  #isBodyTouched = false;
  #isDone = false;

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
    pickDestination(this.#balancers, this.#settings, this.#context, this.#tried, this.#dispatch);
  }

  cancel(): void {
    if (!this.#isDone) {
      this.#isDone = true;
      clearTimeout(this.#timer);
      this.#stream?.close(constants.NGHTTP2_CANCEL);
      this.#release();
    }
  }

  readonly #dispatch = (destination: Destination): void => {
    if (this.#isDone) {
      return;
    }
    if (destination.kind === 'none') {
      this.#isDone = true;
      this.#listener.onFailure(503, destination.message, false);
      return;
    }
    const { address } = destination;
    this.#address = address;
    this.#balancer = destination.upstream;
    this.#tried.add(address);
    this.#attempts += 1;
    address.connections += 1;
    const { timings, tries } = this.#context;
    const now = performance.now();
    timings.proxiedAt ||= now;
    tries.push({ address: address.ip, port: address.port, startedAt: now });
    try {
      this.#call(address);
    } catch (error) {
      // A header that HTTP/2 does not take, or a connection that has just gone.
      this.#fail(new UpstreamError('WG_GATEWAY_BROKEN', (error as Error).message), true);
    }
  };

  #call(address: BalancerAddress): void {
    const session = this.#sessions.get(address, this.#settings);
    const body = this.#context.upstream?.body;
    const { body: streamed } = this.#context.request;
    const hasBody = body !== undefined || streamed !== undefined;
    const stream = session.request(this.#headers(address), { endStream: !hasBody });
    this.#session = session;
    this.#stream = stream;
    let error: Error | undefined;
    stream.on('error', (cause) => {
      error = cause;
    });
    stream.once('close', () => {
      if (this.#stream === stream) {
        this.#fail(error, stream.pending || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM);
      }
    });
    this.#relayAnswer(stream);
    this.#isRequestSent = body !== undefined || streamed === undefined;
    if (body !== undefined) {
      stream.end(body);
    } else if (streamed !== undefined) {
      const send = () => this.#send(streamed, stream);
      if (session.connecting) {
        // Nothing of the body is read before there is a connection: another target may still get it.
        session.once('connect', send);
      } else {
        send();
      }
    }
    this.#timer = setTimeout(this.#onSilence, this.#settings.readTimeoutMs);
  }

  #send(body: Readable, stream: ClientHttp2Stream): void {
    if (this.#stream !== stream || this.#isDone) {
      return;
    }
    this.#isBodyTouched = true;
    sendContinue(this.#context);
    body.on('data', (chunk: Buffer) => {
      this.#context.requestBytes += chunk.length;
      this.#timer?.refresh();
    });
    body.once('end', () => {
      this.#isRequestSent = true;
      this.#timer?.refresh();
    });
    body.pipe(stream);
  }

  /** Only while it is the upstream's turn is silence its fault. */
  readonly #onSilence = (): void => {
    const stream = this.#stream;
    const isClientsTurn =
      stream?.isPaused() === true ||
      (!this.#isRequestSent && this.#isBodyTouched && stream?.writableNeedDrain !== true);
    if (isClientsTurn) {
      this.#timer?.refresh();
      return;
    }
    const error = new UpstreamError('WG_GATEWAY_TIMEOUT', 'the upstream was silent for too long');
    if (this.#session !== undefined) {
      this.#sessions.retire(this.#session);
    }
    this.#fail(error, false);
  };

  #relayAnswer(stream: ClientHttp2Stream): void {
    let trailers: string[] = [];
    const resume = () => {
      this.#timer?.refresh();
      stream.resume();
    };
    stream.on('response', (headers) => {
      this.#hasHead = true;
      this.#timer?.refresh();
      this.#context.timings.upstreamAnsweredAt = performance.now();
      const status = Number(headers[':status'] ?? 502);
      if (this.#address !== undefined) {
        this.#balancer?.reportPassive(this.#address, { kind: 'status', status });
      }
      this.#listener.onHead(status, flatten(headers), true, resume);
    });
    stream.on('trailers', (headers) => {
      trailers = flatten(headers);
    });
    stream.on('data', (chunk: Buffer) => {
      this.#timer?.refresh();
      if (!this.#isDone && !this.#listener.onData(chunk)) {
        stream.pause();
      }
    });
    stream.on('end', () => {
      const isWhole = stream.rstCode === constants.NGHTTP2_NO_ERROR && !stream.aborted;
      if (!this.#isDone && this.#hasHead && isWhole) {
        this.#isDone = true;
        clearTimeout(this.#timer);
        this.#release();
        this.#listener.onEnd(trailers);
      }
    });
  }

  /** @param isUnseen - the upstream cannot have acted on the call */
  #fail(error: Error | undefined, isUnseen: boolean): void {
    if (this.#isDone) {
      return;
    }
    clearTimeout(this.#timer);
    const isTimeout = error instanceof UpstreamError && error.code === 'WG_GATEWAY_TIMEOUT';
    const { tries } = this.#context;
    const last = tries[tries.length - 1];
    if (last !== undefined) {
      last.state = 'failed';
    }
    if (this.#address !== undefined) {
      this.#balancer?.reportPassive(this.#address, { kind: isTimeout ? 'timeout' : 'tcp-failure' });
    }
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.close(constants.NGHTTP2_CANCEL);
    this.#release();
    const isAllowed = this.#attempts <= this.#settings.retries;
    if (isUnseen && isAllowed && !this.#hasHead && !this.#isBodyTouched) {
      this.start();
      return;
    }
    this.#isDone = true;
    this.#listener.onFailure(isTimeout ? 504 : 502, undefined, this.#hasHead);
  }

  #release(): void {
    if (this.#address !== undefined) {
      this.#address.connections -= 1;
      this.#address = undefined;
    }
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
