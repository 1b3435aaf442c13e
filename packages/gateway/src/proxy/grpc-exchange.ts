import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { afterArrivals } from '@waygate/text';
import type { BalancerAddress } from '../balancer/balancer-address.ts';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import { UpstreamError } from '../http1/upstream-error.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import type { GrpcSessions } from './grpc-sessions.ts';
import { ReplayedBody } from './replayed-body.ts';
import { sendContinue } from './request-body.ts';
import { isRetriedAfter, isSentAgain } from './retry-rule.ts';
import { TargetTries, type TargetUser } from './target-tries.ts';
import type { ExchangeListener } from './upstream-exchange.ts';

/** HTTP/2 has no such headers; a client that came over HTTP/1 may have. */
const ofOneConnection = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade'];

/** Brings a gRPC call to an upstream over HTTP/2, with trailers and streams in both directions. */
export class GrpcExchange implements TargetUser {
  readonly #context: RequestContext;
  readonly #sessions: GrpcSessions;
  readonly #listener: ExchangeListener;
  readonly #tries: TargetTries;
  #session: ClientHttp2Session | undefined;
  #stream: ClientHttp2Stream | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** How often something came or went. */
  #signsOfLife = 0;
  /** The client's body, if it streams through; undefined before a target takes it. */
  #body: ReplayedBody | undefined;
  #hasHead = false;
  #isDone = false;

  constructor(
    context: RequestContext,
    balancers: BalancerRegistry,
    sessions: GrpcSessions,
    listener: ExchangeListener,
  ) {
    this.#context = context;
    this.#sessions = sessions;
    this.#listener = listener;
    this.#tries = new TargetTries(context, balancers, this);
  }

  start(): void {
    this.#tries.next();
  }

  cancel(): void {
    if (!this.#isDone) {
      this.#isDone = true;
      clearTimeout(this.#timer);
      this.#stream?.close(constants.NGHTTP2_CANCEL);
      this.#tries.end();
    }
  }

  onNone(message: string): void {
    this.#isDone = true;
    this.#listener.onFailure(503, message, false);
  }

  onTarget(address: BalancerAddress): void {
    try {
      this.#call(address);
    } catch (error) {
      // A header that HTTP/2 does not take, or a connection that has just gone.
      this.#fail(new UpstreamError('WG_GATEWAY_BROKEN', (error as Error).message), true);
    }
  }

  #call(address: BalancerAddress): void {
    const session = this.#sessions.get(
      address,
      this.#tries.settings,
      this.#context.manner?.serverName,
    );
    const body = this.#context.upstream?.body;
    const hasBody = body !== undefined || this.#context.request.body !== undefined;
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
    if (body !== undefined) {
      stream.end(body);
    } else if (hasBody && session.connecting) {
      // Nothing of the body is read before there is a connection: another target may still get it.
      session.once('connect', () => this.#send(stream));
    } else if (hasBody) {
      this.#send(stream);
    }
    const { readTimeoutMs } = this.#tries.settings;
    this.#timer = setTimeout(() => {
      const signs = this.#signsOfLife;
      afterArrivals(() => {
        const isStillAsked = this.#stream === stream && !this.#isDone;
        if (isStillAsked && this.#signsOfLife === signs) this.#onSilence();
      });
    }, this.#tries.within(readTimeoutMs));
  }

  #noteLife(): void {
    this.#signsOfLife += 1;
    this.#timer?.refresh();
  }

  #send(stream: ClientHttp2Stream): void {
    const { body } = this.#context.request;
    if (this.#stream !== stream || this.#isDone || body === undefined) return;
    if (this.#body === undefined) {
      sendContinue(this.#context);
      body.once('end', () => this.#noteLife());
      this.#body = new ReplayedBody(body, (chunk) => {
        this.#context.requestBytes += chunk.length;
        this.#noteLife();
      });
    }
    this.#body.sendTo(stream);
  }

  /** Only while it is the upstream's turn is silence its fault. */
  #onSilence(): void {
    const stream = this.#stream;
    const isClientsTurn =
      stream?.isPaused() === true ||
      (this.#body !== undefined && !this.#body.isSent && stream?.writableNeedDrain !== true);
    if (isClientsTurn) {
      this.#noteLife();
      return;
    }
    const error = new UpstreamError('WG_GATEWAY_TIMEOUT', 'the upstream was silent for too long');
    if (this.#session !== undefined) this.#sessions.retire(this.#session);
    this.#fail(error, false);
  }

  #relayAnswer(stream: ClientHttp2Stream): void {
    let trailers: string[] = [];
    const resume = () => {
      this.#noteLife();
      stream.resume();
    };
    stream.on('response', (headers, flags) => {
      const status = Number(headers[':status'] ?? 502);
      this.#tries.answered(status);
      const { retry } = this.#context.manner ?? {};
      if (retry?.statuses.has(status) === true && this.#mayRetry(false)) {
        this.#drop();
        this.#tries.passedOver();
        this.#tries.again();
        return;
      }
      this.#hasHead = true;
      this.#body?.settle();
      this.#noteLife();
      const hasMore = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
      this.#listener.onHead(status, flatten(headers), hasMore, resume);
    });
    stream.on('trailers', (headers) => {
      trailers = flatten(headers);
    });
    stream.on('data', (chunk: Buffer) => {
      if (this.#stream !== stream) return;
      this.#noteLife();
      if (!this.#isDone && !this.#listener.onData(chunk)) stream.pause();
    });
    stream.on('end', () => {
      const isWhole =
        this.#stream === stream && stream.rstCode === constants.NGHTTP2_NO_ERROR && !stream.aborted;
      if (!this.#isDone && this.#hasHead && isWhole) {
        this.#isDone = true;
        clearTimeout(this.#timer);
        this.#tries.end();
        this.#listener.onEnd(trailers);
      }
    });
  }

  /** @param isUnseen - the upstream cannot have acted on the call */
  #fail(error: Error | undefined, isUnseen: boolean): void {
    if (this.#isDone) return;
    const code = error instanceof UpstreamError ? error.code : 'WG_GATEWAY_BROKEN';
    const isTimeout = code === 'WG_GATEWAY_TIMEOUT';
    this.#tries.failed(isTimeout);
    this.#drop();
    if (isRetriedAfter(code, this.#context.manner?.retry) && this.#mayRetry(isUnseen)) {
      this.#tries.again();
      return;
    }
    this.#isDone = true;
    this.#listener.onFailure(isTimeout ? 504 : 502, undefined, this.#hasHead);
  }

  /** Hears no more of the try under way; the client's body waits for another. */
  #drop(): void {
    clearTimeout(this.#timer);
    const stream = this.#stream;
    this.#stream = undefined;
    this.#body?.hold();
    stream?.close(constants.NGHTTP2_CANCEL);
  }

  /**
   * As nginx for Kong, a call that an upstream may have seen is not made again: only who sets a policy
   * of retries can allow that.
   */
  #mayRetry(isUnseen: boolean): boolean {
    const canBeSent = this.#body === undefined || this.#body.isWhole;
    if (this.#hasHead || !canBeSent || !this.#tries.mayGoOn) return false;
    const { retry } = this.#context.manner ?? {};
    return isUnseen || (retry !== undefined && isSentAgain(this.#context.method, retry));
  }

  #headers(address: BalancerAddress): Record<string, string | string[]> {
    const { upstream, match, headers, manner } = this.#context;
    const isKept = match?.entry.route.preserve_host === true;
    const kept = isKept ? (headers.get(':authority') ?? headers.get('host')) : undefined;
    const object = upstream?.headers.toObject() ?? {};
    // Who is told a host in nginx's manner gets it under both names.
    const host = manner?.isBare === true ? upstream?.headers.get('host') : undefined;
    for (const name of ofOneConnection) delete object[name];
    const query = upstream?.query === undefined ? '' : `?${upstream.query}`;
    return {
      ':method': upstream?.method ?? 'POST',
      ':path': (upstream?.path ?? '/') + query,
      ':scheme': this.#tries.settings.tls === undefined ? 'http' : 'https',
      ':authority': host ?? kept ?? `${address.hostname}:${address.port}`,
      ...object,
      ...(host === undefined ? {} : { host }),
    };
  }
}

function flatten(headers: object): string[] {
  return Object.entries(headers).flatMap(([name, value]: [string, unknown]) => {
    if (name.startsWith(':')) return [];
    return (Array.isArray(value) ? value : [value]).flatMap((item) => [name, String(item)]);
  });
}
