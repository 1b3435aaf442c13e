import { type AddressRange, parseAddressRanges } from './address/address-range.ts';
import type { BalancerRegistry } from './balancer/balancer-registry.ts';
import type { EntitySource } from './configuration/entity-source.ts';
import { Snapshot, type SnapshotSettings } from './configuration/snapshot.ts';
import { GatewayError } from './gateway-error.ts';
import type { ProxyListenOptions, StreamListenOptions } from './gateway-options.ts';
import { HttpListener, type ListenAddress, type ListenerTls } from './listener/http-listener.ts';
import { formatAccessLine } from './metrics/access-log.ts';
import type { GatewayMetrics } from './metrics/gateway-metrics.ts';
import type { PluginRuntime } from './plugin/plugin-runtime.ts';
import { GrpcSessions } from './proxy/grpc-sessions.ts';
import { HttpProxy } from './proxy/http-proxy.ts';
import type { RequestContext } from './proxy/request-context.ts';
import { UpstreamPools } from './proxy/upstream-pools.ts';
import { StreamListener } from './stream/stream-listener.ts';
import { chooseCertificate } from './tls/choose-certificate.ts';
import type { CertificatePair } from './tls/default-certificate.ts';

export interface DataPlaneOptions {
  readonly source: EntitySource;
  readonly settings: SnapshotSettings;
  readonly balancers: BalancerRegistry;
  readonly metrics: GatewayMetrics;
  readonly runtime: PluginRuntime;
  readonly trustedIps: readonly string[];
  readonly areDebugHeadersAllowed: boolean;
  readonly accessLog: ((line: string) => void) | undefined;
  readonly proxy: readonly ProxyListenOptions[];
  readonly streams: readonly StreamListenOptions[];
}

export interface DataPlaneTls {
  readonly certificate: CertificatePair;
  readonly ticketKeys?: Uint8Array;
}

const tidyAfterMs = 1_000;
/** While writes keep coming, compiling takes at most one part in this many of the time. */
const compileShare = 5;
const longestCompilePauseMs = 1_000;

interface Stoppable {
  stop(graceMs: number): Promise<void>;
}

/** What carries traffic in one process: listeners, and the snapshot of the configuration they go by. */
export class DataPlane {
  readonly #options: DataPlaneOptions;
  readonly #pools = new UpstreamPools();
  readonly #grpc = new GrpcSessions();
  readonly #listeners: Stoppable[] = [];
  #snapshot: Snapshot;
  /** Whether entities changed since the snapshot was compiled. */
  #isStale = false;
  #compiling: NodeJS.Timeout | undefined;
  #compileMs = 0;
  #tidying: NodeJS.Timeout | undefined;

  constructor(options: DataPlaneOptions) {
    this.#options = options;
    this.#snapshot = new Snapshot(options.source, options.settings);
  }

  /**
   * Goes by the entities of now. Requests under way keep the snapshot that they started with. A request
   * that comes later gets a new one in any case; without requests, many writes are compiled together.
   *
   * @param touched - upstreams that changed, or whose targets did, where that is known
   */
  refresh(touched?: ReadonlySet<string>): void {
    const { source, balancers } = this.#options;
    balancers.reconcile(source, touched);
    this.#isStale = true;
    const pauseMs = Math.min(this.#compileMs * (compileShare - 1), longestCompilePauseMs);
    this.#compiling ??= setTimeout(() => this.#current(), pauseMs).unref();
    // Connections to addresses that nobody chooses any more can stay a while: looking for them takes a
    // look at all addresses, which is too much for each of many changes.
    this.#tidying ??= setTimeout(() => {
      this.#tidying = undefined;
      this.#pools.retain(balancers.addresses());
    }, tidyAfterMs).unref();
  }

  #current(): Snapshot {
    if (this.#isStale) {
      const { source, settings } = this.#options;
      const startedMs = performance.now();
      this.#snapshot = new Snapshot(source, settings, this.#snapshot);
      this.#isStale = false;
      this.#compileMs = performance.now() - startedMs;
      clearTimeout(this.#compiling);
      this.#compiling = undefined;
    }
    return this.#snapshot;
  }

  async listen({ certificate, ticketKeys }: DataPlaneTls): Promise<{
    proxy: (ListenAddress & { readonly isTls: boolean })[];
    streams: ListenAddress[];
  }> {
    const { options, handler } = { options: this.#options, handler: this.#createProxy() };
    const tls: ListenerTls = {
      fallback: certificate,
      contextFor: (name: string) => chooseCertificate(this.#current(), name, options.runtime.log),
      ...(ticketKeys === undefined ? {} : { ticketKeys: Buffer.from(ticketKeys) }),
    };
    const proxy = [];
    for (const { isTls, clientCa, ...rest } of options.proxy) {
      const secure = { ...tls, ...(clientCa === undefined ? {} : { clientCa }) };
      const listener = new HttpListener({ ...rest, ...(isTls ? { tls: secure } : {}) }, handler);
      this.#listeners.push(listener);
      proxy.push({ ...(await listener.start()), isTls: isTls ?? false });
    }
    const streams: ListenAddress[] = [];
    for (const listen of options.streams) {
      const listener = new StreamListener({
        ...listen,
        tls,
        snapshot: () => this.#current(),
        balancers: options.balancers,
        log: options.runtime.log,
        onEnd: (facts) => options.metrics.observeStream(facts),
      });
      this.#listeners.push(listener);
      streams.push(await listener.start());
    }
    return { proxy, streams };
  }

  /** Takes no more connections, and ends those that are busy after a while. */
  async stop(graceMs: number): Promise<void> {
    clearTimeout(this.#tidying);
    clearTimeout(this.#compiling);
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.stop(graceMs)));
    this.#grpc.close();
    this.#pools.close();
    for (const plugin of this.#options.settings.plugins.values()) {
      await plugin.close?.();
    }
  }

  #createProxy(): HttpProxy {
    const { balancers, runtime, trustedIps, areDebugHeadersAllowed, metrics } = this.#options;
    return new HttpProxy({
      snapshot: () => this.#current(),
      balancers,
      pools: this.#pools,
      grpc: this.#grpc,
      runtime,
      metrics,
      trusted: trustedRange(trustedIps),
      areDebugHeadersAllowed,
      onEnd: (context) => this.#onRequestEnd(context),
    });
  }

  #onRequestEnd(context: RequestContext): void {
    const { metrics, accessLog, runtime } = this.#options;
    metrics.requestEnded();
    if (accessLog !== undefined) {
      accessLog(formatAccessLine(context, runtime.now()));
    }
  }
}

function trustedRange(trusted: readonly string[]): AddressRange | undefined {
  if (trusted.length === 0) {
    return undefined;
  }
  const range = parseAddressRanges(trusted);
  if (range === undefined) {
    throw new GatewayError('WG_GATEWAY_OPTION', `trustedIps has an entry that is no address`);
  }
  return range;
}
