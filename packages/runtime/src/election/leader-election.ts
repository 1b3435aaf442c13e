import { isAlreadyExists, isConflict, isNotFound } from '@waygate/kube';
import { RuntimeError } from '../runtime-error.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { toMicroTime } from '../time/micro-time.ts';
import { callWithin } from '../time/within-deadline.ts';
import {
  checkLeaderElectorOptions,
  defaultLeaseDurationMs,
  defaultRenewDeadlineMs,
  defaultRetryPeriodMs,
  jitterFactor,
  type LeaderElectorOptions,
} from './leader-election-options.ts';
import { emptyRecord, type LeaderElectionRecord } from './leader-election-record.ts';
import type { ResourceLock } from './lease-lock.ts';
import { LockNews } from './lock-news.ts';
import { nextRenewal, type Renewal } from './renewal.ts';

/**
 * Elects one leader among the processes that share a lock, with client-go's algorithm. A candidate
 * trusts only its own monotonic clock: the lock is free once the record has not changed for the
 * lease duration *as seen here*, so skewed wall clocks do no harm.
 *
 * It is stricter than client-go in one thing: leadership also ends when the lease may have run out
 * counted from when the last successful write was *sent*. An answer that comes late, or a process
 * that was suspended, therefore never leaves two leaders at work. And it is quicker: a candidate is told
 * of renewals where the lock can tell, and tries when the lease ends rather than at its next look, so
 * that a dead leader is replaced within one lease and a lock that was given back at once.
 *
 * ```ts
 * import { hostname } from 'node:os';
 *
 * const elector = new LeaderElector({
 *   lock: new LeaseLock({
 *     client: leaseClient(client),
 *     namespace: 'default',
 *     name: 'my-operator',
 *     identity: hostname(),
 *   }),
 *   releaseOnCancel: true,
 *   callbacks: {
 *     onStartedLeading: (leading) => new Operator({ name: 'my-operator', client }).run(leading),
 *     onStoppedLeading: () => console.log('not leading any more'),
 *   },
 * });
 * await elector.run(signal);
 * ```
 */
export class LeaderElector {
  readonly name: string;
  readonly #options: LeaderElectorOptions;
  readonly #lock: ResourceLock;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;

  #observedRecord: LeaderElectionRecord = emptyRecord;
  /** The last *reading* of the lock. Own writes do not change it, as in client-go. */
  #observedRaw = '';
  /** Monotonic; when the record was last seen to change, or when our own write of it was sent. */
  #observedAtMs = Number.NEGATIVE_INFINITY;
  /** May lag behind the observed holder until the change has been reported. */
  #reportedLeader = '';
  /** What may stand in the lock as our renewTime; undefined before the first write. */
  #renewal: Renewal | undefined;

  constructor(options: LeaderElectorOptions) {
    this.#leaseDurationMs = options.leaseDurationMs ?? defaultLeaseDurationMs;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? defaultRenewDeadlineMs;
    this.#retryPeriodMs = options.retryPeriodMs ?? defaultRetryPeriodMs;
    checkLeaderElectorOptions({
      lock: options.lock,
      callbacks: options.callbacks,
      leaseDurationMs: this.#leaseDurationMs,
      renewDeadlineMs: this.#renewDeadlineMs,
      retryPeriodMs: this.#retryPeriodMs,
    });
    this.#options = options;
    this.#lock = options.lock;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.name = options.name ?? options.lock.describe();
    // A candidate shows as 0 from the start, so that "nobody leads" can be told from "nobody reports".
    options.metrics?.leaderOff(this.name);
  }

  /** The last observed leader; empty when none is known. */
  getLeader(): string {
    return this.#observedRecord.holderIdentity;
  }

  /** The record as last read or written. */
  getObservedRecord(): LeaderElectionRecord {
    return this.#observedRecord;
  }

  isLeader(): boolean {
    return this.#observedRecord.holderIdentity === this.#lock.identity;
  }

  /**
   * Whether this process leads now, by the clock and without asking anybody: what acts asks it as late
   * as it can. A process that stood still learns by it that its time has passed, before any timer runs.
   */
  get holdsLease(): boolean {
    return this.isLeader() && this.#isLeaseValid();
  }

  /**
   * An error when this process believes that it leads although its lease ran out more than
   * `toleranceMs` ago: its renewing has died, and the process should be restarted.
   */
  check(toleranceMs: number): RuntimeError | undefined {
    if (!this.isLeader()) return undefined;
    const ageMs = this.#clock.monotonicMs() - this.#observedAtMs;
    if (ageMs <= this.#leaseDurationMs + toleranceMs) return undefined;
    return new RuntimeError(
      'WG_RUNTIME_UNHEALTHY',
      `failed election to renew leadership on lease ${this.name}`,
    );
  }

  /**
   * Waits for leadership, holds it as long as it can, and ends when the signal aborts or leadership
   * is lost. A process that lost it is expected to exit: it is not a candidate again by itself.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      if (!(await this.#acquire(signal))) return;
      await this.#lead(signal);
    } finally {
      this.#callBack(() => this.#options.callbacks.onStoppedLeading());
    }
  }

  /** One try to get or keep the lock. Never throws: a failure is reported and is a `false`. */
  async tryAcquireOrRenew(signal?: AbortSignal): Promise<boolean> {
    if (this.isLeader() && this.#isLeaseValid()) {
      if (await this.#write('update', this.#observedRecord, signal)) return true;
      if (signal?.aborted) return false;
    }
    const reading = await this.#read(signal);
    if (reading === 'failed') return false;
    if (reading === 'absent') return this.#write('create', emptyRecord, signal);

    const isHeld = reading.holderIdentity !== '';
    if (isHeld && !this.isLeader() && this.#isLeaseValid()) return false;
    if (this.isLeader()) {
      this.#options.metrics?.slowpathExercised(this.name);
      return this.#write('update', reading, signal);
    }
    const leaderTransitions = reading.leaderTransitions + 1;
    return this.#write('update', { ...emptyRecord, leaderTransitions }, signal);
  }

  /**
   * Gives the lock back: reads it, and writes it without a holder. A conflict is tried again within
   * the renew deadline. True when the lock is not (or no longer) ours.
   */
  async release(): Promise<boolean> {
    const deadlineMs = this.#clock.monotonicMs() + this.#renewDeadlineMs;
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 5, this.#retryPeriodMs)) {
      const remainingMs = deadlineMs - this.#clock.monotonicMs();
      if (remainingMs <= 0) return false;
      const outcome = await callWithin(this.#clock, remainingMs, undefined, (signal) =>
        this.#releaseOnce(signal),
      );
      if (outcome.kind === 'value') return true;
      if (outcome.kind === 'error') this.#report(outcome.error);
      if (outcome.kind !== 'error' || !isConflict(outcome.error)) return false;
      await this.#clock.sleep(pauseMs);
    }
  }

  /** Tells `onNewLeader` of a leader that it was not told of yet. `run` does so after each try. */
  reportTransition(): void {
    const { holderIdentity } = this.#observedRecord;
    if (holderIdentity === this.#reportedLeader) return;
    this.#reportedLeader = holderIdentity;
    this.#callBack(() => this.#options.callbacks.onNewLeader?.(holderIdentity));
  }

  async #releaseOnce(signal: AbortSignal): Promise<void> {
    const { record } = await this.#lock.get(signal);
    // Somebody who took over since is not to be pushed out of the record.
    if (!this.isLeader() || record.holderIdentity !== this.#lock.identity) return;
    const now = toMicroTime(this.#clock.now());
    const released: LeaderElectionRecord = {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaderTransitions: record.leaderTransitions,
    };
    await this.#lock.update(released, signal);
    this.#observe(released, this.#clock.monotonicMs());
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const news = new LockNews(this.#lock, signal, (error) => this.#report(error));
    try {
      return await this.#tryUntilAcquired(news, signal);
    } finally {
      await news[Symbol.asyncDispose]();
    }
  }

  async #tryUntilAcquired(news: LockNews, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      news.read();
      const outcome = await callWithin(this.#clock, this.#renewDeadlineMs, signal, (within) =>
        this.tryAcquireOrRenew(within),
      );
      this.reportTransition();
      if (outcome.kind === 'value' && outcome.value && this.#isLeaseValid()) {
        this.#lock.recordEvent('became leader');
        this.#options.metrics?.leaderOn(this.name);
        return true;
      }
      const periodMs = this.#retryPeriodMs * (1 + jitterFactor * this.#random());
      const leftMs = this.#leaseEndMs() - this.#clock.monotonicMs();
      await news.wait(this.#clock, leftMs > 0 ? Math.min(periodMs, leftMs) : periodMs);
    }
    return false;
  }

  /** Runs the leader's work beside the renewals, until either ends, and takes both down in order. */
  async #lead(signal: AbortSignal): Promise<void> {
    const leading = new AbortController();
    const renewing = new AbortController();
    const stop = () => renewing.abort();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    let failure: { readonly error: unknown } | undefined;
    const work = (async () => {
      try {
        await this.#options.callbacks.onStartedLeading(leading.signal);
      } catch (error) {
        failure = { error };
        renewing.abort();
      }
    })();
    try {
      await this.#renewUntilLost(renewing.signal);
    } finally {
      signal.removeEventListener('abort', stop);
      leading.abort();
      this.#options.metrics?.leaderOff(this.name);
    }
    if (this.#options.releaseOnCancel) await this.#releaseAfter(work);
    this.reportTransition();
    this.#lock.recordEvent('stopped leading');
    if (failure !== undefined) throw failure.error;
  }

  /**
   * The lock goes back only when the leader's work has ended: the next leader may start at once.
   * Work that outlasts the lease keeps it until it runs out by itself.
   */
  async #releaseAfter(work: Promise<void>): Promise<void> {
    const remainingMs = Math.max(this.#leaseEndMs() - this.#clock.monotonicMs(), 0);
    const ended = await callWithin(this.#clock, remainingMs, undefined, () => work);
    if (ended.kind !== 'timeout') await this.release();
  }

  async #renewUntilLost(signal: AbortSignal): Promise<void> {
    while (await this.#clock.sleep(this.#retryPeriodMs, signal))
      if (!(await this.#renewOnce(signal))) return;
  }

  /** Tries every retry period, until the renew deadline or the end of the lease, whichever is first. */
  async #renewOnce(signal: AbortSignal): Promise<boolean> {
    const deadlineMs = Math.min(
      this.#clock.monotonicMs() + this.#renewDeadlineMs,
      this.#leaseEndMs(),
    );
    for (;;) {
      const remainingMs = deadlineMs - this.#clock.monotonicMs();
      if (remainingMs <= 0) break;
      const outcome = await callWithin(this.#clock, remainingMs, signal, (within) =>
        this.tryAcquireOrRenew(within),
      );
      if (outcome.kind === 'aborted') return false;
      // An answer that was waiting while the process stood still counts only if it came in time.
      if (outcome.kind === 'value' && outcome.value && this.#isLeaseValid()) {
        this.reportTransition();
        return true;
      }
      // Another holder in the record: it leads already, and trying on would only prolong the overlap.
      if (!this.isLeader() && this.getLeader() !== '') break;
      const leftMs = deadlineMs - this.#clock.monotonicMs();
      if (leftMs <= 0) break;
      if (!(await this.#clock.sleep(Math.min(this.#retryPeriodMs, leftMs), signal))) return false;
    }
    this.reportTransition();
    this.#report(
      new RuntimeError(
        'WG_RUNTIME_LEADERSHIP_LOST',
        `lease ${this.#lock.describe()} was not renewed in time; leading ends`,
      ),
    );
    return false;
  }

  /** Reads the lock, and remembers when it was last seen to change. */
  async #read(
    signal: AbortSignal | undefined,
  ): Promise<LeaderElectionRecord | 'absent' | 'failed'> {
    try {
      const { record, raw } = await this.#lock.get(signal);
      if (signal?.aborted) return 'failed';
      if (raw !== this.#observedRaw) {
        this.#observe(record, this.#clock.monotonicMs());
        this.#observedRaw = raw;
      }
      return record;
    } catch (error) {
      if (isNotFound(error)) return 'absent';
      this.#reportUnlessEnded(error, signal);
      return 'failed';
    }
  }

  /**
   * Writes us as the holder. `base` gives the number of transitions and, when it is our own record,
   * the time of acquisition. An answer that comes after the signal aborted is not believed.
   */
  async #write(
    verb: 'create' | 'update',
    base: LeaderElectionRecord,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const nowMs = this.#clock.now();
    const previous = this.#renewal;
    const renewal = nextRenewal(previous, nowMs, this.#clock.monotonicMs());
    const record: LeaderElectionRecord = {
      holderIdentity: this.#lock.identity,
      leaseDurationSeconds: Math.floor(this.#leaseDurationMs / 1000),
      acquireTime:
        base.holderIdentity === this.#lock.identity ? base.acquireTime : toMicroTime(nowMs),
      renewTime: toMicroTime(renewal.timeMs),
      leaderTransitions: base.leaderTransitions,
    };
    this.#renewal = renewal;
    try {
      await this.#lock[verb](record, signal);
    } catch (error) {
      // Refused for certain, so nobody can have read it.
      if (isConflict(error) || isAlreadyExists(error)) this.#renewal = previous;
      this.#reportUnlessEnded(error, signal);
      return false;
    }
    if (signal?.aborted) return false;
    this.#observe(record, renewal.countsFromMs);
    return true;
  }

  #observe(record: LeaderElectionRecord, atMs: number): void {
    this.#observedRecord = record;
    this.#observedAtMs = atMs;
  }

  #leaseEndMs(): number {
    return this.#observedAtMs + this.#observedRecord.leaseDurationSeconds * 1000;
  }

  #isLeaseValid(): boolean {
    return this.#leaseEndMs() > this.#clock.monotonicMs();
  }

  #callBack(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#report(error);
    }
  }

  /** A call that was given up, for its time or for the end of the program, is no news of the lock. */
  #reportUnlessEnded(error: unknown, signal: AbortSignal | undefined): void {
    if (signal?.aborted !== true) this.#report(error);
  }

  #report(error: unknown): void {
    try {
      this.#options.onError?.(error);
    } catch {
      // A reporter that fails must not cost the lease, and there is nobody else to tell.
    }
  }
}
