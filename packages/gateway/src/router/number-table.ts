const smallest = 16;
/** No value may be this. */
const empty = -0x80000000;

/**
 * A map from small whole numbers to whole numbers in one array: key and value stand side by side, so
 * that a look-up among many mostly reads one line of memory, where a Map reads three.
 */
export class NumberTable {
  /** Keys at even places, values behind them; a value that is `empty` says that the place is free. */
  #slots = freeSlots(smallest);
  #mask = smallest - 1;
  #size = 0;

  get(key: number): number | undefined {
    const slots = this.#slots;
    let at = key & this.#mask;
    for (;;) {
      const value = slots[at * 2 + 1] as number;
      if (value === empty) {
        return undefined;
      }
      if (slots[at * 2] === key) {
        return value;
      }
      at = (at + 1) & this.#mask;
    }
  }

  set(key: number, value: number): void {
    const at = this.#find(key);
    if (this.#slots[at * 2 + 1] === empty) {
      this.#size += 1;
      if (this.#size * 2 > this.#mask) {
        this.#resize((this.#mask + 1) * 2);
        this.#write(this.#find(key), key, value);
        return;
      }
    }
    this.#write(at, key, value);
  }

  delete(key: number): void {
    let hole = this.#find(key);
    const slots = this.#slots;
    if (slots[hole * 2 + 1] === empty) {
      return;
    }
    this.#size -= 1;
    // What stands behind the hole and would be looked for through it moves up.
    let at = (hole + 1) & this.#mask;
    while (slots[at * 2 + 1] !== empty) {
      const home = (slots[at * 2] as number) & this.#mask;
      if (((at - home) & this.#mask) >= ((at - hole) & this.#mask)) {
        this.#write(hole, slots[at * 2] as number, slots[at * 2 + 1] as number);
        hole = at;
      }
      at = (at + 1) & this.#mask;
    }
    this.#write(hole, 0, empty);
    if (this.#mask >= smallest && this.#size * 8 < this.#mask) {
      this.#resize((this.#mask + 1) / 2);
    }
  }

  /** The place of a key, or the free one where it would go. */
  #find(key: number): number {
    let at = key & this.#mask;
    while (this.#slots[at * 2 + 1] !== empty && this.#slots[at * 2] !== key) {
      at = (at + 1) & this.#mask;
    }
    return at;
  }

  #write(at: number, key: number, value: number): void {
    this.#slots[at * 2] = key;
    this.#slots[at * 2 + 1] = value;
  }

  #resize(capacity: number): void {
    const before = this.#slots;
    this.#slots = freeSlots(capacity);
    this.#mask = capacity - 1;
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] !== empty) {
        const key = before[at] as number;
        this.#write(this.#find(key), key, before[at + 1] as number);
      }
    }
  }
}

function freeSlots(capacity: number): Int32Array {
  const slots = new Int32Array(capacity * 2);
  for (let at = 1; at < slots.length; at += 2) {
    slots[at] = empty;
  }
  return slots;
}
