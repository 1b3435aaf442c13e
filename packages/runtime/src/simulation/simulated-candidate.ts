import { LeaderElector } from '../election/leader-election.ts';
import { LeaseLock } from '../election/lease-lock.ts';
import type { LeaderTiming } from './leader-timing.ts';
import type { ModelLeaseStore } from './model-lease-store.ts';
import type { SeededRandom } from './seeded-random.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { SimulationClock } from './simulation-clock.ts';

/** One process that wants to lead. When it loses, it starts again under a new name, as a pod does. */
export class SimulatedCandidate {
  readonly process: SimulatedProcess;
  identity = '';
  isLeading = false;
  isRunning = false;
  terms = 0;
  readonly #index: number;
  readonly #random: SeededRandom;
  readonly #store: ModelLeaseStore;
  readonly #timing: LeaderTiming;
  readonly #stopping = new AbortController();
  #starts = 0;

  constructor(
    index: number,
    world: SimulationClock,
    random: SeededRandom,
    store: ModelLeaseStore,
    timing: LeaderTiming,
  ) {
    this.#index = index;
    this.#timing = timing;
    this.#random = random;
    this.#store = store;
    this.process = new SimulatedProcess(world);
  }

  start(): void {
    void this.#live();
  }

  /** Ends the candidate for good; a process that stands still hears it when it goes on. */
  stop(): void {
    this.process.deliver(() => this.#stopping.abort());
  }

  async #live(): Promise<void> {
    this.isRunning = true;
    while (!this.#stopping.signal.aborted) {
      this.identity = `candidate-${this.#index}-${this.#starts++}`;
      await this.#elector().run(this.#stopping.signal);
      const restartMs = this.#random.next() * (this.#timing.leaseDurationMs / 5);
      await this.process.sleep(restartMs, this.#stopping.signal);
    }
    this.isRunning = false;
  }

  #elector(): LeaderElector {
    return new LeaderElector({
      ...this.#timing,
      clock: this.process,
      random: this.#random.next,
      releaseOnCancel: true,
      lock: new LeaseLock({
        client: this.#store.clientOf(this.process),
        namespace: 'default',
        name: 'election',
        identity: this.identity,
      }),
      callbacks: {
        onStartedLeading: (signal) => this.#lead(signal),
        onStoppedLeading: () => {},
      },
    });
  }

  /** Leads until told to stop, and then needs no time to stop: the signal is the end of its power. */
  #lead(signal: AbortSignal): Promise<void> {
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
