import type { Duplex } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import type { BalancerAddress } from '../balancer/balancer-address.ts';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { Destination } from '../balancer/destination.ts';
import type { UpstreamBalancer } from '../balancer/upstream-balancer.ts';
import { plainHost } from './client-facts.ts';
import { pickDestination } from './pick-destination.ts';
import { BodyRelay, ClientGoneError, sendContinue } from './request-body.ts';
import type { RequestContext } from './request-context.ts';
import { type ServiceSettings, serviceSettings } from './service-settings.ts';
import type { UpstreamPools } from './upstream-pools.ts';

/** Who hears what the upstream answers. */
export interface ExchangeListener {
  /** The head of the answer. Returns false to hold the body back until `resume` is called. */
  onHead(status: number, headers: string[], resume: () => void): boolean;
  onData(chunk: Buffer): boolean;
  onEnd(trailers: string[]): void;
  onUpgrade(status: number, headers: string[], socket: Duplex): void;
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

/**
 * Brings one request to one of the service's targets, and tries others when one cannot be reached, as
 * often as the service allows.
 */
export class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly #context: RequestContext;
  readonly #balancers: BalancerRegistry;
  readonly #pools: UpstreamPools;
  readonly #listener: ExchangeListener;
  readonly #settings: ServiceSettings;
  readonly #tried = new Set<BalancerAddress>();
  #address: BalancerAddress | undefined;
  #balancer: UpstreamBalancer | undefined;
  #abort: ((reason?: Error) => void) | undefined;
  #relay: BodyRelay | undefined;
  #isSent = false;
  #hasHead = false;
  #isDone = false;
  #isCancelled = false;
  #attempts = 0;

  constructor(
    context: RequestContext,
    balancers: BalancerRegistry,
    pools: UpstreamPools,
    listener: ExchangeListener,
  ) {
    this.#context = context;
    this.#balancers = balancers;
    this.#pools = pools;
    this.#listener = listener;
    this.#settings = serviceSettings(context.service ?? {}, context.snapshot);
  }

  start(): void {
    pickDestination(this.#balancers, this.#settings, this.#context, this.#tried, (destination) =>
      this.#dispatch(destination),
    );
  }

  /** The client is gone: nobody waits for the answer. */
  cancel(): void {
    // Called at the end of every request: most are complete by then, and errors cost time to make.
    if (!this.#isDone) {
      this.#isCancelled = true;
      this.#abort?.(new ClientGoneError());
    }
  }

  #dispatch(destination: Destination): void {
    if (this.#isCancelled) {
      return;
    }
    if (destination.kind === 'none') {
      this.#finish();
      this.#listener.onFailure(503, destination.message, false);
      return;
    }
    const { address } = destination;
    this.#address = address;
    this.#balancer = destination.upstream;
    this.#tried.add(address);
    this.#attempts += 1;
    this.#isSent = false;
    address.connections += 1;
    const { timings, tries } = this.#context;
    const now = performance.now();
    timings.proxiedAt ||= now;
    tries.push({ address: address.ip, port: address.port, startedAt: now });
    const options = this.#options(address);
    try {
      this.#pool(address, options).dispatch(options, this);
    } catch (error) {
      this.onError(error as Error);
    }
  }

  #pool(address: BalancerAddress, options: Dispatcher.DispatchOptions): Pool {
    const { connectTimeoutMs, tls, tlsKey } = this.#settings;
    if (tls === undefined) {
      return this.#pools.plain(address, connectTimeoutMs);
    }
    const hostHeader = (options.headers as string[])[1] ?? '';
    const serverName = plainHost(hostHeader);
    return this.#pools.secure(address, connectTimeoutMs, serverName, tls, tlsKey);
  }

  #options(address: BalancerAddress): Dispatcher.DispatchOptions {
    const { upstream, headers, match } = this.#context;
    const { readTimeoutMs, tls } = this.#settings;
    const own = upstream?.headers.get('host');
    const kept = match?.entry.route.preserve_host === true ? headers.get('host') : undefined;
    const host =
      own ??
      kept ??
      this.#balancer?.upstream.host_header ??
      defaultHost(address, tls !== undefined);
    const raw = ['Host', host];
    for (let index = 0; index < (upstream?.headers.raw.length ?? 0); index += 2) {
      const name = upstream?.headers.raw[index] ?? '';
      if (own === undefined || name.toLowerCase() !== 'host') {
        raw.push(name, upstream?.headers.raw[index + 1] ?? '');
      }
    }
    const query = upstream?.query;
    return {
      path: query === undefined ? (upstream?.path ?? '/') : `${upstream?.path}?${query}`,
      method: (upstream?.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: raw,
      body: this.#body(),
      headersTimeout: readTimeoutMs,
      bodyTimeout: readTimeoutMs,
      ...(this.#context.upgrade === undefined ? {} : { upgrade: this.#context.upgrade.protocol }),
    };
  }

  #body(): Buffer | BodyRelay | null {
    const { upstream } = this.#context;
    if (upstream?.body !== undefined) {
      return upstream.body;
    }
    if (!this.#context.hasBody) {
      return null;
    }
    this.#relay = new BodyRelay(this.#context, () => sendContinue(this.#context));
    return this.#relay;
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#isSent = true;
    this.#abort = abort;
    if (this.#isCancelled) {
      abort(new ClientGoneError());
    }
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    if (status < 200) {
      return true;
    }
    this.#hasHead = true;
    const now = performance.now();
    this.#context.timings.upstreamAnsweredAt = now;
    this.#address?.observeLatency(now - (this.#context.tries.at(-1)?.startedAt ?? now));
    if (this.#address !== undefined) {
      this.#balancer?.reportPassive(this.#address, { kind: 'status', status });
    }
    return this.#listener.onHead(status, toStrings(headers), resume);
  }

  onData(chunk: Buffer): boolean {
    return this.#listener.onData(chunk);
  }

  onComplete(trailers: string[] | null): void {
    this.#finish();
    this.#listener.onEnd(trailers === null ? [] : toStrings(trailers as unknown as Buffer[]));
  }

  onUpgrade(status: number, headers: Buffer[] | string[] | null, socket: Duplex): void {
    this.#hasHead = true;
    this.#context.timings.upstreamAnsweredAt = performance.now();
    this.#finish();
    this.#listener.onUpgrade(status, toStrings((headers ?? []) as Buffer[]), socket);
  }

  onError(error: Error): void {
    const { code = '' } = error as NodeJS.ErrnoException;
    const isTimeout = /TIMEOUT|ETIMEDOUT/.test(code);
    const last = this.#context.tries.at(-1);
    if (last !== undefined) {
      last.state = 'failed';
    }
    this.#release();
    if (this.#isCancelled || error instanceof ClientGoneError) {
      this.#isDone = true;
      return;
    }
    if (this.#address !== undefined) {
      this.#balancer?.reportPassive(this.#address, { kind: isTimeout ? 'timeout' : 'tcp-failure' });
    }
    if (this.#mayRetry()) {
      this.start();
      return;
    }
    this.#isDone = true;
    this.#listener.onFailure(isTimeout ? 504 : 502, undefined, this.#hasHead);
  }

  #mayRetry(): boolean {
    if (this.#hasHead || this.#attempts > this.#settings.retries) {
      return false;
    }
    if (!this.#isSent) {
      return this.#relay?.isStarted !== true;
    }
    // Part of a body that streams through is gone: only what is held can be sent again.
    return idempotent.has(this.#context.method) && this.#relay?.isStarted !== true;
  }

  #release(): void {
    if (this.#address !== undefined && !this.#isDone) {
      this.#address.connections -= 1;
    }
  }

  #finish(): void {
    this.#release();
    this.#isDone = true;
  }
}

/** `host:port` of the target by its name; the port is left out where the scheme implies it. */
function defaultHost(address: BalancerAddress, isSecure: boolean): string {
  const name = address.hostname.includes(':') ? `[${address.hostname}]` : address.hostname;
  return address.port === (isSecure ? 443 : 80) ? name : `${name}:${address.port}`;
}

function toStrings(headers: readonly Buffer[]): string[] {
  const strings = new Array<string>(headers.length);
  for (let index = 0; index < headers.length; index += 1) {
    strings[index] = headers[index]?.toString('latin1') ?? '';
  }
  return strings;
}
