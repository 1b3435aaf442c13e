import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { AdminClient, dumpConfig, readState } from '@waygate/kong';
import { type Clock, CoreEventRecorder, coreEventSink, systemClock } from '@waygate/runtime';
import type { HeldConfig } from '../fallback/held-config.ts';
import { IngressMetrics } from '../metrics/controller-metrics.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { DatabaseSync, type DatabaseSyncOptions } from '../sync/database-sync.ts';
import { DblessSync } from '../sync/dbless-sync.ts';
import { resolveOptions } from '../translate/options.ts';
import { ConfigurationLoop, type PassReport } from './configuration-loop.ts';
import { makeFeeds } from './controller-feeds.ts';
import {
  defaultFilterTags,
  type IngressControllerOptions,
  type LogRecord,
} from './controller-options.ts';
import type { ControllerParts } from './controller-parts.ts';
import { type ControllerAddresses, ControllerServers } from './controller-servers.ts';
import { DiffReport } from './diff-report.ts';
import { GatewayDiscovery } from './gateway-discovery.ts';
import { type GatewayFacts, gatewayFacts } from './gateway-facts.ts';
import { fixedGateways, type GatewaySource } from './gateway-source.ts';
import { Leadership } from './leadership.ts';
import { PassEvents } from './pass-events.ts';
import { ProbeServers } from './probe-servers.ts';
import { StatusReporter } from './status-reporter.ts';

/**
 * The ingress controller: follows a cluster, translates it, brings Kong to it, and writes back what
 * came of it.
 *
 * @example
 * const controller = new IngressController({
 *   client,
 *   kongAdmin: new AdminClient({ url: 'http://127.0.0.1:8001' }),
 * });
 * await controller.run(signal);
 */
export class IngressController {
  readonly #options: IngressControllerOptions;
  readonly #clock: Clock;
  readonly #gateways: GatewaySource;
  readonly #probes: ProbeServers;
  readonly #readyWaiters: (() => void)[] = [];
  #parts: ControllerParts | undefined;
  #isReady = false;
  #isSynced = false;
  #lastPass: PassReport | undefined;

  constructor(options: IngressControllerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#gateways = this.#gatewaySource();
    this.#probes = new ProbeServers({
      options,
      clock: this.#clock,
      isReady: () => this.#isReadyToServe(),
      metrics: () => this.#parts?.registry,
      onError: this.#onError,
    });
  }

  /** Whether the gateways have taken a configuration. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get isLeader(): boolean {
    return this.#parts?.leadership.isLeader ?? false;
  }

  /** Where the controller's own servers listen. */
  get addresses(): ControllerAddresses {
    return { ...this.#probes.addresses, ...this.#parts?.servers.addresses };
  }

  /** How the latest pass ended, for diagnostics. */
  get lastPass(): PassReport | undefined {
    return this.#lastPass;
  }

  /** How many Secrets, ConfigMaps and Endpoints are known, and of how many the content is kept. */
  get onDemandCounts(): { readonly known: number; readonly kept: number } {
    return this.#parts?.onDemand.counts ?? { known: 0, kept: 0 };
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
      await this.#probes.listen();
      const facts = await gatewayFacts(this.#gateways, this.#clock, signal, this.#onError);
      if (facts === undefined) return;
      this.#log('info', 'the gateway answers', { ...facts });
      await this.#runWith(this.#makeParts(facts), signal);
    } finally {
      ending.abort();
      await this.#probes.close();
      await watching;
    }
  }

  async #runWith(parts: ControllerParts, signal: AbortSignal): Promise<void> {
    this.#parts = parts;
    const { loop, feed, onDemand, servers, leadership, statuses, recorder, writer } = parts;
    try {
      await servers.listen(signal);
    } catch (error) {
      await servers.close();
      throw error;
    }
    await feed.start(signal);
    // Which of the others are needed is known when these have been looked at.
    loop.prepare();
    if (!signal.aborted) await onDemand.start(signal);
    if (signal.aborted) {
      await Promise.all([feed.run(signal), onDemand.run(), servers.close()]);
      return;
    }
    this.#isSynced = true;
    this.#log('info', 'the caches are in sync', { ...onDemand.counts });
    // Statuses and events are written until everything else has stopped.
    const writing = new AbortController();
    const writers = Promise.all([recorder.run(writing.signal), writer.run(writing.signal)]);
    let wasLeader = false;
    signal.addEventListener('abort', () => {
      wasLeader = leadership.isLeader;
    });
    try {
      await Promise.all([
        feed.run(signal),
        onDemand.run(),
        loop.run(signal),
        leadership.run(signal),
        statuses.run(signal),
        servers.run(signal),
      ]);
      if (wasLeader && this.#options.updateStatusOnShutdown) await statuses.withdraw();
    } finally {
      await servers.close();
      writing.abort();
      await writers;
    }
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

  #makeParts(facts: GatewayFacts): ControllerParts {
    const { client, emitEvents = true, updateStatus = true } = this.#options;
    const clock = this.#clock;
    const onError = this.#onError;
    const recorder = new CoreEventRecorder({
      sink: coreEventSink(client),
      source: { component: 'kong-client' },
      clock,
      onError,
    });
    const writer = new StatusWriter({ client, clock, onError });
    const metrics = new IngressMetrics(
      facts.isDbless ? 'db-less' : 'deck',
      this.#options.instanceId ?? randomUUID(),
    );
    const diffs = new DiffReport(clock);
    const events = new PassEvents({
      recorder,
      client,
      pod: this.#options.pod,
      holdMs: this.#options.eventHoldMs,
      clock,
      isLeader: () => leadership.isLeader,
      problemsNow: () => loop.snapshot().problems,
      onError,
    });
    const leadership = new Leadership({
      client,
      clock,
      election: this.#election(facts),
      onStart: () => loop.requestFullPass(),
      onError,
    });
    const isActive = () => this.#isActive(facts, leadership);
    const loop: ConfigurationLoop = this.#makeLoop(facts, {
      isActive,
      fetch: (keys, signal) => onDemand.fetch(keys, signal),
      readHeld: (signal) => this.#readHeld(signal),
      onPush: (push) => metrics.push(push, loop.isFallback, clock.now()),
      onWritten: (operations) => diffs.add(operations),
      onFallback: (durationMs) => metrics.fallback(durationMs),
      onPass: (report) => {
        this.#notePass(report);
        const { isFallback } = loop;
        metrics.pass(report, isFallback);
        const tlsProblems = servers.passed(report);
        if (emitEvents) events.pass(report, tlsProblems, isFallback);
        if (updateStatus && leadership.isLeader) statuses.report(report);
        if (report.snapshot !== undefined) onDemand.sweep();
      },
    });
    const statuses = new StatusReporter({
      ...this.#options,
      clock,
      writer,
      loop,
      onError,
      prefersNodes: this.#options.translate?.naming === 'legacy',
    });
    const servers = new ControllerServers({
      options: this.#options,
      facts,
      loop,
      admin: () => this.#gateways.gateways()[0],
      clock,
      diffs,
      fetch: (keys, signal) => onDemand.fetch(keys, signal),
      isLeader: () => leadership.isLeader,
      onError,
    });
    const { feed, onDemand } = makeFeeds(this.#options, loop, clock, onError);
    const { registry } = metrics;
    return {
      facts,
      loop,
      leadership,
      feed,
      onDemand,
      recorder,
      writer,
      statuses,
      servers,
      registry,
    };
  }

  /** Every replica feeds its own gateway without a database; else there is one writer. */
  #isActive(facts: GatewayFacts, leadership: Leadership): boolean {
    return (facts.isDbless && !this.#gateways.isDiscovered) || leadership.isLeader;
  }

  /** One that waits for its turn to lead is ready when it could: its gateways are another's. */
  #isReadyToServe(): boolean {
    if (this.#isReady || this.#parts === undefined) return this.#isReady;
    return this.#isSynced && !this.#isActive(this.#parts.facts, this.#parts.leadership);
  }

  #election(facts: GatewayFacts) {
    const { leaderElection = false } = this.#options;
    if (leaderElection === false) return false;
    const { isNeededOnly = false, ...settings } = leaderElection;
    const isNeeded = !facts.isDbless || this.#gateways.isDiscovered;
    return isNeeded || !isNeededOnly ? settings : false;
  }

  #makeLoop(
    facts: GatewayFacts,
    parts: Pick<
      ConstructorParameters<typeof ConfigurationLoop>[0],
      'fetch' | 'isActive' | 'onFallback' | 'onPass' | 'readHeld'
    > &
      Required<Pick<DatabaseSyncOptions, 'onPush' | 'onWritten'>>,
  ): ConfigurationLoop {
    const options = resolveOptions({
      kongVersion: facts.kongVersion,
      isKongEnterprise: facts.isEnterprise,
      routerFlavor: facts.routerFlavor,
      ...this.#options.translate,
      onlyAttachedRoutes: true,
    });
    return new ConfigurationLoop({
      ...parts,
      options,
      sync: facts.isDbless
        ? new DblessSync(() => this.#gateways.gateways(), this.#clock, parts.onPush)
        : this.#databaseSync(parts),
      clock: this.#clock,
      settleMs: this.#options.settleMs ?? 2,
      maxPauseMs: this.#options.maxPauseMs ?? 3_000,
      resyncCheckMs: this.#options.resyncCheckMs ?? 3_000,
      onError: this.#onError,
    });
  }

  /** What a gateway holds of ours. */
  async #readHeld(signal: AbortSignal): Promise<HeldConfig | undefined> {
    const [admin] = this.#gateways.gateways();
    if (admin === undefined) return undefined;
    const tags = this.#parts?.facts.isDbless ? [] : (this.#options.filterTags ?? defaultFilterTags);
    const state = await readState(admin, { tags, signal });
    return dumpConfig(state, { withIds: true, selectTags: tags }) as HeldConfig;
  }

  #databaseSync({
    onPush,
    onWritten,
  }: Required<Pick<DatabaseSyncOptions, 'onPush' | 'onWritten'>>): DatabaseSync {
    const { filterTags, adminConcurrency, fullComparisonMs, skipsCaCertificates } = this.#options;
    return new DatabaseSync({
      client: () => this.#gateways.gateways()[0],
      clock: this.#clock,
      onPush,
      onWritten,
      filterTags: filterTags ?? defaultFilterTags,
      ...(adminConcurrency === undefined ? {} : { concurrency: adminConcurrency }),
      ...(fullComparisonMs === undefined ? {} : { fullComparisonMs }),
      ...(skipsCaCertificates === undefined ? {} : { skipsCaCertificates }),
    });
  }

  #notePass(report: PassReport): void {
    this.#lastPass = report;
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
