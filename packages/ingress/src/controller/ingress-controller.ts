import { setMaxListeners } from 'node:events';
import { AdminClient } from '@waygate/kong';
import {
  AccessReview,
  aborted,
  type Clock,
  HealthServer,
  Operator,
  type OperatorOptions,
  prometheusMetrics,
  systemClock,
} from '@waygate/runtime';
import type { PassReport } from '../sync/pass-report.ts';
import { RevisionTracing } from '../tracing/revision-tracing.ts';
import type { IngressControllerOptions, LogRecord } from './controller-options.ts';
import { assembleParts, type ControllerParts } from './controller-parts.ts';
import type { ControllerAddresses } from './controller-servers.ts';
import { GatewayDiscovery } from './gateway-discovery.ts';
import { type GatewayFacts, gatewayFacts } from './gateway-facts.ts';
import { fixedGateways, type GatewaySource } from './gateway-source.ts';
import { IngressRivals, servedNamespaces } from './ingress-rivals.ts';

/**
 * The ingress controller: follows a cluster, translates it, brings Kong to it, and writes back what
 * came of it.
 *
 * ```ts
 * const controller = new IngressController({
 *   client,
 *   kongAdmin: new AdminClient({ url: 'http://127.0.0.1:8001' }),
 * });
 * await controller.run(signal);
 * ```
 */
export class IngressController {
  readonly #options: IngressControllerOptions;
  readonly #clock: Clock;
  readonly #gateways: GatewaySource;
  readonly #metrics = prometheusMetrics();
  /**
   * Both answer from the start: who waits for a gateway that does not answer yet is alive and not
   * ready, and a kubelet that hears nothing would end it.
   */
  readonly #health: HealthServer | undefined;
  readonly #scraped: HealthServer | undefined;
  readonly #readyWaiters: (() => void)[] = [];
  /** Once a gateway is known. */
  #parts: ControllerParts | undefined;
  /** This replica is the one that writes; it may become that, and cease to be it, at any time. */
  #isLeader = false;
  /** By the clock: who stood still for too long does not lead, whatever it was told last. */
  #holdsLease: () => boolean = () => false;
  /** It writes to gateways that nobody else does, whoever leads. */
  #feedsOwnGateway = false;
  #isReady = false;
  #isSynced = false;
  #lastPass: PassReport | undefined;

  constructor(options: IngressControllerOptions) {
    const { client, health, metrics } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#gateways = this.#gatewaySource();
    const shared = { clock: this.#clock, metrics: this.#metrics.registry };
    if (health !== undefined) this.#health = new HealthServer({ ...health, ...shared });
    this.#health?.addReadyCheck('configuration', () => {
      if (!this.#isReadyToServe()) throw new Error('the gateways have no configuration yet');
    });
    if (metrics === undefined) return;
    const { isRestricted, ...listen } = metrics;
    this.#scraped = new HealthServer({
      ...listen,
      ...shared,
      access: isRestricted ? new AccessReview(client, this.#clock) : undefined,
      onFailure: (_, error) => this.#onError(error),
    });
  }

  /** Whether the gateways have taken a configuration. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get isLeader(): boolean {
    return this.#isLeader && this.#holdsLease();
  }

  /** The Admin APIs of the gateways that are known now. */
  get gateways(): readonly AdminClient[] {
    return this.#gateways.gateways();
  }

  /** Where the controller's own servers listen. */
  get addresses(): ControllerAddresses {
    const health = this.#health?.address;
    const metrics = this.#scraped?.address;
    return {
      ...(health && { health }),
      ...(metrics && { metrics }),
      ...this.#parts?.servers.addresses,
    };
  }

  /** How the latest pass ended, for diagnostics. */
  get lastPass(): PassReport | undefined {
    return this.#lastPass;
  }

  /** How many Secrets, ConfigMaps and Endpoints are known, and of how many the content is kept. */
  get onDemandCounts(): { readonly known: number; readonly kept: number } {
    return this.#parts?.feeds.counts ?? { known: 0, kept: 0 };
  }

  /** Resolves when the gateways have taken a first configuration. */
  async waitUntilReady(signal?: AbortSignal): Promise<boolean> {
    if (this.#isReady) return true;
    return new Promise((resolve) => {
      this.#readyWaiters.push(() => resolve(true));
      signal?.addEventListener('abort', () => resolve(false), { once: true });
    });
  }

  /** Runs until the signal aborts; ends when everything that it started has ended. */
  async run(stop: AbortSignal): Promise<void> {
    // What watches the gateways ends with the run, also when that ends by an error.
    const ending = new AbortController();
    const signal = AbortSignal.any([stop, ending.signal]);
    // One listener for each informer and loop: their number is no leak.
    setMaxListeners(0, signal);
    const watching = this.#gateways.start(signal).then(() => this.#gateways.run(signal));
    try {
      await this.#health?.listen();
      await this.#scraped?.listen();
      const facts = await gatewayFacts(
        this.#gateways,
        this.#clock,
        signal,
        this.#onError,
        this.#options.translate?.nginx !== undefined,
      );
      if (facts === undefined) return;
      const { nginx, ...said } = facts;
      const plugins = nginx && { nginxPlugins: [...(nginx.availablePlugins ?? [])].join(' ') };
      this.#log('info', 'the gateway answers', { ...said, ...plugins });
      await this.#operate(facts, signal);
    } finally {
      ending.abort();
      await this.#scraped?.close();
      await this.#health?.close();
      await watching;
    }
  }

  /** What runs once it is known what the gateways are, in the stages of a manager. */
  async #operate(facts: GatewayFacts, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    this.#feedsOwnGateway = facts.isDbless && !this.#gateways.isDiscovered;
    const operator = new Operator({
      name: 'kong-client',
      client,
      metrics: this.#metrics,
      leaderElection: this.#election(),
      // The first lists may take as long as they need.
      cacheSyncTimeoutMs: Number.MAX_SAFE_INTEGER,
      onError: this.#onError,
      ...(clock && { clock }),
      ...(this.#health && { server: this.#health }),
    });
    const { manager } = operator;
    this.#holdsLease = () => manager.isLeading;
    const { tracer } = this.#options;
    const tracing =
      tracer && new RevisionTracing({ client, tracer, clock: this.#clock, onError: this.#onError });
    if (tracing !== undefined)
      manager.add({ name: 'traces', run: (stop) => tracing.run(stop) }, 'services');
    const rivals = this.#rivals(operator);
    const parts = assembleParts({
      options: this.#options,
      facts,
      gateways: this.#gateways,
      clock: this.#clock,
      metrics: this.#metrics,
      recorder: operator.events,
      leader: operator.client,
      isLeader: () => this.isLeader,
      isActive: () => this.#isActive,
      onPass: (report) => {
        this.#notePass(report);
        tracing?.pass(report);
      },
      onUndone: rivals && ((object) => rivals.sawUndone(object)),
      onError: this.#onError,
    });
    this.#parts = parts;
    const { loop, feeds, writer, statuses, servers } = parts;
    // Statuses and events are written until everything else has stopped.
    manager.add({ name: 'status writer', run: (stop) => writer.run(stop) }, 'services');
    manager.add({ name: 'servers', run: (stop) => servers.run(stop) }, 'services');
    manager.add(
      {
        name: 'cluster',
        run: (stop) => feeds.run(stop),
        waitForSync: async (stop) => {
          this.#isSynced = await feeds.waitForSync(stop);
          if (this.#isSynced) this.#log('info', 'the caches are in sync', { ...feeds.counts });
          return this.#isSynced;
        },
      },
      'caches',
    );
    manager.add({ name: 'configuration', run: (stop) => loop.run(stop) }, 'runnables');
    manager.add({ name: 'addresses', run: (stop) => statuses.run(stop) }, 'runnables');
    if (rivals !== undefined) manager.add(rivals.leases, 'caches');
    manager.add(
      { name: 'leader', run: (stop) => this.#lead(parts, rivals, stop, signal) },
      'leaders',
    );
    try {
      await servers.listen(signal);
      await operator.run(signal);
    } finally {
      await servers.close();
    }
  }

  /** Leads until leading ends; the last to end may take our addresses out of statuses. */
  async #lead(
    { loop, statuses }: ControllerParts,
    rivals: IngressRivals | undefined,
    leading: AbortSignal,
    running: AbortSignal,
  ): Promise<void> {
    const settle = () => {
      const leads = !leading.aborted && rivals?.current === undefined;
      if (leads === this.#isLeader) return;
      this.#isLeader = leads;
      if (!leads) return;
      if (this.#feedsOwnGateway) loop.requestFullPass();
      else loop.takeOver();
    };
    const forget = rivals?.onChange(settle);
    settle();
    await aborted(leading);
    forget?.();
    const hasLed = this.#isLeader;
    this.#isLeader = false;
    if (running.aborted && hasLed && this.#options.updateStatusOnShutdown)
      await statuses.withdraw();
  }

  /** Looks out for others who act, where that was asked for. */
  #rivals({ events }: Operator): IngressRivals | undefined {
    const {
      client,
      standsAside,
      translate,
      leaderElection = false,
      onStandingAside,
    } = this.#options;
    if (standsAside !== true) return undefined;
    const ingressClass = translate?.ingressClass ?? 'kong';
    return new IngressRivals({
      client,
      ingressClass,
      namespaces: () =>
        this.#parts === undefined ? 0 : servedNamespaces(this.#parts.loop.objects, ingressClass),
      ownLease:
        leaderElection === false ? undefined : `${leaderElection.namespace}/${leaderElection.name}`,
      clock: this.#clock,
      recorder: events,
      onChange: onStandingAside,
      onError: this.#onError,
    });
  }

  #gatewaySource(): GatewaySource {
    const { kongAdmin, client } = this.#options;
    if (kongAdmin instanceof AdminClient) return fixedGateways([kongAdmin]);
    if (!('service' in kongAdmin)) return fixedGateways(kongAdmin);
    return new GatewayDiscovery({
      ...kongAdmin,
      client,
      clock: this.#clock,
      onError: this.#onError,
      onChange: () => {
        const { length } = this.#gateways.gateways();
        this.#log('info', 'other gateways answer now', { gateways: length });
        this.#parts?.loop.requestFullPass();
      },
    });
  }

  /** Every replica feeds its own gateway without a database; else there is one writer. */
  get #isActive(): boolean {
    return this.#feedsOwnGateway || this.isLeader;
  }

  /** One that waits for its turn to lead is ready when it could: its gateways are another's. */
  #isReadyToServe(): boolean {
    return this.#isReady || (this.#isSynced && !this.#isActive);
  }

  #election(): NonNullable<OperatorOptions['leaderElection']> {
    const { leaderElection = false } = this.#options;
    if (leaderElection === false) return false;
    const { isNeededOnly = false, ...settings } = leaderElection;
    const isNeeded = !this.#feedsOwnGateway || !isNeededOnly;
    // Who lost the Lease goes on to feed gateways of its own, and may get it back.
    return isNeeded && { ...settings, standsAgain: true };
  }

  #notePass(report: PassReport): void {
    this.#lastPass = report;
    this.#options.onPass?.(report);
    const { outcome } = report;
    if (outcome.kind === 'applied') {
      this.#log('info', 'the gateways have a new configuration', {
        writes: outcome.writes,
        translationMs: Math.round(report.translationMs),
        syncMs: Math.round(report.syncMs),
      });
    } else if (outcome.kind !== 'unchanged') {
      this.#log('error', `the configuration could not be applied: ${outcome.error.message}`, {
        rejected: report.rejected.map(
          ({ object }) => `${object.kind} ${object.namespace}/${object.name}`,
        ),
      });
      return;
    }
    this.#isReady = true;
    for (const resolve of this.#readyWaiters.splice(0)) resolve();
  }

  readonly #onError = (error: unknown): void => {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const fields = cause instanceof Error ? { cause: cause.message } : undefined;
    this.#log('warn', message, fields);
  };

  #log(level: LogRecord['level'], message: string, fields?: Record<string, unknown>): void {
    this.#options.onLog?.({ level, message, ...(fields === undefined ? {} : { fields }) });
  }
}
