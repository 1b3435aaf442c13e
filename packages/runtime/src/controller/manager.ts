import type { AddressInfo } from 'node:net';
import { LeaderElector } from '../election/leader-election.ts';
import type { LeaderElectorOptions } from '../election/leader-election-options.ts';
import type { HealthCheck } from '../health/health-check.ts';
import { HealthServer, type HealthServerOptions } from '../health/health-server.ts';
import { RuntimeError } from '../runtime-error.ts';
import { aborted } from '../time/aborted.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { ManagerStage, type Runnable } from './manager-stage.ts';

/**
 * - `services` stand before everything and fall after it: servers, event recorders.
 * - `caches` fill before anything reads them.
 * - `runnables` run on every replica.
 * - `leaders` run only while this process leads.
 */
export type ManagerStageName = 'services' | 'caches' | 'runnables' | 'leaders';

/** How a manager stops, elects and serves health. */
export interface ManagerOptions {
  readonly clock?: Clock;
  /** Without it, this process is the only one and `leaders` run at once. */
  readonly leaderElection?: Omit<LeaderElectorOptions, 'callbacks' | 'clock'> & {
    readonly onNewLeader?: (identity: string) => void;
    /**
     * Losing the lease ends only what leaders do, and this process is a candidate again. For programs
     * whose other parts are of use all the same. Otherwise it ends the run.
     */
    readonly standsAgain?: boolean | undefined;
  };
  /**
   * Serves `/healthz`, `/readyz` and `/metrics`; absent, nothing listens. A server that is given is the
   * caller's to start and to close: it may have been answering long before there was a manager.
   */
  readonly server?: HealthServerOptions | HealthServer;
  /** How long everything together may take to stop. 30 s. */
  readonly gracefulShutdownMs?: number;
  /** How long a cache may take to fill. 2 min. */
  readonly cacheSyncTimeoutMs?: number;
}

/** How long past its lease a leader may go on renewing before `/healthz` says that it is stuck. */
const leaseToleranceMs = 20_000;

/**
 * Runs the parts of a program in order: services, then caches until they are full, then what runs
 * everywhere, then, once elected, what only the leader does. It stops them in the reverse order and
 * gives the lease back last, when nothing acts in its name any more.
 *
 * ```ts
 * const factory = createInformerFactory(client);
 * const pods = factory.informerFor(kinds.Pod);
 * const manager = new Manager({ server: { port: 8080, metrics: prometheusMetrics().registry } });
 * manager.add(informerFactoryRunnable(factory), 'caches');
 * manager.add(
 *   new Controller({
 *     name: 'pod',
 *     sources: [informerSource(pods)],
 *     reconcile: async (key) => console.log(pods.indexer.getByKey(key)?.status?.phase),
 *   }),
 * );
 * await manager.run(signal);
 * ```
 *
 * Signals of the process are the caller's: abort the signal on SIGTERM.
 */
export class Manager {
  /** Resolves once this process leads, or at the start when there is no election. */
  readonly elected: Promise<void>;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #server: HealthServer | undefined;
  readonly #stages: Record<ManagerStageName, ManagerStage>;
  /** One for each time that this process is a candidate. */
  #elector: LeaderElector | undefined;
  readonly #electing = new AbortController();
  readonly #stopping = new AbortController();
  #markElected: () => void = () => {};
  /** The leader's work of the latest time that this process led. */
  #term: Promise<void> | undefined;
  /** Ends when the elector has: at once while there is none. */
  #election: Promise<void> = Promise.resolve();
  /**
   * What `run` throws at its end: the first error that ended it, or that the leadership was lost.
   */
  #failure: { readonly error: unknown } | undefined;
  /** `run` was called: it may be only once. */
  #hasStarted = false;
  #hasSynced = false;

  constructor(options: ManagerOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.elected = new Promise((resolve) => {
      this.#markElected = resolve;
    });
    const stage = (name: ManagerStageName) =>
      new ManagerStage(name, this.#clock, (error) => this.#fail(error));
    this.#stages = {
      services: stage('services'),
      caches: stage('caches'),
      runnables: stage('runnables'),
      leaders: stage('leaders'),
    };
    const { server } = options;
    this.#server =
      server === undefined || server instanceof HealthServer ? server : new HealthServer(server);
    this.#elector = options.leaderElection === undefined ? undefined : this.#makeElector();
    this.addReadyCheck('caches', () => {
      if (!this.#hasSynced)
        throw new RuntimeError('WG_RUNTIME_UNHEALTHY', 'the caches are not full yet');
    });
    this.addHealthCheck('ping', () => {});
    if (this.#elector !== undefined)
      this.addHealthCheck('leaderElection', () => {
        const error = this.#elector?.check(leaseToleranceMs);
        if (error !== undefined) throw error;
      });
  }

  /** Where health and metrics are served, once they are. */
  get address(): AddressInfo | undefined {
    return this.#server?.address;
  }

  /**
   * Whether this process may act as the leader now: always, where nobody is elected. It is known by the
   * clock, so that it is true to the instant.
   */
  get isLeading(): boolean {
    return this.#options.leaderElection === undefined || this.#elector?.holdsLease === true;
  }

  /** Adds a part; when the manager runs already, it starts with its stage or at once. */
  add(runnable: Runnable, stage?: ManagerStageName): void {
    const needsLeader = runnable.needsLeaderElection ?? true;
    this.#stages[stage ?? (needsLeader ? 'leaders' : 'runnables')].add(runnable);
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#server?.addHealthCheck(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#server?.addReadyCheck(name, check);
  }

  /**
   * Runs until the signal aborts, a part fails, or leadership is lost, and ends when everything has
   * stopped. Rejects with what went wrong first. A manager runs once: after
   * `WG_RUNTIME_LEADERSHIP_LOST` nothing of it acts any more, and a new one may stand as a candidate.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasStarted)
      throw new RuntimeError('WG_RUNTIME_STATE', 'the manager was started before');
    this.#hasStarted = true;
    const onAbort = () => this.#stopping.abort();
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#start();
      await aborted(this.#stopping.signal);
    } catch (error) {
      this.#fail(error);
    } finally {
      signal.removeEventListener('abort', onAbort);
      await this.#stop();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #start(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    if (this.#isServerOurs) await this.#server?.listen();
    for (const name of ['services', 'caches', 'runnables'] as const) {
      await this.#startStage(name, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      if (name === 'caches') this.#hasSynced = true;
    }
    if (this.#elector !== undefined) {
      this.#election = this.#elect();
      return;
    }
    this.#markElected();
    await this.#startStage('leaders', this.#stopping.signal);
  }

  /** A stage that fills slowly must not hold up the stop. */
  async #startStage(name: ManagerStageName, stop: AbortSignal): Promise<void> {
    const timeoutMs = this.#options.cacheSyncTimeoutMs ?? 120_000;
    await Promise.race([this.#stages[name].start(timeoutMs), aborted(stop)]);
  }

  async #elect(): Promise<void> {
    for (;;) {
      try {
        await this.#elector?.run(this.#electing.signal);
      } catch (error) {
        this.#fail(error);
      }
      if (this.#electing.signal.aborted) return;
      // An elector does not wait for work that outlasts the lease; the next one must not begin before.
      await this.#term;
      if (!this.#options.leaderElection?.standsAgain || this.#failure !== undefined) break;
      this.#stages.leaders = this.#stages.leaders.renewed();
      this.#elector = this.#makeElector();
    }
    this.#fail(
      new RuntimeError(
        'WG_RUNTIME_LEADERSHIP_LOST',
        'leadership was lost; the process must restart',
      ),
    );
  }

  #makeElector(): LeaderElector {
    const { onNewLeader, standsAgain: _, ...options } = this.#options.leaderElection!;
    return new LeaderElector({
      releaseOnCancel: true,
      ...options,
      clock: this.#clock,
      callbacks: {
        onStartedLeading: (signal) => {
          this.#term = this.#lead(signal);
          return this.#term;
        },
        onStoppedLeading: () => {},
        ...(onNewLeader === undefined ? {} : { onNewLeader }),
      },
    });
  }

  /** The leader's work: it ends, at the latest, when leadership does. */
  async #lead(signal: AbortSignal): Promise<void> {
    this.#markElected();
    await this.#startStage('leaders', signal);
    await aborted(signal);
    const late = await this.#stages.leaders.stop(this.#graceMs());
    // Who lost the lead may stand again, but not while something of it still acts.
    if (late.length > 0) this.#fail(this.#lateError(late));
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    const deadlineMs = this.#clock.monotonicMs() + this.#graceMs();
    const remainingMs = () => deadlineMs - this.#clock.monotonicMs();
    const unfinished = [...(await this.#stages.leaders.stop(remainingMs()))];
    this.#electing.abort();
    await this.#election;
    for (const name of ['runnables', 'caches', 'services'] as const)
      unfinished.push(...(await this.#stages[name].stop(remainingMs())));
    if (this.#isServerOurs) await this.#server?.close();
    if (unfinished.length === 0) return;
    const late = this.#lateError(unfinished);
    // Who lost the lead may stand again, but not while something of it still acts.
    if (this.#isLeadershipLost) this.#failure = { error: late };
    else this.#fail(late);
  }

  #lateError(unfinished: readonly string[]): RuntimeError {
    return new RuntimeError(
      'WG_RUNTIME_STOP_TIMEOUT',
      `did not stop within ${this.#graceMs()} ms: ${unfinished.join(', ')}`,
      this.#failure === undefined ? {} : { cause: this.#failure.error },
    );
  }

  get #isServerOurs(): boolean {
    return !(this.#options.server instanceof HealthServer);
  }

  get #isLeadershipLost(): boolean {
    const error = this.#failure?.error;
    return error instanceof RuntimeError && error.code === 'WG_RUNTIME_LEADERSHIP_LOST';
  }

  #graceMs(): number {
    return this.#options.gracefulShutdownMs ?? 30_000;
  }

  /** The first failure is what the caller hears. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stopping.abort();
  }
}
