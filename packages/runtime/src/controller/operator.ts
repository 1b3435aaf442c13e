import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { KubeClient } from '@waygate/kube';
import type { Kind, KubeObject } from '@waygate/schema';
import { type ListerWatcherScope, listerWatcherOf } from '../cache/client-lister-watcher.ts';
import { InformerFactory } from '../cache/informer-factory.ts';
import type { SharedInformer, SharedInformerOptions } from '../cache/shared-informer.ts';
import type { LeaderElectorOptions } from '../election/leader-election-options.ts';
import { LeaseLock } from '../election/lease-lock.ts';
import { leaseClient } from '../election/lease-lock-client.ts';
import { CoreEventRecorder, type EventRecorder } from '../events/event-recorder.ts';
import { coreEventSink } from '../events/event-sink-client.ts';
import { HealthServer, type HealthServerOptions } from '../health/health-server.ts';
import type { Clock } from '../time/clock.ts';
import { Controller, type ControllerOptions } from './controller.ts';
import { Manager, type ManagerOptions } from './manager.ts';
import { informerFactoryRunnable } from './manager-cache.ts';
import { type Metrics, prometheusMetrics } from './metrics.ts';

/** Who the operator is, and what it is made of. */
export interface OperatorOptions {
  /** Names its lease, and speaks in its events. */
  readonly name: string;
  readonly client: KubeClient;
  /** What is cached of every kind; everything when absent. */
  readonly scope?: ListerWatcherScope;
  /** False: this is the only replica. Otherwise one of them leads, on a Lease called as it says, or `name`. */
  readonly leaderElection?:
    | false
    | ({
        readonly name?: string;
        readonly namespace?: string;
        readonly identity?: string;
        /** What others may know of the one who leads, on the Lease. */
        readonly annotations?: () => Readonly<Record<string, string>>;
      } & Pick<
        LeaderElectorOptions,
        'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs' | 'releaseOnCancel'
      > &
        Pick<NonNullable<ManagerOptions['leaderElection']>, 'standsAgain'>);
  /** Serves health and metrics; absent, nothing listens. One that is given is the caller's. */
  readonly server?: Omit<HealthServerOptions, 'metrics'> | HealthServer;
  /** Puts a recorder in front of the one that writes to the API, such as one that tells others as well. */
  readonly recordThrough?: (recorder: EventRecorder) => EventRecorder;
  readonly gracefulShutdownMs?: number;
  readonly cacheSyncTimeoutMs?: number;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  /** Everything that went wrong and was survived. By default it becomes a process warning. */
  readonly onError?: (error: unknown) => void;
}

/**
 * The usual wiring of an operator in one piece: a client, its caches, controllers, leader election,
 * events, health and metrics. Each part can be had alone; this saves writing them down.
 *
 * ```ts
 * const operator = new Operator({ name: 'pod-operator', client, server: { port: 8080 } });
 * const pods = operator.informerFor(kinds.Pod);
 * operator.addController({
 *   name: 'pod',
 *   sources: [informerSource(pods)],
 *   reconcile: async (key) => console.log(pods.indexer.getByKey(key)?.status?.phase),
 * });
 * await operator.run(signal);
 * ```
 */
export class Operator {
  /**
   * For what the leader does: it sends no write when this process does not lead any more, not even one
   * that was under way while the process stood still. What others do as well has the client of the
   * options.
   */
  readonly client: KubeClient;
  readonly events: EventRecorder;
  readonly informers: InformerFactory;
  readonly manager: Manager;
  readonly metrics: Metrics;
  readonly #options: OperatorOptions;
  readonly #onError: (error: unknown) => void;

  constructor(options: OperatorOptions) {
    const { client, name, scope = {}, clock } = options;
    this.#options = options;
    this.client = client.fenced(() => this.manager.isLeading);
    this.#onError = options.onError ?? ((error) => process.emitWarning(asError(error)));
    this.metrics = options.metrics ?? prometheusMetrics();
    const shared = { ...(clock === undefined ? {} : { clock }), onError: this.#onError };
    this.informers = new InformerFactory({
      ...shared,
      listerWatcherOf: (kind) => listerWatcherOf(client, kind, scope),
    });
    const recorder = new CoreEventRecorder({
      ...shared,
      sink: coreEventSink(client),
      source: { component: name },
    });
    this.events = options.recordThrough?.(recorder) ?? recorder;
    this.manager = this.#makeManager();
    this.manager.add({ name: 'events', run: (signal) => recorder.run(signal) }, 'services');
    this.manager.add(informerFactoryRunnable(this.informers), 'caches');
  }

  /** The cache of a kind; it fills before any controller starts. */
  informerFor<T extends KubeObject>(
    kind: Kind<T>,
    options: Partial<Omit<SharedInformerOptions<T>, 'listerWatcher'>> = {},
  ): SharedInformer<T> {
    const informer = this.informers.informerFor(kind, options);
    this.metrics.informer.observe(
      kind.group ? `${kind.plural}.${kind.group}` : kind.plural,
      informer,
    );
    return informer;
  }

  addController<K extends {} = string>(options: ControllerOptions<K>): Controller<K> {
    const controller = new Controller<K>({
      metrics: this.metrics.controller,
      queueMetrics: this.metrics.queue,
      onError: (error) => this.#onError(error),
      ...(this.#options.clock === undefined ? {} : { clock: this.#options.clock }),
      ...options,
    });
    this.manager.add(controller);
    return controller;
  }

  /** Runs until the signal aborts or it cannot go on; ends when everything has stopped. */
  run(signal: AbortSignal): Promise<void> {
    return this.manager.run(signal);
  }

  #makeManager(): Manager {
    const { clock, server, gracefulShutdownMs, cacheSyncTimeoutMs } = this.#options;
    const election = this.#makeElection();
    const metrics = this.metrics.registry;
    const served = server instanceof HealthServer ? server : server && { ...server, metrics };
    return new Manager({
      ...(clock === undefined ? {} : { clock }),
      ...(gracefulShutdownMs === undefined ? {} : { gracefulShutdownMs }),
      ...(cacheSyncTimeoutMs === undefined ? {} : { cacheSyncTimeoutMs }),
      ...(served === undefined ? {} : { server: served }),
      ...(election === undefined ? {} : { leaderElection: election }),
    });
  }

  #makeElection() {
    const { leaderElection = {}, client } = this.#options;
    if (leaderElection === false) return undefined;
    const {
      name = this.#options.name,
      namespace,
      identity,
      annotations,
      ...timing
    } = leaderElection;
    const lock = new LeaseLock({
      client: leaseClient(client),
      name,
      namespace: namespace ?? (client.config.namespace || 'default'),
      identity: identity ?? `${hostname()}_${randomUUID()}`,
      ...(annotations === undefined ? {} : { annotations }),
      onEvent: (lease, message) => this.events.event(lease, 'Normal', 'LeaderElection', message),
    });
    const onError = this.#onError;
    return { ...timing, lock, name, onError, metrics: this.metrics.leaderElection };
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
