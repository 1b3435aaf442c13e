import type { Socket } from 'node:net';
import type { BalancerAddress } from '../balancer/balancer-address.ts';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import { plainHost } from '../exchange/client-facts.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import type { ResponseListener, UpstreamConnection } from '../http1/upstream-connection.ts';
import { UpstreamError } from '../http1/upstream-error.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { type BodyForm, BodyRelay } from './body-relay.ts';
import { collectBody } from './request-body.ts';
import { isRetriedAfter, isSentAgain } from './retry-rule.ts';
import { TargetTries, type TargetUser } from './target-tries.ts';
import type { UpstreamPools } from './upstream-pools.ts';
import { type RequestBodyPlan, requestText, upstreamHost } from './upstream-request.ts';

/** Who hears what the upstream answers. */
export interface ExchangeListener {
  /** The head of the answer. `resume` is called when a body that was held back may go on. */
  onHead(status: number, headers: string[], hasBody: boolean, resume: () => void): void;
  /** Returns false to hold the rest back. The chunk is not the listener's to keep. */
  onData(chunk: Buffer): boolean;
  onEnd(trailers: readonly string[]): void;
  /** @param idleMs - how long both sides may be silent */
  onUpgrade(head: ResponseHead, socket: Socket, rest: Buffer, idleMs: number): void;
  /** No answer, or one that broke off after its head (`isPartial`). */
  onFailure(status: number, message: string | undefined, isPartial: boolean): void;
}

/** Sent again after they may have reached an upstream: nothing but these. */
const idempotent: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'TRACE',
]);

/** A body up to this is read before it is sent, so that it can be sent again. */
const maximumHeldBodyBytes = 64 * 1_024;
const noBodyPlan: RequestBodyPlan = { kind: 'none' };

/**
 * Brings one request to one of the service's targets, and tries others when one cannot be reached, as
 * often as the service allows.
 */
export class UpstreamExchange implements ResponseListener, TargetUser {
  readonly #context: RequestContext;
  readonly #pools: UpstreamPools;
  readonly #listener: ExchangeListener;
  readonly #tries: TargetTries;
  #plan: RequestBodyPlan = noBodyPlan;
  #connection: UpstreamConnection | undefined;
  #opening: { cancel(): void } | undefined;
  #relay: BodyRelay | undefined;
  #isSent = false;
  #hasHead = false;
  #isDone = false;
  /** A kept connection turned out to be closed: the next try opens one of its own. */
  #isStale = false;

  constructor(
    context: RequestContext,
    balancers: BalancerRegistry,
    pools: UpstreamPools,
    listener: ExchangeListener,
  ) {
    this.#context = context;
    this.#pools = pools;
    this.#listener = listener;
    this.#tries = new TargetTries(context, balancers, this);
  }

  start(): void {
    const { upstream, request, match, manner } = this.#context;
    if (upstream?.body !== undefined) {
      this.#plan = { kind: 'whole', body: upstream.body };
    } else if (request.body !== undefined) {
      const { contentLength } = request;
      const limit =
        contentLength === undefined ? (manner?.maximumHeldBytes ?? 0) : maximumHeldBodyBytes;
      // Where bodies are not waited for, one that came with its head still has a length.
      const isWaitedFor = match?.entry.route.request_buffering !== false;
      const isHere = contentLength === undefined && request.isBodyWhole === true;
      const isHeld = (contentLength ?? 1) <= limit && (isWaitedFor || isHere);
      if (isHeld) {
        this.#holdBody(limit);
        return;
      }
      this.#plan = { kind: 'stream', length: contentLength };
    }
    this.#tries.next();
  }

  /** The client is gone: nobody waits for the answer. */
  cancel(): void {
    // Called at the end of every request: most are complete by then.
    if (!this.#isDone) {
      this.#isDone = true;
      this.#opening?.cancel();
      this.#connection?.abort();
      this.#relay?.stop();
      this.#tries.end();
    }
  }

  onHead(head: ResponseHead): void {
    const { status, rawHeaders, framing } = head;
    this.#tries.answered(status);
    const retry = this.#context.manner?.retry;
    if (retry?.statuses.has(status) === true && this.#mayRetry(false)) {
      const connection = this.#connection;
      this.#connection = undefined;
      connection?.abort();
      this.#relay?.stop();
      this.#tries.passedOver();
      this.#tries.again();
      return;
    }
    this.#hasHead = true;
    this.#listener.onHead(status, rawHeaders, framing.kind !== 'none', this.#resume);
  }

  onData(chunk: Buffer): boolean {
    return this.#listener.onData(chunk);
  }

  onEnd(trailers: readonly string[]): void {
    this.#finish();
    this.#listener.onEnd(trailers);
  }

  onUpgrade(head: ResponseHead, socket: Socket, rest: Buffer): void {
    if (this.#context.request.upgrade === undefined) {
      socket.destroy();
      this.onError(new UpstreamError('WG_GATEWAY_INVALID', 'the upstream changes the protocol'));
      return;
    }
    this.#hasHead = true;
    this.#context.timings.upstreamAnsweredAt = performance.now();
    this.#finish();
    this.#listener.onUpgrade(head, socket, rest, this.#tries.settings.readTimeoutMs);
  }

  onError(error: UpstreamError): void {
    if (this.#isDone) return;
    const isTimeout = error.code === 'WG_GATEWAY_TIMEOUT';
    const connection = this.#connection;
    // The upstream closed a connection that it kept idle: nothing is wrong with it.
    const isStale = connection?.isReused === true && !connection.hasAnswered && !isTimeout;
    this.#connection = undefined;
    this.#relay?.stop();
    if (isStale) {
      this.#isStale = true;
      this.#tries.failedBlamelessly();
    } else {
      this.#tries.failed(isTimeout);
    }
    const { retry } = this.#context.manner ?? {};
    if (isRetriedAfter(error.code, retry) && this.#mayRetry(isStale)) {
      if (isStale) {
        this.#tries.next();
      } else {
        this.#tries.again();
      }
      return;
    }
    this.#isDone = true;
    this.#listener.onFailure(isTimeout ? 504 : 502, undefined, this.#hasHead);
  }

  readonly #resume = (): void => this.#connection?.resume();

  #holdBody(limit: number): void {
    const maximum = this.#context.manner?.maximumBodyBytes ?? Number.POSITIVE_INFINITY;
    collectBody(this.#context, Math.min(limit, maximum)).then(
      (body) => {
        // Applications behind FastCGI read as much as they are told there is.
        const isUnknown = this.#context.manner?.fastCgi !== undefined;
        if (body === undefined && (maximum <= limit || isUnknown)) {
          this.#onTooLarge();
          return;
        }
        this.#plan =
          body === undefined ? { kind: 'stream', length: undefined } : { kind: 'whole', body };
        if (this.#context.manner?.intercept !== undefined && this.#context.upstream !== undefined) {
          // Who fetches another answer may send it again.
          this.#context.upstream.body = body;
        }
        this.#tries.next();
      },
      () => this.#context.reply.abort(),
    );
  }

  onNone(message: string): void {
    this.#isDone = true;
    this.#listener.onFailure(503, message, false);
  }

  onTarget(address: BalancerAddress): void {
    this.#isSent = false;
    try {
      this.#connect(address);
    } catch (error) {
      const message = (error as Error).message;
      this.onError(
        error instanceof UpstreamError ? error : new UpstreamError('WG_GATEWAY_BROKEN', message),
      );
    }
  }

  #connect(address: BalancerAddress): void {
    const { tls, tlsKey, connectTimeoutMs } = this.#tries.settings;
    const host = upstreamHost(this.#context, address, this.#tries.hostHeader, tls !== undefined);
    const text = requestText(this.#context, host, this.#plan);
    const isForUpgrade = this.#context.request.upgrade !== undefined;
    const named = this.#context.manner?.serverName;
    const serverName = tls === undefined ? '' : (named?.sni ?? plainHost(host));
    const identity =
      named === undefined ? {} : { identity: named.alternatives ?? [`DNS:${named.identity}`] };
    const pool = this.#pools.pool(address, { tls, tlsKey, serverName, ...identity });
    const isFastCgi = this.#context.manner?.fastCgi !== undefined;
    const isOwn = isForUpgrade || this.#isStale || isFastCgi;
    const idle = isOwn ? undefined : pool.takeIdle();
    if (idle !== undefined) {
      this.#send(idle, text);
      return;
    }
    this.#opening = pool.open(
      this.#tries.within(connectTimeoutMs),
      { isForUpgrade, ...(isFastCgi ? { onComplaint: this.#onComplaint } : {}) },
      (connection) => {
        this.#opening = undefined;
        this.#send(connection, text);
      },
      (error) => {
        this.#opening = undefined;
        this.onError(error);
      },
    );
  }

  #send(connection: UpstreamConnection, head: string): void {
    const plan = this.#plan;
    this.#connection = connection;
    this.#context.timings.upstreamConnectedAt = performance.now();
    this.#isSent = true;
    const { settings } = this.#tries;
    const readTimeoutMs = this.#tries.within(settings.readTimeoutMs);
    const method = this.#context.upstream?.method ?? 'GET';
    if (plan.kind !== 'stream') {
      connection.send(head, method, true, readTimeoutMs, this);
      return;
    }
    connection.send(head, method, false, this.#tries.within(settings.writeTimeoutMs), this);
    this.#relay = new BodyRelay(
      this.#context,
      connection,
      this.#bodyForm(plan.length),
      () => connection.finish(readTimeoutMs),
      this.#onTooLarge,
    );
    this.#relay.start();
  }

  #bodyForm(length: number | undefined): BodyForm {
    if (this.#context.manner?.fastCgi !== undefined) return 'fastcgi';
    return length === undefined ? 'chunked' : 'plain';
  }

  readonly #onComplaint = (message: string): void => {
    this.#context.runtime.log.warn('a FastCGI application complains', { message });
  };

  #mayRetry(isStale: boolean): boolean {
    if (this.#hasHead || !(isStale || this.#tries.mayGoOn)) return false;
    // Part of a body that streams through is gone: only what is held can be sent again.
    if (this.#relay?.isStarted === true) return false;
    const retry = this.#context.manner?.retry;
    const { method } = this.#context;
    return (
      !this.#isSent || (retry === undefined ? idempotent.has(method) : isSentAgain(method, retry))
    );
  }

  /** The client sends more than it may: the upstream must not take what it has for the whole. */
  readonly #onTooLarge = (): void => {
    if (!this.#isDone && !this.#hasHead) {
      this.cancel();
      this.#context.reply.closeAfter();
      this.#listener.onFailure(413, undefined, false);
    } else {
      this.#context.reply.abort();
    }
  };

  #finish(): void {
    this.#isDone = true;
    this.#connection = undefined;
    this.#tries.end();
  }
}
