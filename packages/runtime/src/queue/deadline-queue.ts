import { DeadlineHeap, type HeapEntry } from './deadline-heap.ts';
import { DeadlineRun } from './deadline-run.ts';

/** An entry of a `DeadlineQueue`, to which both fields belong. */
export interface DeadlineEntry extends HeapEntry {
  order: number;
  /** Where it is: below -1 its run and its index there, -1 nowhere, else its position in the heap. */
  place: number;
}

/** As many different delays cost nothing; a limiter that doubles them has few in use at a time. */
const runCount = 8;

/**
 * Entries by deadline, which can be made earlier and be removed.
 *
 * All that are given one and the same delay come in the order of their deadlines, and so they are kept
 * in a few sorted runs. What fits none of them goes to a binary heap.
 */
export class DeadlineQueue<E extends DeadlineEntry> {
  readonly #heap = new DeadlineHeap<E>();
  readonly #runs: readonly DeadlineRun<E>[] = Array.from(
    { length: runCount },
    () => new DeadlineRun<E>(),
  );
  #nextOrder = 0;
  #count = 0;

  get length(): number {
    return this.#count;
  }

  /** Slots that are held, those of removed entries included: what it costs in memory. */
  get slotCount(): number {
    return this.#runs.reduce((sum, run) => sum + run.slotCount, this.#heap.length);
  }

  /** The entry with the earliest deadline. */
  peek(): E | undefined {
    let first = this.#heap.head;
    let firstMs = first === undefined ? Number.POSITIVE_INFINITY : this.#heap.headMs;
    for (const run of this.#runs) {
      const { head } = run;
      if (head === undefined) continue;
      const { headMs } = run;
      if (first !== undefined && !(headMs < firstMs || isTieWon(head, headMs, first, firstMs)))
        continue;
      first = head;
      firstMs = headMs;
    }
    return first;
  }

  /** The deadline of an entry that is in the queue. */
  deadlineOf({ place }: E): number {
    if (place >= 0) return this.#heap.deadlineAt(place);
    return this.#runs[runOf(place)]!.deadlineAt(indexOf(place));
  }

  push(entry: E, readyAtMs: number): void {
    this.#count++;
    entry.order = this.#nextOrder++;
    const fitting = this.#runFor(readyAtMs);
    if (fitting === undefined) this.#heap.push(entry, readyAtMs);
    else entry.place = placeOf(fitting, this.#runs[fitting]!.push(entry, readyAtMs));
  }

  pop(): E | undefined {
    const first = this.peek();
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Gives an entry an earlier deadline. It keeps its rank among equal ones. */
  moveEarlier(entry: E, readyAtMs: number): void {
    if (entry.place < 0) {
      this.#removeFromRun(entry);
      this.#heap.push(entry, readyAtMs);
    } else this.#heap.moveEarlier(entry, readyAtMs);
  }

  remove(entry: E): void {
    this.#count--;
    if (entry.place < 0) this.#removeFromRun(entry);
    else this.#heap.remove(entry);
    entry.place = -1;
  }

  /** The run whose last deadline is the latest of those that do not come after this one. */
  #runFor(readyAtMs: number): number | undefined {
    let best: number | undefined;
    let bestMs = 0;
    for (let run = 0; run < runCount; run++) {
      const { lastMs } = this.#runs[run]!;
      if (lastMs > readyAtMs || (best !== undefined && lastMs <= bestMs)) continue;
      best = run;
      bestMs = lastMs;
    }
    return best;
  }

  #removeFromRun({ place }: E): void {
    const number = runOf(place);
    const run = this.#runs[number]!;
    run.remove(indexOf(place));
    if (run.isMostlyDead)
      run.compact((entry, index) => {
        entry.place = placeOf(number, index);
      });
  }
}

/** The place of an entry in a run, apart from those in the heap and from -1. */
function placeOf(run: number, index: number): number {
  return -2 - (index * runCount + run);
}

function runOf(place: number): number {
  return (-2 - place) % runCount;
}

function indexOf(place: number): number {
  return Math.floor((-2 - place) / runCount);
}

function isTieWon(
  one: DeadlineEntry,
  oneMs: number,
  other: DeadlineEntry,
  otherMs: number,
): boolean {
  return oneMs === otherMs && one.order < other.order;
}
