/** What a queue knows of one item. */
export interface TableEntry<K> {
  readonly item: K;
  /** Bits of what holds of the item. The entry is idle when it is zero. */
  state: number;
}

/** So many idle entries cost nothing worth saving. */
const idleAllowance = 1_024;
/** A table of which only this share is in use is made anew. */
const smallestUsedShare = 1 / 16;

/**
 * The entries of a queue by item. One that became idle stays for a while: the next add of the same
 * item, as is most likely, then neither makes an entry nor changes the table, and a queue that runs
 * empty is cleared at once instead of item by item. An item that is an object goes at once, for
 * whoever added it may count on its being collected.
 *
 * Memory stays linear in what is in use. A new item takes the place of an idle one when there are more
 * idle entries than others, and when nearly all are idle they are dropped together.
 */
export class EntryTable<K, E extends TableEntry<K>> {
  readonly #create: (item: K) => E;
  #entries = new Map<K, E>();
  /** Entries in the table whose state is zero. */
  #idleCount = 0;
  /** Looks for idle entries, from the oldest on. */
  #hand: Iterator<E> | undefined;
  /** An entry that is in `entries`. To find it takes no look-up, which costs most in large tables. */
  #expected: E | undefined;

  constructor(create: (item: K) => E) {
    this.#create = create;
  }

  /** How many entries there are, idle ones included. */
  get size(): number {
    return this.#entries.size;
  }

  /** The entry of an item, if there is one. It may be idle. */
  find(item: K): E | undefined {
    const expected = this.#expected;
    if (expected !== undefined && expected.item === item) return expected;
    return this.#entries.get(item);
  }

  /** What comes next is about an entry of the table, or nobody knows about which. */
  expect(entry: E | undefined): void {
    this.#expected = entry;
  }

  /** The entry of an item, made if there is none. Whoever calls sets its state to other than zero. */
  take(item: K): E {
    const found = this.#entries.get(item);
    if (found !== undefined) {
      if (found.state === 0) this.#idleCount--;
      return found;
    }
    if (this.#idleCount > idleAllowance && this.#idleCount > this.#entries.size / 2)
      this.#dropOneIdle();
    const entry = this.#create(item);
    this.#entries.set(item, entry);
    return entry;
  }

  /** The state of an entry of the table became zero. */
  release(entry: E): void {
    if (typeof entry.item === 'object') {
      this.#entries.delete(entry.item);
      this.#expected = undefined;
      return;
    }
    if (++this.#idleCount <= idleAllowance) return;
    const usedCount = this.#entries.size - this.#idleCount;
    if (usedCount < this.#entries.size * smallestUsedShare) this.#dropIdle(usedCount);
  }

  #dropOneIdle(): void {
    for (;;) {
      this.#hand ??= this.#entries.values();
      const { done, value } = this.#hand.next();
      if (done) {
        this.#hand = undefined;
        continue;
      }
      if (value.state !== 0) continue;
      this.#entries.delete(value.item);
      this.#idleCount--;
      if (this.#expected === value) this.#expected = undefined;
      return;
    }
  }

  #dropIdle(usedCount: number): void {
    const used = new Map<K, E>();
    if (usedCount > 0)
      for (const entry of this.#entries.values())
        if (entry.state !== 0) used.set(entry.item, entry);
    this.#entries = used;
    this.#idleCount = 0;
    this.#hand = undefined;
    this.#expected = undefined;
  }
}
