/**
 * A list that is filled and emptied for each look-up and keeps its memory in between. What it held
 * before stays reachable until it is written over: a handful of entries.
 */
export class ScratchList<T> {
  readonly #items: T[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#size = 0;
  }

  push(item: T): void {
    this.#items[this.#size] = item;
    this.#size += 1;
  }

  /** The index must be below the size. */
  at(index: number): T {
    return this.#items[index] as T;
  }
}
