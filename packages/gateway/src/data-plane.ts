import { type AddressRange, parseAddressRanges } from '@waygate/text';
import type { BalancerRegistry } from './balancer/balancer-registry.ts';
import type { EntityDifference } from './configuration/entity-difference.ts';
import type { EntitySource } from './configuration/entity-source.ts';
import { type ClientLimits, defaultClientLimits } from './exchange/client-limits.ts';
import { GatewayError } from './gateway-error.ts';
import type {
  FurtherListener,
  ProxyListenOptions,
  RefusedListener,
  StreamListenOptions,
} from './gateway-options.ts';
import { HttpListener } from './listener/http-listener.ts';
import type { ListenerTls } from './listener/listener-tls.ts';
import type { ListenAddress } from './listener/listening.ts';
import { formatAccessLine } from './metrics/access-log.ts';
import type { GatewayMetrics } from './metrics/gateway-metrics.ts';
import type { PluginRuntime } from './plugin/plugin-runtime.ts';
import type { RequestContext } from './plugin/request-context.ts';
import { GrpcSessions } from './proxy/grpc-sessions.ts';
import { HttpProxy } from './proxy/http-proxy.ts';
import { UpstreamPools } from './proxy/upstream-pools.ts';
import { askingContext, chooseCertificate } from './snapshot/choose-certificate.ts';
import { Snapshot, type SnapshotSettings } from './snapshot/snapshot.ts';
import { StreamListener } from './stream/stream-listener.ts';
import { sessionContextOf } from './tls/client-authority.ts';
import type { CertificatePair } from './tls/default-certificate.ts';

interface DataPlaneOptions {
  readonly source: EntitySource;
  readonly settings: SnapshotSettings;
  readonly balancers: BalancerRegistry;
  readonly metrics: GatewayMetrics;
  readonly runtime: PluginRuntime;
  readonly trustedIps: readonly string[];
  readonly areDebugHeadersAllowed: boolean;
  readonly accessLog: ((line: string) => void) | undefined;
  /** Counts every request for `/metrics`, whether or not a plugin asks for it. */
  readonly countsRequests: boolean;
  readonly proxy: readonly ProxyListenOptions[];
  readonly streams: readonly StreamListenOptions[];
  readonly limits: Partial<ClientLimits>;
}

interface DataPlaneTls {
  readonly certificate: CertificatePair;
  readonly ticketKeys?: Uint8Array;
}

const tidyAfterMs = 1_000;
/** How long requests on a port that is closed may take. */
const closeMs = 5_000;

interface Stoppable {
  stop(graceMs: number): Promise<void>;
}

/** What every listener of this process is made with. */
interface ListenerMakers {
  readonly handler: HttpProxy;
  readonly tls: ListenerTls;
}

/**
 * What carries traffic in one process: listeners, and the snapshot of the configuration they go by.
 * Balancers are changed by whoever owns them.
 */
export class DataPlane {
  readonly #options: DataPlaneOptions;
  readonly #pools = new UpstreamPools();
  readonly #grpc = new GrpcSessions();
  readonly #listeners: Stoppable[] = [];
  /** Those that were opened while traffic flowed, by what was asked for. */
  readonly #further = new Map<string, Stoppable>();
  /** Listeners that take nothing more and wait for what is under way. */
  readonly #closing = new Set<Promise<void>>();
  #makers: ListenerMakers | undefined;
  #snapshot: Snapshot;
  #tidying: NodeJS.Timeout | undefined;

  constructor(options: DataPlaneOptions) {
    this.#options = options;
    this.#snapshot = Snapshot.of(options.source, options.settings);
  }

  /** Compiles all entities, for a start. */
  load(): void {
    const { source, settings } = this.#options;
    this.#snapshot = Snapshot.of(source, settings);
  }

  /** Goes by changes that the source has. Requests under way keep the snapshot that they started with. */
  change(differences: readonly EntityDifference[]): void {
    const { balancers } = this.#options;
    this.#snapshot = this.#snapshot.change(differences);
    // Connections to addresses that nobody chooses any more can stay a while: looking for them takes a
    // look at all addresses, which is too much for each of many changes.
    this.#tidying ??= setTimeout(() => {
      this.#tidying = undefined;
      this.#pools.retain(balancers.addresses());
    }, tidyAfterMs).unref();
  }

  async listen(secrets: DataPlaneTls): Promise<{
    proxy: (ListenAddress & { readonly isTls: boolean })[];
    streams: ListenAddress[];
  }> {
    const { proxy: requests, streams: others } = this.#options;
    this.#makers = { handler: this.#createProxy(), tls: this.#listenerTls(secrets) };
    const proxy = [];
    for (const listen of requests) {
      const listener = this.#proxyListener(this.#makers, listen);
      this.#listeners.push(listener);
      proxy.push({ ...(await listener.start()), isTls: listen.isTls ?? false });
    }
    const streams: ListenAddress[] = [];
    for (const listen of others) {
      const listener = this.#streamListener(this.#makers, listen);
      this.#listeners.push(listener);
      streams.push(await listener.start());
    }
    return { proxy, streams };
  }

  /**
   * Opens further ports and closes those of an earlier call that are not among them any more. One that
   * cannot be opened is named in the answer, and keeps none of the others from it.
   */
  async listenAlso(wanted: readonly FurtherListener[]): Promise<readonly RefusedListener[]> {
    const makers = this.#makers;
    if (makers === undefined) {
      throw new GatewayError('WG_GATEWAY_STOPPED', 'the gateway does not run');
    }
    const keys = new Set(wanted.map((listen) => JSON.stringify(listen)));
    const gone = [...this.#further].filter(([key]) => !keys.has(key));
    for (const [key, listener] of gone) {
      this.#further.delete(key);
      // The port is free at once, for whatever is spoken there now; what is under way goes on.
      const stopping = listener.stop(closeMs).finally(() => this.#closing.delete(stopping));
      this.#closing.add(stopping);
    }
    const refused: RefusedListener[] = [];
    for (const listen of wanted) {
      const key = JSON.stringify(listen);
      if (this.#further.has(key)) continue;
      const listener =
        listen.kind === 'http' || listen.kind === 'https'
          ? this.#proxyListener(makers, { ...listen, isTls: listen.kind === 'https' })
          : this.#streamListener(makers, { ...listen, kind: listen.kind });
      try {
        await listener.start();
        this.#further.set(key, listener);
      } catch (error) {
        refused.push({ ...listen, code: (error as NodeJS.ErrnoException).code ?? '' });
      }
    }
    return refused;
  }

  #listenerTls({ certificate, ticketKeys }: DataPlaneTls): ListenerTls {
    const { runtime } = this.#options;
    return {
      fallback: certificate,
      contextFor: (name: string) => {
        const authority = this.#snapshot.plan.isAsking
          ? this.#snapshot.plan.authorityFor(name)
          : undefined;
        return authority === undefined
          ? chooseCertificate(this.#snapshot, name, runtime)
          : askingContext(this.#snapshot, name, certificate, authority);
      },
      isAsking: () => this.#snapshot.plan.isAsking,
      welcome: () => this.#snapshot.plan.welcome,
      pairFor: (name: string) => this.#snapshot.certificates.pairsFor(name),
      isServed: (name: string) => this.#snapshot.certificates.isServed(name),
      isAskedFor: (name: string) => this.#snapshot.plan.authorityFor(name) !== undefined,
      ...(ticketKeys === undefined ? {} : { ticketKeys: Buffer.from(ticketKeys) }),
    };
  }

  /** For a port whose clients are asked for certificates, by whatever name they ask for it. */
  #askingTls(
    tls: ListenerTls,
    clientCa: readonly string[],
    isClientOptional: boolean,
  ): ListenerTls {
    const { isAsking, isAskedFor, ...rest } = tls;
    const ca = clientCa.join('\n');
    const authority = { serverNames: [], ca, crl: null, context: sessionContextOf(ca) };
    return {
      ...rest,
      clientCa,
      isClientOptional,
      contextFor: (name) => askingContext(this.#snapshot, name, tls.fallback, authority),
    };
  }

  #proxyListener({ handler, tls }: ListenerMakers, listen: ProxyListenOptions): HttpListener {
    const { isTls, clientCa, isClientOptional = false, isShared, ...rest } = listen;
    const limits = { ...defaultClientLimits, ...this.#options.limits };
    const secure = clientCa === undefined ? tls : this.#askingTls(tls, clientCa, isClientOptional);
    const streams =
      isTls === true && isShared === true
        ? this.#streamListener({ handler, tls }, { ...rest, kind: 'tls' })
        : undefined;
    return new HttpListener(
      {
        ...rest,
        limits,
        refusalPage: () => this.#snapshot.plan.welcome?.refusalPage,
        ...(isTls ? { tls: secure } : {}),
        ...(streams && { passOn: (socket, name) => streams.take(socket, name) }),
      },
      handler,
    );
  }

  #streamListener({ tls }: ListenerMakers, listen: StreamListenOptions): StreamListener {
    const { balancers, runtime, metrics } = this.#options;
    return new StreamListener({
      ...listen,
      tls,
      snapshot: () => this.#snapshot,
      balancers,
      log: runtime.log,
      onEnd: (facts) => metrics.observeStream(facts),
    });
  }

  /** Takes no more connections, and ends those that are busy after a while. */
  async stop(graceMs: number): Promise<void> {
    clearTimeout(this.#tidying);
    const further = [...this.#further.values()];
    this.#further.clear();
    const all = [...this.#listeners.splice(0), ...further];
    await Promise.all([...all.map((listener) => listener.stop(graceMs)), ...this.#closing]);
    this.#grpc.close();
    this.#pools.close();
    const plugins = [...this.#options.settings.plugins.values()];
    await Promise.all(plugins.map((plugin) => plugin.close?.()));
  }

  #createProxy(): HttpProxy {
    const { balancers, runtime, trustedIps, areDebugHeadersAllowed, metrics } = this.#options;
    return new HttpProxy({
      snapshot: () => this.#snapshot,
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
    const { metrics, accessLog, runtime, countsRequests } = this.#options;
    metrics.requestEnded();
    if (countsRequests && context.match !== undefined && !hasPrometheus(context)) {
      metrics.observeRequest(context, plainCounts);
    }
    if (accessLog !== undefined) accessLog(formatAccessLine(context, runtime.now()));
  }
}

const plainCounts = { perConsumer: false, statusCodes: true, latency: true, bandwidth: false };

/** A plugin counts as its settings say, and that once. */
function hasPrometheus({ plugins }: RequestContext): boolean {
  return plugins.some(({ definition }) => definition.name === 'prometheus');
}

function trustedRange(trusted: readonly string[]): AddressRange | undefined {
  if (trusted.length === 0) return undefined;
  const range = parseAddressRanges(trusted);
  if (range === undefined) {
    throw new GatewayError('WG_GATEWAY_OPTION', `trustedIps has an entry that is no address`);
  }
  return range;
}
