import type { Entry } from './entry.ts';
import { EntryList } from './entry-list.ts';
import { firstIndex, renderedSegments, Segment } from './segment.ts';

/**
 * The current objects of one resource, in the order of their keys (`namespace/name`).
 * Invariant: `#segments` hold exactly the keys of `#entries`, in rising order, and none is empty.
 */
export class Collection {
  readonly #entries = new Map<string, Entry>();
  readonly #segments: Segment[] = [];

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  set(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    if (this.#segments.length === 0) {
      this.#segments.push(new Segment([key], [entry]));
      return;
    }
    // What is after all others goes to the last one.
    const at = Math.min(this.#position(key), this.#segments.length - 1);
    this.#replace(at, 1, (this.#segments[at] as Segment).with(key, entry));
  }

  delete(key: string): void {
    if (!this.#entries.delete(key)) return;
    const at = this.#position(key);
    const shorter = (this.#segments[at] as Segment).without(key);
    const next = this.#segments[at + 1];
    const both = next === undefined ? undefined : shorter.joined(next);
    if (both !== undefined) this.#replace(at, 2, [both]);
    else this.#replace(at, 1, shorter.length === 0 ? [] : [shorter]);
  }

  /** The entries of a namespace, or of all when it is empty, as they are now. */
  list(namespace = ''): EntryList {
    return EntryList.ofSegments(this.#segments).inNamespace(namespace);
  }

  /** Like {@link list}, as an array. */
  entries(namespace = ''): Entry[] {
    return this.list(namespace).toArray();
  }

  /** Loads many at once: sorted a single time. */
  load(entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.set(entry.key, entry);
    const sorted = [...this.#entries].sort(([one], [other]) => compareKeys(one, other));
    const keys = sorted.map(([key]) => key);
    const values = sorted.map(([, entry]) => entry);
    this.#replace(0, this.#segments.length, Segment.cut(keys, values));
  }

  #replace(at: number, count: number, segments: readonly Segment[]): void {
    for (const old of this.#segments.splice(at, count, ...segments)) renderedSegments.forget(old);
  }

  /** The index of the segment whose last key is the first one not before the given. */
  #position(key: string): number {
    return firstIndex(
      this.#segments.length,
      (index) => ((this.#segments[index] as Segment).keys.at(-1) as string) >= key,
    );
  }
}

/** By code unit, as a byte-wise store would order ASCII keys. */
export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
