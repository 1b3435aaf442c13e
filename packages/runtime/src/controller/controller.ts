import { setMaxListeners } from 'node:events';
import { lowPriority, PriorityQueue } from '../queue/priority-queue.ts';
import type { QueueMetricsProvider } from '../queue/queue-metrics.ts';
import type { RateLimiter } from '../queue/rate-limiter.ts';
import { RateLimitingQueue } from '../queue/rate-limiting-queue.ts';
import { RuntimeError } from '../runtime-error.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { callWithin } from '../time/within-deadline.ts';
import type { ControllerMetrics, ControllerMetricsProvider } from './controller-metrics.ts';
import type { EnqueueOptions, Source } from './controller-source.ts';
import { ReconcileCall } from './reconcile-call.ts';
import { done, type Reconcile, type ReconcileResult } from './reconcile-result.ts';

/** What a controller listens to, what it does, and how many at a time. */
export interface ControllerOptions<K extends {}> {
  /** Names it in metrics and errors. */
  readonly name: string;
  readonly reconcile: Reconcile<K>;
  readonly sources?: readonly Source<K>[];
  /** Keys reconciled at a time; one key is never reconciled twice at once. 1. */
  readonly maxConcurrentReconciles?: number;
  /** After this long the signal of a reconciliation aborts. Never, when absent. */
  readonly reconcileTimeoutMs?: number;
  /** How long the sources may take to fill. 2 min. */
  readonly cacheSyncTimeoutMs?: number;
  readonly rateLimiter?: RateLimiter<K>;
  /** Real changes overtake the initial list and resyncs. True unless said otherwise. */
  readonly usePriorityQueue?: boolean;
  /** Runs only while this process leads. True unless said otherwise, as in controller-runtime. */
  readonly needsLeaderElection?: boolean;
  readonly clock?: Clock;
  readonly metrics?: ControllerMetricsProvider;
  readonly queueMetrics?: QueueMetricsProvider;
  /** Told of each error of a reconciliation; it is retried all the same. */
  readonly onError?: (error: unknown, key: K) => void;
}

/**
 * Turns changes into reconciliations: sources feed keys into a rate-limiting queue, and workers take
 * them out and call `reconcile`. A key that fails comes back later and later; nothing that
 * `reconcile` throws ends the controller.
 *
 * ```ts
 * const deployments = createInformer(client, kinds.Deployment);
 * const controller = new Controller({
 *   name: 'deployment',
 *   sources: [informerSource(deployments, { predicates: [generationChanged] })],
 *   reconcile: async (key) => {
 *     const deployment = deployments.indexer.getByKey(key);
 *     if (deployment !== undefined) console.log(key, deployment.spec?.replicas);
 *     return requeueAfter(600_000);
 *   },
 * });
 * await Promise.all([deployments.run(signal), controller.run(signal)]);
 * ```
 */
export class Controller<K extends {} = string> {
  readonly name: string;
  readonly needsLeaderElection: boolean;
  readonly queue: RateLimitingQueue<K>;
  readonly #options: ControllerOptions<K>;
  readonly #clock: Clock;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #workerCount: number;
  #hasStarted = false;

  constructor(options: ControllerOptions<K>) {
    this.#options = options;
    this.name = options.name;
    this.needsLeaderElection = options.needsLeaderElection ?? true;
    this.#clock = options.clock ?? systemClock;
    this.#metrics = options.metrics?.metricsOf(options.name);
    this.#workerCount = options.maxConcurrentReconciles ?? 1;
    if (!Number.isInteger(this.#workerCount) || this.#workerCount < 1)
      throw new RuntimeError(
        'WG_RUNTIME_CONFIG',
        `controller ${this.name}: maxConcurrentReconciles must be a whole number above zero`,
      );
    const queueOptions = {
      name: options.name,
      clock: this.#clock,
      ...(options.queueMetrics === undefined ? {} : { metricsProvider: options.queueMetrics }),
      ...(options.rateLimiter === undefined ? {} : { rateLimiter: options.rateLimiter }),
    };
    this.queue =
      (options.usePriorityQueue ?? true)
        ? new PriorityQueue<K>(queueOptions)
        : new RateLimitingQueue<K>(queueOptions);
    this.#metrics?.maxConcurrentReconciles(this.#workerCount);
  }

  /** Asks for a reconciliation from outside, as a webhook receiver does. */
  enqueue(key: K, options: EnqueueOptions = {}): void {
    if (options.isLowPriority && this.queue instanceof PriorityQueue)
      this.queue.addWithOptions(key, { priority: lowPriority });
    else this.queue.add(key);
  }

  /**
   * Starts the sources, waits until they have filled, and works until the signal aborts. Ends when
   * every reconciliation under way has ended. A controller runs once.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasStarted)
      throw new RuntimeError('WG_RUNTIME_STATE', `controller ${this.name} was started before`);
    this.#hasStarted = true;
    // The sources end with the controller, also when it ends by an error.
    const sourcing = new AbortController();
    try {
      await this.#startSources(sourcing.signal, signal);
      const workers = Array.from({ length: this.#workerCount }, () => this.#work(signal));
      await Promise.all(workers);
    } finally {
      sourcing.abort();
      this.queue.shutDown();
    }
  }

  async #startSources(sourcing: AbortSignal, stop: AbortSignal): Promise<void> {
    const timeoutMs = this.#options.cacheSyncTimeoutMs ?? 120_000;
    const sources = this.#options.sources ?? [];
    // Each source waits for the end: however many there are, that is no leak.
    setMaxListeners(0, sourcing);
    const enqueue = (key: K, options?: EnqueueOptions) => this.enqueue(key, options);
    await Promise.all(
      sources.map(async (source, index) => {
        const outcome = await callWithin(this.#clock, timeoutMs, stop, () =>
          source.start(enqueue, sourcing),
        );
        if (outcome.kind === 'value' || outcome.kind === 'aborted') return;
        const what = `controller ${this.name}: source ${source.name ?? index}`;
        throw outcome.kind === 'timeout'
          ? new RuntimeError('WG_RUNTIME_CACHE_SYNC', `${what} did not fill in ${timeoutMs} ms`)
          : new RuntimeError('WG_RUNTIME_CACHE_SYNC', `${what} could not start`, {
              cause: outcome.error,
            });
      }),
    );
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const key = await this.queue.get(signal);
      if (key === undefined) return;
      this.#metrics?.activeWorkers(1);
      try {
        await this.#reconcileOnce(key, signal);
      } finally {
        this.#metrics?.activeWorkers(-1);
        this.queue.done(key);
      }
    }
  }

  async #reconcileOnce(key: K, stop: AbortSignal): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    const outcome = await this.#callReconcile(key, stop);
    const seconds = (this.#clock.monotonicMs() - startMs) / 1000;
    switch (outcome.kind) {
      case 'done':
        this.queue.forget(key);
        this.#metrics?.reconciled('success', seconds);
        return;
      case 'requeueAfter':
        this.queue.forget(key);
        this.queue.addAfter(key, outcome.ms);
        this.#metrics?.reconciled('requeue_after', seconds);
        return;
      case 'requeue':
        this.queue.addRateLimited(key);
        this.#metrics?.reconciled('requeue', seconds);
        return;
      case 'failed':
        this.queue.forget(key);
        this.#metrics?.terminalError();
        this.#countError(outcome.error, key, seconds);
        return;
      case 'thrown':
        // What fails because the controller stops is not the key's fault.
        if (stop.aborted) return;
        this.queue.addRateLimited(key);
        if (isBug(outcome.error)) this.#metrics?.panic();
        this.#countError(outcome.error, key, seconds);
    }
  }

  #countError(error: unknown, key: K, seconds: number): void {
    this.#metrics?.error();
    this.#metrics?.reconciled('error', seconds);
    try {
      this.#options.onError?.(error, key);
    } catch {
      // A reporter that fails has nobody left to tell, and must not end the controller.
      this.#metrics?.panic();
    }
  }

  /**
   * Calls `reconcile` with a signal of its own. It is waited for even past its time: the key must not
   * be worked on twice at once. A reconciliation that ignores its signal shows in
   * `workqueue_longest_running_processor_seconds`.
   */
  async #callReconcile(
    key: K,
    stop: AbortSignal,
  ): Promise<ReconcileResult | { readonly kind: 'thrown'; readonly error: unknown }> {
    const { reconcileTimeoutMs } = this.#options;
    const call = new ReconcileCall(stop, this.queue.numRequeues(key));
    const timer =
      reconcileTimeoutMs === undefined
        ? undefined
        : this.#clock.after(reconcileTimeoutMs, () => {
            this.#metrics?.timeout();
            call.abort(
              new RuntimeError(
                'WG_RUNTIME_RECONCILE_TIMEOUT',
                `controller ${this.name}: reconciling ${String(key)} took longer than ${reconcileTimeoutMs} ms`,
              ),
            );
          });
    try {
      return (await this.#options.reconcile(key, call.context)) ?? done;
    } catch (error) {
      return { kind: 'thrown', error };
    } finally {
      timer?.cancel();
      call.end();
    }
  }
}

/** A mistake in the code, as against something that went wrong in the world. */
function isBug(error: unknown): boolean {
  if (error instanceof ReferenceError) return true;
  return error instanceof TypeError && error.cause === undefined;
}
