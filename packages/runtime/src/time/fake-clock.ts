import { type Clock, sleepOn, type Timer } from './clock.ts';

interface FakeTimer extends Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when it is told to. Controllers are tested on it without sleeping:
 *
 * ```ts
 * const clock = new FakeClock();
 * const queue = new DelayingQueue<string>({ clock });
 * queue.addAfter('default/web', 5_000);
 * await clock.advance(5_000);
 * ```
 */
export class FakeClock implements Clock {
  /** Ordered by due time, then by the order in which they were set. */
  #timers: FakeTimer[] = [];
  #elapsedMs = 0;
  #wallOffsetMs: number;
  #outstandingYields = 0;

  constructor(startMs = 0) {
    this.#wallOffsetMs = startMs;
  }

  now(): number {
    return this.#wallOffsetMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer: FakeTimer = {
      dueMs: this.#elapsedMs + Math.max(delayMs, 0),
      callback,
      cancel: () => this.#remove(timer),
    };
    let index = this.#timers.length;
    while (index > 0 && this.#timers[index - 1]!.dueMs > timer.dueMs) index--;
    this.#timers.splice(index, 0, timer);
    return timer;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<boolean> {
    return sleepOn(this, delayMs, signal);
  }

  yield(): Promise<void> {
    this.#outstandingYields++;
    return this.turn().then(() => {
      this.#outstandingYields--;
    });
  }

  /** Timers that have not fired yet. A stopped program leaves none. */
  get timerCount(): number {
    return this.#timers.length;
  }

  /** How long until the next timer is due, or undefined when none is set. */
  get nextTimerMs(): number | undefined {
    const next = this.#timers[0];
    return next === undefined ? undefined : next.dueMs - this.#elapsedMs;
  }

  /** Lets everything run that can run without time passing. */
  async settle(): Promise<void> {
    do {
      await this.turn();
    } while (this.#outstandingYields > 0 || this.#fireDue());
  }

  /** Moves time on, firing each timer at its own instant and settling after each. */
  async advance(ms: number): Promise<void> {
    const target = this.#elapsedMs + ms;
    await this.settle();
    while (this.#timers.length > 0 && this.#timers[0]!.dueMs <= target) {
      this.#elapsedMs = Math.max(this.#elapsedMs, this.#timers[0]!.dueMs);
      await this.settle();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, target);
    await this.settle();
  }

  /** Moves time on in one leap, as a process that was suspended sees it: every due timer fires late. */
  async leap(ms: number): Promise<void> {
    this.jump(ms);
    await this.settle();
  }

  /** Moves time on without letting anything run: due timers fire when the clock next settles. */
  jump(ms: number): void {
    this.#elapsedMs += ms;
  }

  /** Changes the wall clock only, as a correction by NTP does. Durations are not affected. */
  jumpWallClock(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** Resolves when everything has run that could: by default a turn of the event loop, with its I/O. */
  protected turn(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  #fireDue(): boolean {
    const next = this.#timers[0];
    if (next === undefined || next.dueMs > this.#elapsedMs) return false;
    this.#timers.shift();
    next.callback();
    return true;
  }

  #remove(timer: FakeTimer): void {
    const index = this.#timers.indexOf(timer);
    if (index >= 0) this.#timers.splice(index, 1);
  }
}
