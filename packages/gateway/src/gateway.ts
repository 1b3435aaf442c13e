import { randomBytes } from 'node:crypto';
import type { EntityStore, RouterFlavor } from '@waygate/kong';
import { DirectoryLock, makeStateDirectory } from '@waygate/text';
import { AdminApi } from './admin/admin-api.ts';
import { AdminListener } from './admin/admin-listener.ts';
import { type EntityCheck, entityChecks } from './admin/entity-checks.ts';
import { checkLoadedPlugins, removePlugins } from './admin/loaded-plugins.ts';
import { nodeListeners } from './admin/node-configuration.ts';
import { ownSchemas } from './admin/own-schemas.ts';
import { BalancerRegistry } from './balancer/balancer-registry.ts';
import { DnsCache } from './balancer/dns-cache.ts';
import { HealthChecker } from './balancer/health-checker.ts';
import { systemResolver } from './balancer/system-resolver.ts';
import { type EntityDifference, toUpdate } from './configuration/entity-difference.ts';
import { StoreSource } from './configuration/store-source.ts';
import { DataPlane } from './data-plane.ts';
import { GatewayError } from './gateway-error.ts';
import type {
  FurtherListener,
  GatewayOptions,
  ProxyListenOptions,
  RefusedListener,
  StreamListenOptions,
} from './gateway-options.ts';
import type { ListenAddress } from './listener/listening.ts';
import { GatewayMetrics } from './metrics/gateway-metrics.ts';
import type { PluginDefinition } from './plugin/plugin.ts';
import { createPluginRuntime, type GatewayLog } from './plugin/plugin-runtime.ts';
import { pluginMap } from './plugins/built-in-plugins.ts';
import { checkExpression } from './router/atc/check-expression.ts';
import { EntityJournal } from './storage/entity-journal.ts';
import { PluginStorages } from './storage/plugin-storage.ts';
import { defaultCertificate } from './tls/default-certificate.ts';
import { WorkerFleet } from './workers/worker-fleet.ts';

/** Where a started gateway listens. */
export interface GatewayAddresses {
  /** In the order of `options.proxy`. */
  readonly proxy: readonly (ListenAddress & { readonly isTls: boolean })[];
  readonly streams: readonly ListenAddress[];
  readonly admin: ListenAddress | undefined;
  readonly status: ListenAddress | undefined;
}

const loopback = '127.0.0.1';
const defaultDrainMs = 5_000;

/**
 * A gateway in this process that speaks Kong's Admin API and routes as Kong does. With `workers` the
 * requests are carried by processes of their own, and this one keeps the entities.
 *
 * @example
 * const gateway = new Gateway({ config: { _format_version: '3.0', services: [] } });
 * const { proxy, admin } = await gateway.start();
 * await gateway.stop();
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #flavor: RouterFlavor;
  readonly #log: GatewayLog;
  readonly #plugins: ReadonlyMap<string, PluginDefinition<unknown>>;
  readonly #checkLoaded: EntityCheck;
  readonly #source: StoreSource;
  readonly #balancers: BalancerRegistry;
  readonly #health: HealthChecker;
  readonly #admin: AdminApi;
  readonly #metrics = new GatewayMetrics();
  /** Carries everything, or with workers only what cannot be shared between processes: UDP. */
  readonly #plane: DataPlane;
  #fleet: WorkerFleet | undefined;
  #adminListeners: AdminListener[] = [];
  #addresses: GatewayAddresses | undefined;
  #journal: EntityJournal | undefined;
  #storages: PluginStorages | undefined;
  #lock: DirectoryLock | undefined;
  /** What changed since the proxy was last told. */
  #changes: EntityDifference[] = [];
  #isPublishDue = false;
  #isStopped = false;

  constructor(options: GatewayOptions = {}) {
    this.#options = options;
    const now = options.now ?? Date.now;
    const random = options.random ?? Math.random;
    this.#log = options.log ?? silentLog;
    this.#flavor = options.flavor ?? 'traditional_compatible';
    this.#plugins = pluginMap(options, this.#metrics);
    const checks = entityChecks(this.#flavor, this.#plugins, options.takesUnrunnablePlugins);
    this.#checkLoaded = checks.loaded;
    const validation = {
      routerFlavor: this.#flavor,
      checkExpression,
      checkEntity: checks.written,
      database: options.mode === 'database' ? ('postgres' as const) : ('off' as const),
      now,
      ...ownSchemas(this.#plugins, options.mode === 'database'),
    };
    this.#source = new StoreSource(validation, (difference) => this.#onChange(difference));
    this.#balancers = new BalancerRegistry({
      dns: new DnsCache(options.resolveName ?? systemResolver(), now),
      random,
      now,
      slowStartMs: options.slowStartMs ?? 0,
      health: { onChange: (health) => this.#fleet?.tellHealth(health) },
    });
    this.#health = new HealthChecker();
    const { proxy, streams } = this.#listens;
    this.#plane = new DataPlane({
      source: this.#source,
      settings: { flavor: this.#flavor, plugins: this.#plugins },
      balancers: this.#balancers,
      metrics: this.#metrics,
      runtime: createPluginRuntime(
        now,
        this.#log,
        (plugin, request) => this.#ask(plugin, request),
        (host, port) => this.#balancers.locate(host, port),
      ),
      trustedIps: options.trustedIps ?? [],
      areDebugHeadersAllowed: options.areDebugHeadersAllowed ?? false,
      accessLog: options.accessLog,
      countsRequests: options.countsRequests ?? false,
      limits: options.limits ?? {},
      proxy: this.#hasWorkers ? [] : proxy,
      streams: this.#hasWorkers ? streams.filter(isDatagram) : streams,
    });
    this.#admin = new AdminApi({
      mode: options.mode ?? 'dbless',
      flavor: this.#flavor,
      validation,
      source: this.#source,
      balancers: this.#balancers,
      plugins: this.#plugins,
      now,
      ask: (plugin, request) => this.#ask(plugin, request),
      reports: async () => [this.#metrics.report(), ...((await this.#fleet?.reports()) ?? [])],
      processIds: () => this.#fleet?.processIds ?? [process.pid],
      node: () => ({
        listeners: nodeListeners(options, this.#listens, this.#addresses),
        trustedIps: options.trustedIps ?? [],
        areDebugHeadersAllowed: options.areDebugHeadersAllowed ?? false,
      }),
      onReplaced: (differences) => {
        this.#changes = this.#changes.concat(differences);
        this.#publish();
      },
      storageProblem: () => this.#journal?.problem ?? this.#storages?.problem,
      publish: () => this.#publishDue(),
      flush: async () => {
        await this.#journal?.flush();
        await this.#fleet?.settled();
      },
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
      const listening = await this.#listen();
      this.#addresses = { ...listening, admin: undefined, status: undefined };
      this.#addresses = { ...listening, ...(await this.#listenAdmin()) };
      return this.#addresses;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /**
   * Opens further ports, and closes those of an earlier call that are not wanted any more. Returns
   * those that could not be opened.
   *
   * @example
   * const refused = await gateway.listenAlso([{ host: '127.0.0.2', port: 8080, kind: 'http' }]);
   */
  listenAlso(wanted: readonly FurtherListener[]): Promise<readonly RefusedListener[]> {
    if (this.#hasWorkers)
      throw new GatewayError('WG_GATEWAY_OPTION', 'workers open no ports later');
    return this.#plane.listenAlso(wanted);
  }

  /** Ends all connections, after those that are busy had a moment, and leaves nothing behind. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#health.stop();
    const graceMs = this.#options.drainMs ?? defaultDrainMs;
    await Promise.all([
      ...this.#adminListeners.splice(0).map((listener) => listener.stop(graceMs)),
      this.#plane.stop(graceMs),
      this.#fleet?.stop(graceMs),
    ]);
    await this.#journal?.close();
    this.#journal = undefined;
    await this.#storages?.close();
    this.#storages = undefined;
    await this.#lock?.release();
    this.#lock = undefined;
  }

  get #hasWorkers(): boolean {
    return (this.#options.workers ?? 0) > 0;
  }

  get #listens(): {
    readonly proxy: readonly ProxyListenOptions[];
    readonly streams: readonly StreamListenOptions[];
  } {
    return { proxy: this.#options.proxy ?? defaultProxy, streams: this.#options.streams ?? [] };
  }

  async #loadEntities(): Promise<void> {
    const { mode, directory, config } = this.#options;
    if (mode === 'database' && directory !== undefined) {
      makeStateDirectory(directory);
      this.#lock = await DirectoryLock.acquire(directory);
      this.#journal = await EntityJournal.open(directory, this.#source, this.#log.warn);
      await this.#openStorages(directory);
      removePlugins(this.#source, this.#options.removePlugins ?? []);
      await this.#journal.flush();
      checkLoadedPlugins(this.#source, this.#checkLoaded);
      this.#balancers.load(this.#source);
      this.#health.reconcile({ kept: [...this.#balancers.balancers], gone: [] });
      this.#plane.load();
    }
    if (config !== undefined) {
      const problem = this.#admin.configure(config);
      if (problem !== undefined) {
        throw new GatewayError('WG_GATEWAY_CONFIG', `the configuration is refused: ${problem}`);
      }
    }
  }

  async #openStorages(directory: string): Promise<void> {
    this.#storages = await PluginStorages.open(directory, this.#log.warn);
    const now = (this.#options.now ?? Date.now)();
    for (const plugin of this.#plugins.values()) plugin.open?.(this.#storages.of(plugin.name), now);
  }

  async #listen(): Promise<Pick<GatewayAddresses, 'proxy' | 'streams'>> {
    const certificate = await defaultCertificate(this.#options.certificateDirectory);
    const own = await this.#plane.listen({ certificate });
    if (!this.#hasWorkers) return own;
    const { proxy, streams } = this.#listens;
    const options = this.#options;
    const { plugins = [], pluginModules = [] } = options;
    if (plugins.length > 0 && pluginModules.length === 0) {
      throw new GatewayError(
        'WG_GATEWAY_OPTION',
        'workers cannot be given plugins as functions: name their modules in pluginModules',
      );
    }
    this.#fleet = new WorkerFleet({
      count: options.workers ?? 0,
      settings: {
        flavor: this.#flavor,
        proxy,
        streams: streams.filter((stream) => !isDatagram(stream)),
        trustedIps: options.trustedIps ?? [],
        areDebugHeadersAllowed: options.areDebugHeadersAllowed ?? false,
        limits: options.limits ?? {},
        isAccessLogged: options.accessLog !== undefined,
        countsRequests: options.countsRequests ?? false,
        isFileAccessAllowed: options.isFileAccessAllowed ?? false,
        syslog: options.syslog,
        pluginModules,
        slowStartMs: options.slowStartMs ?? 0,
        certificate,
        ticketKeys: randomBytes(48),
      },
      entities: () => this.#source.everything(),
      ask: (plugin, request) => this.#ask(plugin, request),
      onPassive: (upstream, authority, event) =>
        void this.#balancers.reportPassive(upstream, authority, event),
      accessLog: options.accessLog,
      log: this.#log,
    });
    const shared = await this.#fleet.start();
    const [datagrams, others] = [[...own.streams], [...shared.streams]];
    return {
      proxy: shared.proxy,
      streams: streams.map((stream) => {
        const address = (isDatagram(stream) ? datagrams : others).shift();
        return address ?? { host: stream.host, port: stream.port };
      }),
    };
  }

  async #listenAdmin(): Promise<Pick<GatewayAddresses, 'admin' | 'status'>> {
    const { admin = { host: loopback, port: 0 }, status } = this.#options;
    let adminAddress: ListenAddress | undefined;
    if (admin !== false) {
      const listener = new AdminListener(admin, this.#admin);
      this.#adminListeners.push(listener);
      adminAddress = await listener.start();
    }
    let statusAddress: ListenAddress | undefined;
    if (status !== undefined) {
      const listener = new AdminListener(status, this.#admin.statusOnly);
      this.#adminListeners.push(listener);
      statusAddress = await listener.start();
    }
    return { admin: adminAddress, status: statusAddress };
  }

  #ask(plugin: string, request: unknown): unknown {
    const serve = this.#plugins.get(plugin)?.serve;
    if (serve === undefined) {
      throw new GatewayError('WG_GATEWAY_OPTION', `the plugin ${plugin} serves no requests`);
    }
    return serve(request);
  }

  /** A write of several entities makes one new snapshot, in the same turn that answers the writer. */
  #onChange(difference: EntityDifference): void {
    this.#journal?.append(difference, () => this.#tell(this.#source.undo(difference)));
    this.#tell(difference);
  }

  #tell(difference: EntityDifference): void {
    this.#changes.push(difference);
    if (!this.#isPublishDue) {
      this.#isPublishDue = true;
      queueMicrotask(() => this.#publishDue());
    }
  }

  #publishDue(): void {
    if (this.#isPublishDue) this.#publish();
  }

  #forgetDeleted(changes: readonly EntityDifference[]): void {
    const plugins = [...this.#plugins.values()].filter((plugin) => plugin.forget !== undefined);
    for (const { collection, id, after } of changes) {
      if (after === undefined) {
        for (const plugin of plugins) plugin.forget?.(collection, id);
      }
    }
  }

  #publish(): void {
    const changes = this.#changes;
    this.#changes = [];
    this.#isPublishDue = false;
    this.#forgetDeleted(changes);
    this.#fleet?.publish(changes.map(toUpdate));
    const changed = this.#balancers.change(this.#source, changes);
    if (!this.#isStopped) this.#health.reconcile(changed);
    if (!this.#hasWorkers || this.#listens.streams.some(isDatagram)) this.#plane.change(changes);
  }
}

const defaultProxy: readonly ProxyListenOptions[] = [
  { host: loopback, port: 0 },
  { host: loopback, port: 0, isTls: true },
];

const silentLog: GatewayLog = { warn: () => undefined, error: () => undefined };

/** Datagrams of one client must all reach the same process. */
function isDatagram(stream: StreamListenOptions): boolean {
  return stream.kind === 'udp';
}
