import { type Clock, sleepOn, type Timer } from '../time/clock.ts';
import type { SimulationClock } from './simulation-clock.ts';

/** A process with a wall clock of its own, which can stand still: nothing reaches it meanwhile. */
export class SimulatedProcess implements Clock {
  isPaused = false;
  readonly #world: SimulationClock;
  #wallOffsetMs = 0;
  #waiting: (() => void)[] = [];

  constructor(world: SimulationClock) {
    this.#world = world;
  }

  now(): number {
    return this.#world.now() + this.#wallOffsetMs;
  }

  monotonicMs(): number {
    return this.#world.monotonicMs();
  }

  after(delayMs: number, callback: () => void): Timer {
    let isCancelled = false;
    const fire = () => {
      if (!isCancelled) callback();
    };
    const timer = this.#world.after(delayMs, () => this.deliver(fire));
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<boolean> {
    return sleepOn(this, delayMs, signal);
  }

  yield(): Promise<void> {
    return this.#world.yield();
  }

  deliver(callback: () => void): void {
    if (this.isPaused) this.#waiting.push(callback);
    else callback();
  }

  pause(ms: number): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.#world.after(ms, () => {
      this.isPaused = false;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const callback of waiting) callback();
    });
  }

  jumpWallClock(ms: number): void {
    this.#wallOffsetMs += ms;
  }
}
