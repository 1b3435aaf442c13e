import { KubeError } from '@waygate/kube';
import type { Lease } from '@waygate/schema';
import type { Clock, Timer } from './clock.ts';
import { FakeClock } from './fake-clock.ts';
import { LeaderElector } from './leader-election.ts';
import type { LeaderElectorOptions } from './leader-election-options.ts';
import { type LeaseClient, LeaseLock } from './lease-lock.ts';

/** What one simulated election came to. It held when `violations` is empty. */
export interface LeaderSimulationResult {
  readonly seed: number;
  /** How often somebody began to lead. */
  readonly terms: number;
  /** Calls on the lock that met a fault. */
  readonly faults: number;
  readonly violations: readonly string[];
}

type Timing = Pick<LeaderElectorOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>;

/** The defaults, and one that renews several times a second, which candidates cannot see. */
const timings: readonly Timing[] = [
  {},
  { leaseDurationMs: 5_500, renewDeadlineMs: 3_000, retryPeriodMs: 300 },
];
const faultyMs = 150_000;
const healedMs = 90_000;

/**
 * Runs three to five candidates on one model Lease for four simulated minutes: calls that are slow,
 * refused, lost on the way there or back, or applied long after the caller gave up; wall clocks that
 * jump; processes that stand still. It checks that
 * - no two processes that are running lead at the same instant, whatever happens;
 * - once the faults end, there is a leader again;
 * - after the stop, nobody leads, the lock is free, and no timer is left.
 *
 * The same seed gives the same run.
 */
export async function simulateLeaders(seed: number): Promise<LeaderSimulationResult> {
  const simulation = new LeaderSimulation(seed);
  return simulation.run();
}

class LeaderSimulation {
  private readonly seed: number;
  private readonly random: () => number;
  private readonly world = new FakeClock(Date.UTC(2026, 0, 1));
  private readonly store: ModelLeaseStore;
  private readonly candidates: Candidate[] = [];
  private readonly violations: string[] = [];
  private isFaulty = true;

  constructor(seed: number) {
    this.seed = seed;
    this.random = seededRandom(seed);
    this.store = new ModelLeaseStore(this.world, this.random, () => this.isFaulty);
  }

  async run(): Promise<LeaderSimulationResult> {
    const count = 3 + Math.floor(this.random() * 3);
    const timing = timings[this.seed % timings.length]!;
    for (let index = 0; index < count; index++)
      this.candidates.push(new Candidate(index, this.world, this.random, this.store, timing));
    for (const candidate of this.candidates) candidate.start();
    await this.runUntil(faultyMs, () => this.disturb());
    this.isFaulty = false;
    await this.runUntil(faultyMs + healedMs, () => {});
    if (!this.candidates.some(({ isLeading }) => isLeading))
      this.violate(`nobody leads ${healedMs} ms after the faults ended`);
    for (const candidate of this.candidates) candidate.stop();
    await this.runUntil(faultyMs + healedMs + 60_000, () => {});
    this.checkEnd();
    return {
      seed: this.seed,
      terms: this.candidates.reduce((sum, { terms }) => sum + terms, 0),
      faults: this.store.faults,
      violations: this.violations,
    };
  }

  private async runUntil(endMs: number, disturb: () => void): Promise<void> {
    let nextDisturbanceMs = this.world.monotonicMs() + this.random() * 5_000;
    while (this.world.monotonicMs() < endMs) {
      const nowMs = this.world.monotonicMs();
      const stepMs = Math.min(
        this.world.nextTimerMs ?? Number.POSITIVE_INFINITY,
        endMs - nowMs,
        Math.max(nextDisturbanceMs - nowMs, 0),
      );
      await this.world.advance(stepMs);
      this.checkOverlap();
      if (this.world.monotonicMs() < nextDisturbanceMs) continue;
      disturb();
      nextDisturbanceMs = this.world.monotonicMs() + this.random() * 10_000;
    }
  }

  private disturb(): void {
    const candidate = this.candidates[Math.floor(this.random() * this.candidates.length)]!;
    const roll = this.random();
    if (roll < 0.3) candidate.process.pause(this.random() * 40_000);
    else if (roll < 0.5) candidate.process.jumpWallClock((this.random() - 0.5) * 7_200_000);
    else if (roll < 0.8)
      candidate.process.jumpWallClock(Math.round((this.random() - 0.5) * 6) * 1000);
    else if (roll < 0.9 && candidate !== this.candidates[0]) candidate.stop();
  }

  private checkOverlap(): void {
    const leaders = this.candidates.filter(
      ({ isLeading, process }) => isLeading && !process.isPaused,
    );
    if (leaders.length > 1)
      this.violate(
        `${leaders.map(({ identity }) => identity).join(' and ')} lead together at ${this.world.monotonicMs()} ms`,
      );
  }

  private checkEnd(): void {
    for (const { isLeading, isRunning, identity } of this.candidates) {
      if (isLeading) this.violate(`${identity} leads after the stop`);
      if (isRunning) this.violate(`${identity} did not stop`);
    }
    const holder = this.store.holder;
    if (holder !== '') this.violate(`the lock is still held by ${holder} after the stop`);
    if (this.world.timerCount > 0) this.violate(`${this.world.timerCount} timers are left`);
  }

  private violate(message: string): void {
    this.violations.push(`seed ${this.seed}: ${message} (replay: simulateLeaders(${this.seed}))`);
  }
}

/** One process that wants to lead. When it loses, it starts again under a new name, as a pod does. */
class Candidate {
  readonly process: SimulatedProcess;
  identity = '';
  isLeading = false;
  isRunning = false;
  terms = 0;
  private readonly index: number;
  private readonly random: () => number;
  private readonly store: ModelLeaseStore;
  private readonly timing: Timing;
  private readonly stopping = new AbortController();
  private starts = 0;

  constructor(
    index: number,
    world: FakeClock,
    random: () => number,
    store: ModelLeaseStore,
    timing: Timing,
  ) {
    this.index = index;
    this.timing = timing;
    this.random = random;
    this.store = store;
    this.process = new SimulatedProcess(world);
  }

  start(): void {
    void this.live();
  }

  /** Ends the candidate for good; a process that stands still hears it when it goes on. */
  stop(): void {
    this.process.deliver(() => this.stopping.abort());
  }

  private async live(): Promise<void> {
    this.isRunning = true;
    while (!this.stopping.signal.aborted) {
      this.identity = `candidate-${this.index}-${this.starts++}`;
      await this.elector().run(this.stopping.signal);
      await this.process.sleep(this.random() * 3_000, this.stopping.signal);
    }
    this.isRunning = false;
  }

  private elector(): LeaderElector {
    return new LeaderElector({
      ...this.timing,
      clock: this.process,
      random: this.random,
      releaseOnCancel: true,
      lock: new LeaseLock({
        client: this.store.clientOf(this.process),
        namespace: 'default',
        name: 'election',
        identity: this.identity,
      }),
      callbacks: {
        onStartedLeading: (signal) => this.lead(signal),
        onStoppedLeading: () => {},
      },
    });
  }

  /** Leads until told to stop, and then needs no time to stop: the signal is the end of its power. */
  private lead(signal: AbortSignal): Promise<void> {
    this.isLeading = true;
    this.terms++;
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        this.isLeading = false;
        resolve();
      });
    });
  }
}

/** A process with a wall clock of its own, which can stand still: nothing reaches it meanwhile. */
class SimulatedProcess implements Clock {
  isPaused = false;
  private readonly world: FakeClock;
  private wallOffsetMs = 0;
  private waiting: (() => void)[] = [];

  constructor(world: FakeClock) {
    this.world = world;
  }

  now(): number {
    return this.world.now() + this.wallOffsetMs;
  }

  monotonicMs(): number {
    return this.world.monotonicMs();
  }

  after(delayMs: number, callback: () => void): Timer {
    let isCancelled = false;
    const fire = () => {
      if (!isCancelled) callback();
    };
    const timer = this.world.after(delayMs, () => this.deliver(fire));
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const onAbort = () => {
        timer.cancel();
        resolve(false);
      };
      const timer = this.after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(true);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  yield(): Promise<void> {
    return this.world.yield();
  }

  deliver(callback: () => void): void {
    if (this.isPaused) this.waiting.push(callback);
    else callback();
  }

  pause(ms: number): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.world.after(ms, () => {
      this.isPaused = false;
      const waiting = this.waiting;
      this.waiting = [];
      for (const callback of waiting) callback();
    });
  }

  jumpWallClock(ms: number): void {
    this.wallOffsetMs += ms;
  }
}

type Fate = 'served' | 'requestLost' | 'answerLost' | 'serverError' | 'conflict';

/** One Lease with optimistic concurrency behind a bad network. */
class ModelLeaseStore {
  faults = 0;
  private readonly world: FakeClock;
  private readonly random: () => number;
  private readonly isFaulty: () => boolean;
  private lease: Lease | undefined;
  private resourceVersion = 0;

  constructor(world: FakeClock, random: () => number, isFaulty: () => boolean) {
    this.world = world;
    this.random = random;
    this.isFaulty = isFaulty;
  }

  get holder(): string {
    return this.lease?.spec?.holderIdentity ?? '';
  }

  clientOf(process: SimulatedProcess): LeaseClient {
    return {
      get: (_namespace, _name, { signal }) => this.call(process, signal, () => this.read()),
      create: (lease, { signal }) => this.call(process, signal, () => this.insert(lease)),
      update: (lease, { signal }) => this.call(process, signal, () => this.replace(lease)),
    };
  }

  private read(): Lease {
    if (this.lease === undefined) throw status(404, 'NotFound');
    return this.lease;
  }

  private insert(lease: Lease): Lease {
    if (this.lease !== undefined) throw status(409, 'AlreadyExists');
    return this.store(lease);
  }

  private replace(lease: Lease): Lease {
    if (this.lease === undefined) throw status(404, 'NotFound');
    if (lease.metadata.resourceVersion !== this.lease.metadata.resourceVersion)
      throw status(409, 'Conflict');
    return this.store(lease);
  }

  private store(lease: Lease): Lease {
    const resourceVersion = String(++this.resourceVersion);
    this.lease = structuredClone({ ...lease, metadata: { ...lease.metadata, resourceVersion } });
    return this.lease;
  }

  private call(
    process: SimulatedProcess,
    signal: AbortSignal | undefined,
    operate: () => Lease,
  ): Promise<Lease> {
    const fate = this.pickFate();
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal?.reason);
      const answer = (settle: () => void) => {
        this.world.after(this.delayMs(), () => {
          process.deliver(() => {
            signal?.removeEventListener('abort', onAbort);
            settle();
          });
        });
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.world.after(this.delayMs(), () => {
        const outcome = this.outcomeOf(fate, operate);
        // Half of what is lost is noticed as a broken connection; the other half is never heard of.
        if (outcome === 'lost' && this.random() < 0.5) return;
        if (outcome === 'lost') answer(() => reject(connectionError()));
        else if (outcome instanceof KubeError) answer(() => reject(outcome));
        else answer(() => resolve(outcome));
      });
    });
  }

  private outcomeOf(fate: Fate, operate: () => Lease): Lease | KubeError | 'lost' {
    if (fate === 'requestLost') return 'lost';
    if (fate === 'serverError') return status(500, 'InternalError');
    if (fate === 'conflict') return status(409, 'Conflict');
    let outcome: Lease | KubeError;
    try {
      outcome = operate();
    } catch (error) {
      outcome = error as KubeError;
    }
    return fate === 'answerLost' ? 'lost' : outcome;
  }

  private pickFate(): Fate {
    if (!this.isFaulty() || this.random() > 0.35) return 'served';
    this.faults++;
    const fates: Fate[] = ['requestLost', 'answerLost', 'answerLost', 'serverError', 'conflict'];
    return fates[Math.floor(this.random() * fates.length)]!;
  }

  /** Mostly quick; now and then longer than a lease. */
  private delayMs(): number {
    if (!this.isFaulty()) return this.random() * 50;
    const roll = this.random();
    if (roll < 0.8) return this.random() * 100;
    return roll < 0.97 ? this.random() * 9_000 : this.random() * 25_000;
  }
}

function status(code: number, reason: string): KubeError {
  return new KubeError('WG_KUBE_API', reason, { status: { code, reason } });
}

function connectionError(): KubeError {
  return new KubeError('WG_KUBE_CONNECTION', 'socket hang up');
}

/** Mulberry32: small, and the same on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
