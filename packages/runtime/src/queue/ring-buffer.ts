const smallestCapacity = 16;

/**
 * A first-in-first-out buffer without a limit. Taking an element clears its slot, so that what left
 * the buffer can be collected, and a burst that has passed gives its memory back.
 */
export class RingBuffer<T> {
  /** Its length is a power of two; `mask` is that length less one. */
  #slots: (T | undefined)[];
  #mask: number;
  #head = 0;
  #count = 0;
  readonly #initialCapacity: number;

  constructor(initialCapacity = smallestCapacity) {
    let capacity = smallestCapacity;
    while (capacity < initialCapacity) capacity *= 2;
    this.#initialCapacity = capacity;
    this.#slots = new Array(capacity);
    this.#mask = capacity - 1;
  }

  get length(): number {
    return this.#count;
  }

  get capacity(): number {
    return this.#mask + 1;
  }

  push(value: T): void {
    if (this.#count > this.#mask) this.#resize(this.#slots.length * 2);
    this.#slots[(this.#head + this.#count) & this.#mask] = value;
    this.#count++;
  }

  /** The oldest element, or undefined when the buffer is empty. */
  shift(): T | undefined {
    if (this.#count === 0) return undefined;
    const value = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & this.#mask;
    this.#count--;
    if (this.#mask >= this.#initialCapacity && this.#count <= this.#mask >> 3)
      this.#resize(Math.max(this.#slots.length / 4, this.#initialCapacity));
    return value;
  }

  /** The element at a distance from the oldest. */
  at(index: number): T | undefined {
    return index < this.#count ? this.#slots[(this.#head + index) & this.#mask] : undefined;
  }

  clear(): void {
    this.#slots = new Array(this.#initialCapacity);
    this.#mask = this.#initialCapacity - 1;
    this.#head = 0;
    this.#count = 0;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let index = 0; index < this.#count; index++)
      yield this.#slots[(this.#head + index) & this.#mask] as T;
  }

  #resize(capacity: number): void {
    const next = new Array<T | undefined>(capacity);
    for (let index = 0; index < this.#count; index++)
      next[index] = this.#slots[(this.#head + index) & this.#mask];
    this.#slots = next;
    this.#mask = capacity - 1;
    this.#head = 0;
  }
}
