/**
 * Numbers that are forgotten after a while. What has run out is swept when much is held, so memory
 * follows the number of live counters, not of all that ever were.
 */
export class ExpiringCounters {
  readonly #counters = new Map<string, { count: number; expiresAt: number }>();
  #sweepAt = 10_000;

  get(key: string, now: number): number {
    const counter = this.#counters.get(key);
    return counter === undefined || counter.expiresAt <= now ? 0 : counter.count;
  }

  add(key: string, by: number, now: number, expiresAt: number): number {
    const counter = this.#counters.get(key);
    if (counter !== undefined && counter.expiresAt > now) {
      counter.count += by;
      return counter.count;
    }
    if (this.#counters.size >= this.#sweepAt) this.#sweep(now);
    this.#counters.set(key, { count: by, expiresAt });
    return by;
  }

  #sweep(now: number): void {
    for (const [key, counter] of this.#counters) {
      if (counter.expiresAt <= now) this.#counters.delete(key);
    }
    this.#sweepAt = Math.max(10_000, this.#counters.size * 2);
  }
}
