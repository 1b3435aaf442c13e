import type { ReadKey } from './object-store.ts';

/**
 * Whose result was made from which look-ups, in both directions. Most look-ups have one reader and
 * most readers a handful of look-ups, in numbers that grow with the cluster: a single reader is held
 * as it is, and a set is made for the second only.
 */
export class DependencyIndex<Unit extends object> {
  readonly #readersOf = new Map<ReadKey, Unit | Set<Unit>>();
  readonly #readsOf = new Map<Unit, readonly ReadKey[]>();

  /** Notes what a unit read in its latest run, in place of what it read before. */
  record(unit: Unit, reads: readonly ReadKey[]): void {
    const before = this.#readsOf.get(unit);
    if (before !== undefined && !isSame(before, reads)) {
      const kept = new Set(reads);
      for (const key of before) if (!kept.has(key)) this.#forget(key, unit);
    }
    for (const key of reads) this.#remember(key, unit);
    this.#readsOf.set(unit, reads);
  }

  remove(unit: Unit): void {
    for (const key of this.#readsOf.get(unit) ?? []) this.#forget(key, unit);
    this.#readsOf.delete(unit);
  }

  /** The units whose result may have changed because this look-up may answer differently. */
  readersOf(key: ReadKey): Iterable<Unit> {
    const readers = this.#readersOf.get(key);
    if (readers === undefined) return [];
    return readers instanceof Set ? readers : [readers];
  }

  isRead(key: ReadKey): boolean {
    return this.#readersOf.has(key);
  }

  #remember(key: ReadKey, unit: Unit): void {
    const readers = this.#readersOf.get(key);
    if (readers === undefined) this.#readersOf.set(key, unit);
    else if (readers instanceof Set) readers.add(unit);
    else if (readers !== unit) this.#readersOf.set(key, new Set([readers, unit]));
  }

  #forget(key: ReadKey, unit: Unit): void {
    const readers = this.#readersOf.get(key);
    if (readers === unit) this.#readersOf.delete(key);
    if (!(readers instanceof Set)) return;
    readers.delete(unit);
    if (readers.size === 0) this.#readersOf.delete(key);
  }
}

function isSame(left: readonly ReadKey[], right: readonly ReadKey[]): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}
