import { RingBuffer } from './ring-buffer.ts';

/** An entry of a `DeadlineQueue`. The last two fields belong to the queue. */
export interface DeadlineEntry {
  readyAtMs: number;
  /** Breaks ties, so that equal deadlines leave as they came. */
  order: number;
  /** Its place in the heap; negative when it is not in it. */
  position: number;
  /** Its place among all that ever were in the run; negative when it is not in it. */
  runIndex: number;
}

/**
 * Entries by deadline, which can be made earlier and be removed.
 *
 * Deadlines mostly come in ascending order, as many items have the same delay: those are kept as a
 * sorted run, where adding and taking cost nothing. The rest goes to a binary heap.
 */
export class DeadlineQueue<E extends DeadlineEntry> {
  private readonly heap: E[] = [];
  /** Ascending. An entry that left it otherwise than at its head stays as a dead slot until then. */
  private readonly run = new RingBuffer<E>();
  /** How many slots of the run have been taken: the index of its head. */
  private runHead = 0;
  private deadSlots = 0;
  /** The deadline that was last added to the run. Its slot may be dead, and the entry have another. */
  private runLastMs = 0;

  get length(): number {
    return this.heap.length + this.run.length - this.deadSlots;
  }

  /** The entry with the earliest deadline. */
  peek(): E | undefined {
    this.dropDeadSlots();
    const first = this.run.at(0);
    const top = this.heap[0];
    if (first === undefined || top === undefined) return first ?? top;
    return isBefore(first, top) ? first : top;
  }

  push(entry: E): void {
    if (this.run.length === 0 || this.runLastMs <= entry.readyAtMs) {
      this.runLastMs = entry.readyAtMs;
      entry.runIndex = this.runHead + this.run.length;
      entry.position = -1;
      this.run.push(entry);
      return;
    }
    entry.runIndex = -1;
    this.heap.push(entry);
    this.rise(entry, this.heap.length - 1);
  }

  pop(): E | undefined {
    const first = this.peek();
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Gives an entry an earlier deadline. */
  moveEarlier(entry: E, readyAtMs: number): void {
    if (entry.runIndex < 0) {
      entry.readyAtMs = readyAtMs;
      this.rise(entry, entry.position);
      return;
    }
    this.remove(entry);
    entry.readyAtMs = readyAtMs;
    this.heap.push(entry);
    this.rise(entry, this.heap.length - 1);
  }

  remove(entry: E): void {
    if (entry.runIndex >= 0) this.removeFromRun(entry);
    else this.removeFromHeap(entry);
  }

  clear(): void {
    this.heap.length = 0;
    this.run.clear();
    this.deadSlots = 0;
  }

  private removeFromRun(entry: E): void {
    if (entry.runIndex === this.runHead) {
      this.run.shift();
      this.runHead++;
    } else this.deadSlots++;
    entry.runIndex = -1;
    entry.position = -1;
    // Dead slots must not outweigh the living ones for long.
    if (this.deadSlots > 64 && this.deadSlots > this.run.length / 2) this.compactRun();
  }

  private dropDeadSlots(): void {
    while (this.deadSlots > 0 && this.run.at(0)!.runIndex !== this.runHead) {
      this.run.shift();
      this.runHead++;
      this.deadSlots--;
    }
  }

  private compactRun(): void {
    const living = [...this.run].filter((entry, index) => entry.runIndex === this.runHead + index);
    this.runHead += this.run.length;
    this.run.clear();
    this.deadSlots = 0;
    for (const [index, entry] of living.entries()) {
      entry.runIndex = this.runHead + index;
      this.run.push(entry);
    }
  }

  private removeFromHeap(entry: E): void {
    const last = this.heap.pop()!;
    const { position } = entry;
    entry.position = -1;
    if (last === entry) return;
    this.sink(last, position);
    if (last.position === position) this.rise(last, position);
  }

  private rise(entry: E, from: number): void {
    let position = from;
    while (position > 0) {
      const parentPosition = (position - 1) >> 1;
      const parent = this.heap[parentPosition]!;
      if (!isBefore(entry, parent)) break;
      this.place(parent, position);
      position = parentPosition;
    }
    this.place(entry, position);
  }

  private sink(entry: E, from: number): void {
    const count = this.heap.length;
    let position = from;
    for (;;) {
      let childPosition = 2 * position + 1;
      if (childPosition >= count) break;
      let child = this.heap[childPosition]!;
      if (childPosition + 1 < count && isBefore(this.heap[childPosition + 1]!, child))
        child = this.heap[++childPosition]!;
      if (!isBefore(child, entry)) break;
      this.place(child, position);
      position = childPosition;
    }
    this.place(entry, position);
  }

  private place(entry: E, position: number): void {
    this.heap[position] = entry;
    entry.position = position;
  }
}

function isBefore(one: DeadlineEntry, other: DeadlineEntry): boolean {
  if (one.readyAtMs !== other.readyAtMs) return one.readyAtMs < other.readyAtMs;
  return one.order < other.order;
}
