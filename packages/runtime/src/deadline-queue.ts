import { RingBuffer } from './ring-buffer.ts';

/** An entry of a `DeadlineQueue`. The last field belongs to the queue. */
export interface DeadlineEntry {
  readyAtMs: number;
  /** Breaks ties, so that equal deadlines leave as they came. */
  order: number;
  /**
   * Where it is: its position in the heap when that is not negative, -1 when it is nowhere, and below
   * that its index in the run, as `inRun` makes it.
   */
  place: number;
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
  /** How many slots of the run have been taken since it was last empty: the index of its head. */
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
    if (this.run.length === 0) this.runHead = 0;
    if (this.run.length === 0 || this.runLastMs <= entry.readyAtMs) {
      this.runLastMs = entry.readyAtMs;
      entry.place = inRun(this.runHead + this.run.length);
      this.run.push(entry);
      return;
    }
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
    if (entry.place >= 0) {
      entry.readyAtMs = readyAtMs;
      this.rise(entry, entry.place);
      return;
    }
    this.remove(entry);
    entry.readyAtMs = readyAtMs;
    this.heap.push(entry);
    this.rise(entry, this.heap.length - 1);
  }

  remove(entry: E): void {
    if (entry.place < -1) this.removeFromRun(entry);
    else this.removeFromHeap(entry);
  }

  clear(): void {
    this.heap.length = 0;
    this.run.clear();
    this.deadSlots = 0;
  }

  private removeFromRun(entry: E): void {
    if (entry.place === inRun(this.runHead)) {
      this.run.shift();
      this.runHead++;
    } else this.deadSlots++;
    entry.place = -1;
    // Dead slots must not outweigh the living ones for long.
    if (this.deadSlots > 64 && this.deadSlots > this.run.length / 2) this.compactRun();
  }

  private dropDeadSlots(): void {
    while (this.deadSlots > 0 && this.run.at(0)!.place !== inRun(this.runHead)) {
      this.run.shift();
      this.runHead++;
      this.deadSlots--;
    }
  }

  private compactRun(): void {
    const living = [...this.run].filter(
      (entry, index) => entry.place === inRun(this.runHead + index),
    );
    this.runHead = 0;
    this.run.clear();
    this.deadSlots = 0;
    for (const [index, entry] of living.entries()) {
      entry.place = inRun(index);
      this.run.push(entry);
    }
  }

  private removeFromHeap(entry: E): void {
    const last = this.heap.pop()!;
    const { place } = entry;
    entry.place = -1;
    if (last === entry) return;
    this.sink(last, place);
    if (last.place === place) this.rise(last, place);
  }

  private rise(entry: E, from: number): void {
    let position = from;
    while (position > 0) {
      const parentPosition = (position - 1) >> 1;
      const parent = this.heap[parentPosition]!;
      if (!isBefore(entry, parent)) break;
      this.put(parent, position);
      position = parentPosition;
    }
    this.put(entry, position);
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
      this.put(child, position);
      position = childPosition;
    }
    this.put(entry, position);
  }

  private put(entry: E, position: number): void {
    this.heap[position] = entry;
    entry.place = position;
  }
}

/** The place of an entry in the run, apart from those in the heap and from -1. */
function inRun(index: number): number {
  return -2 - index;
}

function isBefore(one: DeadlineEntry, other: DeadlineEntry): boolean {
  if (one.readyAtMs !== other.readyAtMs) return one.readyAtMs < other.readyAtMs;
  return one.order < other.order;
}
