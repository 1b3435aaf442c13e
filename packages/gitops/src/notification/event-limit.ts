import type { Clock } from '@waygate/runtime';

/** More than this many are not remembered: the oldest may then be told once more. */
const maxKeys = 20_000;

/** Lets the same thing through once in a while. */
export class EventLimit {
  readonly #intervalMs: number;
  readonly #clock: Clock;
  /** When each was let through; in that order, as nothing is let through twice in the interval. */
  readonly #seen = new Map<string, number>();

  constructor(intervalMs: number, clock: Clock) {
    this.#intervalMs = intervalMs;
    this.#clock = clock;
  }

  /** Whether this is the first of its kind in the interval. */
  admit(key: string): boolean {
    const now = this.#clock.monotonicMs();
    for (const [old, at] of this.#seen) {
      if (at + this.#intervalMs > now && this.#seen.size < maxKeys) break;
      this.#seen.delete(old);
    }
    if (this.#seen.has(key)) return false;
    this.#seen.set(key, now);
    return true;
  }
}
