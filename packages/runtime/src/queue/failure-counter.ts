/** Counts failures by item. */
export interface FailureTable<K> {
  /** Counts one more failure, and gives how many there were before. */
  increment(item: K): number;
  countOf(item: K): number;
  forget(item: K): void;
}

/**
 * The failures that a limiter counts. They are in a table of its own until a queue offers the one that
 * it has anyway: two tables of a million items each cost twice the time of one.
 */
export class FailureCounter<K> implements FailureTable<K> {
  readonly #counts = new Map<K, number>();
  #table: FailureTable<K> | undefined;

  /** Counts in another table from now on. Refused when there is one, or failures that it lacks. */
  keepIn(table: FailureTable<K>): boolean {
    if (this.#table !== undefined || this.#counts.size > 0) return false;
    this.#table = table;
    return true;
  }

  increment(item: K): number {
    if (this.#table !== undefined) return this.#table.increment(item);
    const count = this.#counts.get(item) ?? 0;
    this.#counts.set(item, count + 1);
    return count;
  }

  countOf(item: K): number {
    return this.#table === undefined ? (this.#counts.get(item) ?? 0) : this.#table.countOf(item);
  }

  forget(item: K): void {
    if (this.#table === undefined) this.#counts.delete(item);
    else this.#table.forget(item);
  }
}
