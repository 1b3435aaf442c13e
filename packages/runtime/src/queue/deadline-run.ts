const smallestCapacity = 16;

/**
 * Entries whose deadlines came in ascending order, as those with one and the same delay do: adding
 * and taking cost nothing. An entry that leaves otherwise than at the head stays as a dead slot until
 * then, so that those behind it keep their places.
 */
export class DeadlineRun<E> {
  /** Rings of one length, a power of two. Deadlines apart, as numbers without an object around each. */
  #entries: (E | undefined)[] = new Array(smallestCapacity);
  #deadlines = new Float64Array(smallestCapacity);
  /** Slots in use, dead ones included. */
  #count = 0;
  /** How many slots were taken since the run was last empty: the index of its head. */
  #headIndex = 0;
  #deadCount = 0;
  /** The deadline that was added last, also when its slot is dead. Any is later than that of no slot. */
  lastMs = Number.NEGATIVE_INFINITY;

  /** With those of removed entries. */
  get slotCount(): number {
    return this.#count;
  }

  /** The entry with the earliest deadline. Its slot is never dead. */
  get head(): E | undefined {
    return this.#count === 0 ? undefined : this.#entries[this.#headIndex & this.#mask];
  }

  get headMs(): number {
    return this.#deadlines[this.#headIndex & this.#mask]!;
  }

  deadlineAt(index: number): number {
    return this.#deadlines[index & this.#mask]!;
  }

  /** Adds an entry that is not due before any other, and gives its index. */
  push(entry: E, readyAtMs: number): number {
    if (this.#count === this.#entries.length) this.#resize(this.#count * 2);
    const index = this.#headIndex + this.#count;
    this.#entries[index & this.#mask] = entry;
    this.#deadlines[index & this.#mask] = readyAtMs;
    this.#count++;
    this.lastMs = readyAtMs;
    return index;
  }

  remove(index: number): void {
    this.#entries[index & this.#mask] = undefined;
    this.#deadCount++;
    while (this.#count > 0 && this.head === undefined) {
      this.#headIndex++;
      this.#count--;
      this.#deadCount--;
    }
    if (this.#count === 0) this.#reset();
    else if (this.#entries.length > smallestCapacity && this.#count <= this.#entries.length >> 3)
      this.#resize(this.#entries.length / 4);
  }

  /** Whether dead slots outweigh the others so much that the run had better be made anew. */
  get isMostlyDead(): boolean {
    return this.#deadCount > 64 && this.#deadCount > this.#count / 2;
  }

  /** Leaves the dead slots out. Each entry is told its new index. */
  compact(moved: (entry: E, index: number) => void): void {
    const living: [E, number][] = [];
    for (let index = this.#headIndex; index < this.#headIndex + this.#count; index++) {
      const entry = this.#entries[index & this.#mask];
      if (entry !== undefined) living.push([entry, this.deadlineAt(index)]);
    }
    const { lastMs } = this;
    this.#reset();
    for (const [entry, readyAtMs] of living) moved(entry, this.push(entry, readyAtMs));
    // The last slot may have been a dead one; whatever is added must not be due before it even so.
    this.lastMs = lastMs;
  }

  get #mask(): number {
    return this.#entries.length - 1;
  }

  #reset(): void {
    this.#count = 0;
    this.#headIndex = 0;
    this.#deadCount = 0;
    this.lastMs = Number.NEGATIVE_INFINITY;
    if (this.#entries.length > smallestCapacity) this.#resize(smallestCapacity);
  }

  /** Indices stay what they are: a slot is at its index, folded to the length of the ring. */
  #resize(capacity: number): void {
    const entries = new Array<E | undefined>(capacity);
    const deadlines = new Float64Array(capacity);
    for (let index = this.#headIndex; index < this.#headIndex + this.#count; index++) {
      entries[index & (capacity - 1)] = this.#entries[index & this.#mask];
      deadlines[index & (capacity - 1)] = this.#deadlines[index & this.#mask]!;
    }
    this.#entries = entries;
    this.#deadlines = deadlines;
  }
}
