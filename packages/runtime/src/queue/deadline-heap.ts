/** What a heap writes on its entries. */
export interface HeapEntry {
  /** Breaks ties, so that equal deadlines leave as they came. */
  readonly order: number;
  /** Its position in the heap, while it is in there. */
  place: number;
}

/** A binary heap of entries by deadline, which can be made earlier and be removed. */
export class DeadlineHeap<E extends HeapEntry> {
  readonly #entries: E[] = [];
  /** By position, as the entries are. */
  readonly #deadlines: number[] = [];

  get length(): number {
    return this.#entries.length;
  }

  /** The entry with the earliest deadline. */
  get head(): E | undefined {
    return this.#entries[0];
  }

  get headMs(): number {
    return this.#deadlines[0]!;
  }

  deadlineAt(position: number): number {
    return this.#deadlines[position]!;
  }

  push(entry: E, readyAtMs: number): void {
    this.#entries.push(entry);
    this.#deadlines.push(readyAtMs);
    this.#rise(entry, readyAtMs, this.#entries.length - 1);
  }

  moveEarlier(entry: E, readyAtMs: number): void {
    this.#rise(entry, readyAtMs, entry.place);
  }

  remove(entry: E): void {
    const last = this.#entries.pop()!;
    const lastMs = this.#deadlines.pop()!;
    const { place } = entry;
    if (last === entry) return;
    this.#sink(last, lastMs, place);
    if (last.place === place) this.#rise(last, lastMs, place);
  }

  #rise(entry: E, readyAtMs: number, from: number): void {
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!this.#isBefore(entry, readyAtMs, parent)) break;
      this.#put(this.#entries[parent]!, this.#deadlines[parent]!, position);
      position = parent;
    }
    this.#put(entry, readyAtMs, position);
  }

  #sink(entry: E, readyAtMs: number, from: number): void {
    const count = this.#entries.length;
    let position = from;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= count) break;
      const right = child + 1;
      if (right < count && this.#isBefore(this.#entries[right]!, this.#deadlines[right]!, child))
        child = right;
      if (this.#isBefore(entry, readyAtMs, child)) break;
      this.#put(this.#entries[child]!, this.#deadlines[child]!, position);
      position = child;
    }
    this.#put(entry, readyAtMs, position);
  }

  #put(entry: E, readyAtMs: number, position: number): void {
    this.#entries[position] = entry;
    this.#deadlines[position] = readyAtMs;
    entry.place = position;
  }

  #isBefore(entry: E, readyAtMs: number, position: number): boolean {
    const otherMs = this.#deadlines[position]!;
    if (readyAtMs !== otherMs) return readyAtMs < otherMs;
    return entry.order < this.#entries[position]!.order;
  }
}
