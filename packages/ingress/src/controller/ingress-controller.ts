import { setMaxListeners } from 'node:events';
import { AdminClient } from '@waygate/kong';
import {
  type Clock,
  CoreEventRecorder,
  coreEventSink,
  LeaderElector,
  LeaseLock,
  leaseClient,
  systemClock,
} from '@waygate/runtime';
import { IngressMetrics } from '../metrics/controller-metrics.ts';
import type { LoadBalancerIngress } from '../objects/ingress.ts';
import type { Service } from '../objects/service.ts';
import { publishedAddresses } from '../status/addresses.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { DatabaseSync } from '../sync/database-sync.ts';
import { DblessSync } from '../sync/dbless-sync.ts';
import { resolveOptions } from '../translate/options.ts';
import { ClusterFeed } from './cluster-feed.ts';
import { ConfigurationLoop, type PassReport } from './configuration-loop.ts';
import {
  defaultFilterTags,
  type IngressControllerOptions,
  type LogRecord,
} from './controller-options.ts';
import { type ControllerAddresses, ControllerServers } from './controller-servers.ts';
import { type GatewayFacts, gatewayFacts } from './gateway-facts.ts';
import { ProblemReporter } from './problem-reporter.ts';
import {
  addressPatches,
  gatewayApiPatches,
  liveObjects,
  programmedPatches,
} from './status-reports.ts';
import { watchedKinds } from './watched-kinds.ts';

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
  readonly #admins: readonly AdminClient[];
  readonly #readyWaiters: (() => void)[] = [];
  #loop: ConfigurationLoop | undefined;
  #isLeader = false;
  #isReady = false;
  #lastPass: PassReport | undefined;
  #servers: ControllerServers | undefined;

  constructor(options: IngressControllerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const { kongAdmin } = options;
    this.#admins = kongAdmin instanceof AdminClient ? [kongAdmin] : kongAdmin;
  }

  /** Whether the gateways have taken a configuration. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Where the controller's own servers listen. */
  get addresses(): ControllerAddresses {
    return this.#servers?.addresses ?? {};
  }

  /** How the latest pass ended, for diagnostics. */
  get lastPass(): PassReport | undefined {
    return this.#lastPass;
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
    const signal = AbortSignal.any([stop]);
    // One listener for each informer and loop: their number is no leak.
    setMaxListeners(0, signal);
    const onError = (error: unknown) =>
      this.#log('warn', error instanceof Error ? error.message : String(error));
    const [first] = this.#admins;
    if (first === undefined) throw new Error('no Admin API was given');
    const facts = await gatewayFacts(first, this.#clock, signal, onError);
    if (facts === undefined) return;
    this.#log('info', 'the gateway answers', { ...facts });
    const recorder = new CoreEventRecorder({
      sink: coreEventSink(this.#options.client),
      source: { component: 'kong-client' },
      clock: this.#clock,
      onError,
    });
    const statuses = new StatusWriter({
      client: this.#options.client,
      clock: this.#clock,
      onError,
    });
    const metrics = new IngressMetrics(
      facts.isDbless ? 'db-less' : 'deck',
      String(this.#admins.length),
    );
    const loop = this.#makeLoop(facts, recorder, statuses, metrics, onError);
    this.#loop = loop;
    const servers = new ControllerServers({
      options: this.#options,
      facts,
      loop,
      admins: this.#admins,
      clock: this.#clock,
      metrics: metrics.registry,
      isReady: () => this.#isReady,
      onError,
    });
    this.#servers = servers;
    await servers.listen();
    const feed = new ClusterFeed({
      client: this.#options.client,
      kinds: this.#kinds(),
      namespaces: this.#options.watchNamespaces ?? [],
      ...(this.#options.secretLabelSelector === undefined
        ? {}
        : { secretLabelSelector: this.#options.secretLabelSelector }),
      clock: this.#clock,
      onChange: (change) => loop.change(change),
      onError,
    });
    await feed.start(signal);
    if (signal.aborted) {
      await Promise.all([feed.run(signal), servers.close()]);
      return;
    }
    this.#log('info', 'the caches are in sync');
    // Statuses and events are written until everything else has stopped.
    const writing = new AbortController();
    const writers = Promise.all([recorder.run(writing.signal), statuses.run(writing.signal)]);
    try {
      await Promise.all([
        feed.run(signal),
        loop.run(signal),
        this.#lead(signal, loop, onError),
        servers.run(signal),
      ]);
    } finally {
      await servers.close();
      writing.abort();
      await writers;
    }
  }

  #kinds() {
    const disabled = new Set(this.#options.disabledControllers ?? []);
    return watchedKinds.filter(({ flag }) => flag === undefined || !disabled.has(flag));
  }

  #makeLoop(
    facts: GatewayFacts,
    recorder: CoreEventRecorder,
    statuses: StatusWriter,
    metrics: IngressMetrics,
    onError: (error: unknown) => void,
  ): ConfigurationLoop {
    const { translate = {}, emitEvents = true, updateStatus = true } = this.#options;
    const options = resolveOptions({
      kongVersion: facts.kongVersion,
      isKongEnterprise: facts.isEnterprise,
      routerFlavor: facts.routerFlavor,
      ...translate,
      onlyAttachedRoutes: true,
    });
    const translation = new ProblemReporter(recorder, 'KongConfigurationTranslationFailed');
    const application = new ProblemReporter(recorder, 'KongConfigurationApplyFailed');
    return new ConfigurationLoop({
      options,
      sync: facts.isDbless ? new DblessSync(() => this.#admins) : this.#databaseSync(),
      clock: this.#clock,
      settleMs: this.#options.settleMs ?? 2,
      maxPauseMs: this.#options.maxPauseMs ?? 3_000,
      resyncCheckMs: this.#options.resyncCheckMs ?? 3_000,
      // Every replica feeds its own gateway without a database; a database has one writer.
      isActive: () => facts.isDbless || this.#isLeader,
      onPass: (report) => {
        this.#notePass(report);
        const isFallback = (this.#loop?.excludedCount ?? 0) > 0;
        metrics.pass(report, isFallback, this.#clock.now());
        const tlsProblems = this.#servers?.passed(report) ?? [];
        if (emitEvents) {
          if (report.snapshot !== undefined) translation.replace(report.snapshot.problems);
          else translation.add(report.services.flatMap(({ problems }) => [...problems]));
          application.add(report.rejected);
          translation.add(tlsProblems);
        }
        if (updateStatus && this.#isLeader) this.#writeStatuses(report, statuses);
      },
      onError,
    });
  }

  #databaseSync(): DatabaseSync {
    const { filterTags, adminConcurrency, fullComparisonMs, skipsCaCertificates } = this.#options;
    return new DatabaseSync({
      client: this.#admins[0]!,
      clock: this.#clock,
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

  #writeStatuses(report: PassReport, statuses: StatusWriter): void {
    const loop = this.#loop;
    const { kind } = report.outcome;
    if (loop === undefined || (kind !== 'applied' && kind !== 'unchanged')) return;
    const { snapshot } = report;
    const translated =
      snapshot?.translated ?? new Set(report.services.flatMap((one) => [...one.translated]));
    const live = liveObjects(translated);
    const problems = snapshot?.problems ?? report.services.flatMap((one) => [...one.problems]);
    const now = new Date(this.#clock.now());
    const addresses = this.#addresses(loop);
    if (addresses.length > 0) statuses.write(addressPatches(translated, addresses));
    const objects = snapshot === undefined ? translated : [...loop.objects.all()];
    const wrong = [...problems, ...report.rejected].map(({ object }) => object);
    statuses.write(programmedPatches(objects, live, wrong, now));
    statuses.write(
      gatewayApiPatches({
        reader: loop.objects,
        controllerName: loop.options.gatewayControllerName,
        objects,
        live,
        problems,
        addresses,
        now,
      }),
    );
  }

  #addresses(loop: ConfigurationLoop): LoadBalancerIngress[] {
    const { publishStatusAddress = [], publishService = '' } = this.#options;
    const [namespace = '', name = ''] = publishService.split('/');
    const service = loop.objects.get<Service>('Service', namespace, name);
    return publishedAddresses(publishStatusAddress, service);
  }

  /** Leads at once when alone; else while it holds the lease. */
  async #lead(
    signal: AbortSignal,
    loop: ConfigurationLoop,
    onError: (error: unknown) => void,
  ): Promise<void> {
    const { leaderElection = false, client } = this.#options;
    const start = () => {
      this.#isLeader = true;
      loop.requestFullPass();
    };
    if (leaderElection === false) {
      start();
      return;
    }
    const { namespace, name, identity, ...timing } = leaderElection;
    while (!signal.aborted) {
      const elector = new LeaderElector({
        ...timing,
        lock: new LeaseLock({ client: leaseClient(client), namespace, name, identity }),
        releaseOnCancel: true,
        clock: this.#clock,
        onError,
        callbacks: {
          onStartedLeading: async (leading) => {
            start();
            await new Promise<void>((resolve) => {
              leading.addEventListener('abort', () => resolve(), { once: true });
            });
            this.#isLeader = false;
          },
          onStoppedLeading: () => {
            this.#isLeader = false;
          },
        },
      });
      await elector.run(signal);
    }
  }

  #log(level: LogRecord['level'], message: string, fields?: Record<string, unknown>): void {
    this.#options.onLog?.({ level, message, ...(fields === undefined ? {} : { fields }) });
  }
}
