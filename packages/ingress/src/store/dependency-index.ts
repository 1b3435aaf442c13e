import type { ReadKey } from './object-store.ts';

/** Whose result was made from which look-ups, in both directions. */
export class DependencyIndex<Unit> {
  readonly #readersOf = new Map<ReadKey, Set<Unit>>();
  readonly #readsOf = new Map<Unit, Set<ReadKey>>();

  /** Notes what a unit read in its latest run, in place of what it read before. */
  record(unit: Unit, reads: Set<ReadKey>): void {
    const before = this.#readsOf.get(unit);
    if (before !== undefined) {
      for (const key of before) if (!reads.has(key)) this.#forget(key, unit);
    }
    for (const key of reads) {
      if (before?.has(key)) continue;
      let readers = this.#readersOf.get(key);
      if (readers === undefined) {
        readers = new Set();
        this.#readersOf.set(key, readers);
      }
      readers.add(unit);
    }
    this.#readsOf.set(unit, reads);
  }

  remove(unit: Unit): void {
    for (const key of this.#readsOf.get(unit) ?? []) this.#forget(key, unit);
    this.#readsOf.delete(unit);
  }

  /** The units whose result may have changed because this look-up may answer differently. */
  readersOf(key: ReadKey): Iterable<Unit> {
    return this.#readersOf.get(key) ?? [];
  }

  #forget(key: ReadKey, unit: Unit): void {
    const readers = this.#readersOf.get(key);
    readers?.delete(unit);
    if (readers?.size === 0) this.#readersOf.delete(key);
  }
}
