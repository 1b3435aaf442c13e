/** An entry of a `DeadlineHeap`. `order` breaks ties, so that equal deadlines leave as they came. */
export interface DeadlineEntry {
  readyAtMs: number;
  order: number;
  /** Its place in the heap, kept by the heap. */
  position: number;
}

/** A binary heap by deadline whose entries can be moved and removed. */
export class DeadlineHeap<E extends DeadlineEntry> {
  private readonly entries: E[] = [];

  get length(): number {
    return this.entries.length;
  }

  /** The entry with the earliest deadline. */
  peek(): E | undefined {
    return this.entries[0];
  }

  push(entry: E): void {
    this.entries.push(entry);
    this.rise(entry, this.entries.length - 1);
  }

  pop(): E | undefined {
    const first = this.entries[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** The entry's deadline became earlier. */
  moveEarlier(entry: E): void {
    this.rise(entry, entry.position);
  }

  remove(entry: E): void {
    const last = this.entries.pop()!;
    if (last === entry) return;
    const position = entry.position;
    this.sink(last, position);
    if (last.position === position) this.rise(last, position);
  }

  clear(): void {
    this.entries.length = 0;
  }

  private rise(entry: E, from: number): void {
    let position = from;
    while (position > 0) {
      const parentPosition = (position - 1) >> 1;
      const parent = this.entries[parentPosition]!;
      if (!isBefore(entry, parent)) break;
      this.place(parent, position);
      position = parentPosition;
    }
    this.place(entry, position);
  }

  private sink(entry: E, from: number): void {
    const count = this.entries.length;
    let position = from;
    for (;;) {
      let childPosition = 2 * position + 1;
      if (childPosition >= count) break;
      let child = this.entries[childPosition]!;
      if (childPosition + 1 < count && isBefore(this.entries[childPosition + 1]!, child))
        child = this.entries[++childPosition]!;
      if (!isBefore(child, entry)) break;
      this.place(child, position);
      position = childPosition;
    }
    this.place(entry, position);
  }

  private place(entry: E, position: number): void {
    this.entries[position] = entry;
    entry.position = position;
  }
}

function isBefore(one: DeadlineEntry, other: DeadlineEntry): boolean {
  if (one.readyAtMs !== other.readyAtMs) return one.readyAtMs < other.readyAtMs;
  return one.order < other.order;
}
