import {
  type EntityChange,
  type EntityStore,
  findPluginSchema,
  parseSchema,
  type WireSchema,
} from '@waygate/kong';
import { parseAddressRanges } from './address/address-range.ts';
import { AdminApi } from './admin/admin-api.ts';
import { AdminListener } from './admin/admin-listener.ts';
import { BalancerRegistry } from './balancer/balancer-registry.ts';
import { DnsCache, systemResolver } from './balancer/dns-resolver.ts';
import { HealthChecker } from './balancer/health-checker.ts';
import { Snapshot, type SnapshotSettings } from './configuration/snapshot.ts';
import { StoreSource } from './configuration/store-source.ts';
import { GatewayError } from './gateway-error.ts';
import type { GatewayOptions, ProxyListenOptions } from './gateway-options.ts';
import { HttpListener, type ListenAddress } from './listener/http-listener.ts';
import { formatAccessLine } from './metrics/access-log.ts';
import { GatewayMetrics } from './metrics/gateway-metrics.ts';
import type { PluginDefinition } from './plugin/plugin.ts';
import {
  createPluginRuntime,
  type GatewayLog,
  type PluginRuntime,
} from './plugin/plugin-runtime.ts';
import { builtInPlugins } from './plugins/built-in-plugins.ts';
import { GrpcSessions } from './proxy/grpc-exchange.ts';
import { HttpProxy } from './proxy/http-proxy.ts';
import type { RequestContext } from './proxy/request-context.ts';
import { UpstreamPools } from './proxy/upstream-pools.ts';
import { checkExpression } from './router/atc/check-expression.ts';
import { EntityJournal } from './storage/entity-journal.ts';
import { StreamListener } from './stream/stream-listener.ts';
import { defaultCertificate } from './tls/default-certificate.ts';

/** Where a started gateway listens. */
export interface GatewayAddresses {
  /** In the order of `options.proxy`. */
  readonly proxy: readonly (ListenAddress & { readonly isTls: boolean })[];
  readonly streams: readonly ListenAddress[];
  readonly admin: ListenAddress | undefined;
  readonly status: ListenAddress | undefined;
}

interface Stoppable {
  stop(graceMs: number): Promise<void>;
}

const loopback = '127.0.0.1';
const stopGraceMs = 5_000;

/**
 * A gateway in this process that speaks Kong's Admin API and routes as Kong does.
 *
 * @example
 * const gateway = new Gateway({ config: { _format_version: '3.0', services: [] } });
 * const { proxy, admin } = await gateway.start();
 * await gateway.stop();
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #source: StoreSource;
  readonly #settings: SnapshotSettings;
  readonly #runtime: PluginRuntime;
  readonly #balancers: BalancerRegistry;
  readonly #pools = new UpstreamPools();
  readonly #grpc = new GrpcSessions();
  readonly #health: HealthChecker;
  readonly #admin: AdminApi;
  readonly #metrics: GatewayMetrics;
  readonly #listeners: Stoppable[] = [];
  #snapshot: Snapshot;
  #journal: EntityJournal | undefined;
  #isRefreshDue = false;
  #isStopped = false;

  constructor(options: GatewayOptions = {}) {
    this.#options = options;
    const now = options.now ?? Date.now;
    const log = options.log ?? silentLog;
    this.#runtime = createPluginRuntime(now, log);
    const dns = new DnsCache(options.resolveName ?? systemResolver(), now);
    this.#balancers = new BalancerRegistry(dns, options.random ?? Math.random);
    this.#metrics = new GatewayMetrics(this.#balancers);
    const plugins = new Map<string, PluginDefinition<unknown>>();
    for (const plugin of [...builtInPlugins(options, this.#metrics), ...(options.plugins ?? [])]) {
      plugins.set(plugin.name, plugin as unknown as PluginDefinition<unknown>);
    }
    this.#settings = { flavor: options.flavor ?? 'traditional_compatible', plugins };
    const validation = {
      routerFlavor: this.#settings.flavor,
      checkExpression,
      now,
      ...ownSchemas(plugins),
    };
    this.#source = new StoreSource(validation, (change) => this.#onChange(change));
    this.#health = new HealthChecker(this.#balancers);
    this.#snapshot = new Snapshot(this.#source, this.#settings);
    this.#admin = new AdminApi({
      mode: options.mode ?? 'dbless',
      flavor: this.#settings.flavor,
      validation,
      source: this.#source,
      balancers: this.#balancers,
      metrics: this.#metrics,
      plugins,
      now,
      onReplaced: () => this.#refresh(),
      flush: () => this.#journal?.flush() ?? Promise.resolve(),
    });
  }

  /** What is configured. In DB-less mode it is replaced as a whole: read it anew each time. */
  get store(): EntityStore {
    return this.#source.store;
  }

  /** The Admin API as a function, for use without a port. */
  get admin(): AdminApi {
    return this.#admin;
  }

  async start(): Promise<GatewayAddresses> {
    if (this.#isStopped) {
      throw new GatewayError('WG_GATEWAY_STOPPED', 'a stopped gateway cannot be started again');
    }
    try {
      await this.#loadEntities();
      this.#refresh();
      return await this.#listen();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Ends all connections, after those that are busy had a moment, and leaves nothing behind. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#health.stop();
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.stop(stopGraceMs)));
    this.#grpc.close();
    await this.#pools.close();
    for (const plugin of this.#settings.plugins.values()) {
      await plugin.close?.();
    }
    await this.#journal?.close();
    this.#journal = undefined;
  }

  async #loadEntities(): Promise<void> {
    const { mode, directory, config } = this.#options;
    if (mode === 'database' && directory !== undefined) {
      this.#journal = await EntityJournal.open(directory, this.#source);
    }
    if (config !== undefined) {
      const problem = this.#admin.configure(config);
      if (problem !== undefined) {
        throw new GatewayError('WG_GATEWAY_CONFIG', `the configuration is refused: ${problem}`);
      }
    }
  }

  async #listen(): Promise<GatewayAddresses> {
    const options = this.#options;
    const fallback = await defaultCertificate();
    const handler = new HttpProxy({
      snapshot: () => this.#snapshot,
      balancers: this.#balancers,
      pools: this.#pools,
      grpc: this.#grpc,
      runtime: this.#runtime,
      trusted: trustedRange(options.trustedIps),
      areDebugHeadersAllowed: options.areDebugHeadersAllowed ?? false,
      onEnd: (context) => this.#onRequestEnd(context),
    });
    const tls = {
      fallback,
      contextFor: (name: string) => this.#snapshot.certificates.contextFor(name),
    };
    const proxy = [];
    for (const listen of options.proxy ?? defaultProxy) {
      const { isTls, clientCa, ...rest } = listen;
      const secure = { ...tls, ...(clientCa === undefined ? {} : { clientCa }) };
      const listener = new HttpListener({ ...rest, ...(isTls ? { tls: secure } : {}) }, handler);
      this.#listeners.push(listener);
      proxy.push({ ...(await listener.start()), isTls: isTls ?? false });
    }
    const streams: ListenAddress[] = [];
    for (const listen of options.streams ?? []) {
      const listener = new StreamListener({
        ...listen,
        tls,
        snapshot: () => this.#snapshot,
        balancers: this.#balancers,
        log: this.#runtime.log,
        onEnd: (facts) => this.#metrics.observeStream(facts),
      });
      this.#listeners.push(listener);
      streams.push(await listener.start());
    }
    return { proxy, streams, ...(await this.#listenAdmin()) };
  }

  async #listenAdmin(): Promise<Pick<GatewayAddresses, 'admin' | 'status'>> {
    const { admin = { host: loopback, port: 0 }, status } = this.#options;
    let adminAddress: ListenAddress | undefined;
    if (admin !== false) {
      const listener = new AdminListener(admin, this.#admin);
      this.#listeners.push(listener);
      adminAddress = await listener.start();
    }
    let statusAddress: ListenAddress | undefined;
    if (status !== undefined) {
      const listener = new AdminListener(status, this.#admin.statusOnly);
      this.#listeners.push(listener);
      statusAddress = await listener.start();
    }
    return { admin: adminAddress, status: statusAddress };
  }

  #onRequestEnd(context: RequestContext): void {
    this.#metrics.observe(context);
    if (this.#options.accessLog !== undefined) {
      this.#options.accessLog(formatAccessLine(context, this.#runtime.now()));
    }
  }

  /** A write of several entities makes one new snapshot, in the same turn that answers the writer. */
  #onChange(change: EntityChange): void {
    this.#journal?.append(change);
    if (!this.#isRefreshDue) {
      this.#isRefreshDue = true;
      queueMicrotask(() => {
        this.#isRefreshDue = false;
        this.#refresh();
      });
    }
  }

  #refresh(): void {
    this.#balancers.reconcile(this.#source);
    this.#snapshot = new Snapshot(this.#source, this.#settings, this.#snapshot);
    this.#pools.retain((address) => this.#balancers.knows(address));
    if (!this.#isStopped) {
      this.#health.reconcile();
    }
  }
}

const defaultProxy: readonly ProxyListenOptions[] = [
  { host: loopback, port: 0 },
  { host: loopback, port: 0, isTls: true },
];

const silentLog: GatewayLog = { warn: () => undefined, error: () => undefined };

function trustedRange(trusted: readonly string[] | undefined) {
  if (trusted === undefined || trusted.length === 0) {
    return undefined;
  }
  const range = parseAddressRanges(trusted);
  if (range === undefined) {
    throw new GatewayError('WG_GATEWAY_OPTION', `trustedIps has an entry that is no address`);
  }
  return range;
}

/** Lets the schema of a plugin that Kong does not have be found like any other. */
function ownSchemas(plugins: ReadonlyMap<string, PluginDefinition<unknown>>) {
  const own = [...plugins.values()].filter((plugin) => plugin.schema !== undefined);
  if (own.length === 0) {
    return {};
  }
  const parsed = new Map(
    own.map((plugin) => [
      plugin.name,
      parseSchema(`plugin-${plugin.name}`, plugin.schema as unknown as WireSchema),
    ]),
  );
  return { pluginSchema: (name: string) => parsed.get(name) ?? findPluginSchema(name) };
}
