import { setMaxListeners } from 'node:events';
import { RuntimeError } from '../runtime-error.ts';
import type { Clock } from '../time/clock.ts';
import { callWithin } from '../time/within-deadline.ts';

/** Something that a manager starts and stops. */
export interface Runnable {
  /** Names it in errors. */
  readonly name?: string;
  /** Runs until the signal aborts, and ends when all that it started has ended. A throw stops the manager. */
  run(signal: AbortSignal): Promise<unknown>;
  /** What the stages after it wait for: true once it can be relied on, false when the signal aborted. */
  waitForSync?(signal: AbortSignal): Promise<boolean>;
  /** False: runs on every replica. */
  readonly needsLeaderElection?: boolean;
}

interface Running {
  readonly name: string;
  ended: Promise<void>;
  hasEnded: boolean;
}

/** A group of runnables that start together, and stop together before the stage in front of them. */
export class ManagerStage {
  readonly name: string;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  /** All that were ever added, for a stage that begins anew. */
  readonly #added: Runnable[] = [];
  readonly #waiting: Runnable[] = [];
  readonly #running: Running[] = [];
  readonly #stopping = new AbortController();
  #hasStarted = false;

  constructor(name: string, clock: Clock, onFailure: (error: unknown) => void) {
    this.name = name;
    this.#clock = clock;
    this.#onFailure = onFailure;
    // Every worker of every controller listens while it waits: their number is no leak.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Takes a runnable, and starts it at once when the stage has been started. */
  add(runnable: Runnable): void {
    if (this.#stopping.signal.aborted)
      throw new RuntimeError(
        'WG_RUNTIME_STATE',
        `${runnable.name ?? 'a runnable'} was added to a manager that stops`,
      );
    this.#added.push(runnable);
    if (this.#hasStarted) this.#launch(runnable);
    else this.#waiting.push(runnable);
  }

  /** The same stage as it was before it was started: a stage that has stopped stays so. */
  renewed(): ManagerStage {
    const stage = new ManagerStage(this.name, this.#clock, this.#onFailure);
    for (const runnable of this.#added) stage.add(runnable);
    return stage;
  }

  /** Starts what there is, and waits until it can be relied on. */
  async start(timeoutMs: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#hasStarted = true;
    const starting = this.#waiting.splice(0);
    for (const runnable of starting) this.#launch(runnable);
    await Promise.all(starting.map((runnable) => this.#synced(runnable, timeoutMs)));
  }

  /** Stops everything; the names of what had not ended when the time was over. */
  async stop(timeoutMs: number): Promise<readonly string[]> {
    this.#stopping.abort();
    const ended = Promise.all(this.#running.map((one) => one.ended));
    await callWithin(this.#clock, Math.max(timeoutMs, 0), undefined, () => ended);
    return this.#running.filter((one) => !one.hasEnded).map(({ name }) => name);
  }

  #launch(runnable: Runnable): void {
    const name = runnable.name ?? `${this.name} ${this.#running.length}`;
    const running: Running = { name, ended: Promise.resolve(), hasEnded: false };
    running.ended = (async () => {
      try {
        await runnable.run(this.#stopping.signal);
      } catch (error) {
        // Being told to stop is no failure, however it is answered.
        if (!this.#stopping.signal.aborted) this.#onFailure(error);
      }
      running.hasEnded = true;
    })();
    this.#running.push(running);
  }

  async #synced(runnable: Runnable, timeoutMs: number): Promise<void> {
    if (runnable.waitForSync === undefined) return;
    const outcome = await callWithin(this.#clock, timeoutMs, this.#stopping.signal, (signal) =>
      runnable.waitForSync!(signal),
    );
    if (outcome.kind === 'aborted') return;
    if (outcome.kind === 'value' && outcome.value) return;
    throw new RuntimeError(
      'WG_RUNTIME_CACHE_SYNC',
      `${runnable.name ?? this.name} did not fill in ${timeoutMs} ms`,
      outcome.kind === 'error' ? { cause: outcome.error } : {},
    );
  }
}
