import type { Entry } from './entry.ts';

/**
 * The current objects of one resource, in the order of their keys (`namespace/name`).
 * Invariant: `#keys` is sorted and holds exactly the keys of `#entries`.
 */
export class Collection {
  readonly #entries = new Map<string, Entry>();
  readonly #keys: string[] = [];

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  set(key: string, entry: Entry): void {
    if (!this.#entries.has(key)) this.#keys.splice(this.#position(key), 0, key);
    this.#entries.set(key, entry);
  }

  delete(key: string): void {
    if (!this.#entries.delete(key)) return;
    this.#keys.splice(this.#position(key), 1);
  }

  /** The entries of a namespace, or of all when it is empty, as they are now. */
  entries(namespace = ''): Entry[] {
    if (namespace === '') return this.#keys.map((key) => this.#entries.get(key) as Entry);
    const prefix = `${namespace}/`;
    const found: Entry[] = [];
    for (let i = this.#position(prefix); i < this.#keys.length; i++) {
      const key = this.#keys[i] as string;
      if (!key.startsWith(prefix)) break;
      found.push(this.#entries.get(key) as Entry);
    }
    return found;
  }

  /** Loads many at once: sorted a single time. */
  load(entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.set(entry.key, entry);
    this.#keys.length = 0;
    for (const key of this.#entries.keys()) this.#keys.push(key);
    this.#keys.sort(compareKeys);
  }

  #position(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.#keys[middle] as string, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** By code unit, as a byte-wise store would order ASCII keys. */
export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
