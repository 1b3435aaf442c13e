import type { Entry } from './entry.ts';

/** More than this many entries are split, so that a write copies and a list joins little anew. */
const largest = 128;
/** Two neighbours with no more than this many between them become one. */
const smallest = 48;

/**
 * A run of neighbouring entries of a collection. Immutable, so that a list that is still being
 * written and the bytes that were joined for earlier ones stay true whatever is written meanwhile.
 * Invariant: `keys[i]` is the key of `entries[i]`, in rising order.
 */
export class Segment {
  readonly keys: readonly string[];
  readonly entries: readonly Entry[];
  /** What a list made of the whole segment, kept by {@link RenderedSegments}. */
  rendered: RenderedSegment | undefined;

  /** Made for one answer: nothing that is joined of it will be of use again. */
  readonly isPassing: boolean;

  constructor(keys: readonly string[], entries: readonly Entry[], isPassing = false) {
    this.keys = keys;
    this.entries = entries;
    this.isPassing = isPassing;
  }

  get length(): number {
    return this.keys.length;
  }

  /** The index of the first key that is not before the given one. */
  position(key: string): number {
    return firstIndex(this.keys.length, (index) => (this.keys[index] as string) >= key);
  }

  /** What the segment becomes with an entry in it: itself anew, or two halves. */
  with(key: string, entry: Entry): Segment[] {
    const keys = this.keys.slice();
    const entries = this.entries.slice();
    const at = this.position(key);
    const replaced = keys[at] === key ? 1 : 0;
    keys.splice(at, replaced, key);
    entries.splice(at, replaced, entry);
    if (keys.length <= largest) return [new Segment(keys, entries)];
    const middle = keys.length >>> 1;
    return [
      new Segment(keys.slice(0, middle), entries.slice(0, middle)),
      new Segment(keys.slice(middle), entries.slice(middle)),
    ];
  }

  without(key: string): Segment {
    const at = this.position(key);
    return new Segment(this.keys.toSpliced(at, 1), this.entries.toSpliced(at, 1));
  }

  /** Both in one, if that is small enough. */
  joined(next: Segment): Segment | undefined {
    if (this.length + next.length > smallest) return undefined;
    return new Segment([...this.keys, ...next.keys], [...this.entries, ...next.entries]);
  }

  /** Cuts a sorted run into segments with room to grow. */
  static cut(keys: readonly string[], entries: readonly Entry[], isPassing = false): Segment[] {
    const segments: Segment[] = [];
    const step = largest - largest / 4;
    for (let at = 0; at < keys.length; at += step) {
      const end = at + step;
      segments.push(new Segment(keys.slice(at, end), entries.slice(at, end), isPassing));
    }
    return segments;
  }
}

interface RenderedSegment {
  /** Who rendered it: bytes are of use only to the same one. */
  readonly by: object;
  readonly bytes: Buffer;
}

/** Binary search: the first index of `length` for which the question is true, else `length`. */
export function firstIndex(length: number, isTrue: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** All that is kept joined, in all collections together: beyond it, what was longest unused goes. */
const renderedLimitBytes = 48 * 1024 * 1024;

/** Keeps the joined bytes of segments within a budget. Least recently used first. */
export class RenderedSegments {
  readonly #limitBytes: number;
  /** In the order of last use. A replaced segment stays until its turn comes, or is collected. */
  readonly #used = new Set<Segment>();
  #bytes = 0;

  constructor(limitBytes = renderedLimitBytes) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes of a whole segment, joined now unless they were before. */
  of(segment: Segment, by: object, join: () => Buffer): Buffer {
    const known = segment.rendered;
    if (known?.by === by) {
      this.#used.delete(segment);
      this.#used.add(segment);
      return known.bytes;
    }
    this.forget(segment);
    const bytes = join();
    segment.rendered = { by, bytes };
    this.#used.add(segment);
    this.#bytes += bytes.length;
    for (const oldest of this.#used) {
      if (this.#bytes <= this.#limitBytes) break;
      this.forget(oldest);
    }
    return bytes;
  }

  /** A segment that was replaced is of no further use. */
  forget(segment: Segment): void {
    if (segment.rendered === undefined) return;
    this.#bytes -= segment.rendered.bytes.length;
    segment.rendered = undefined;
    this.#used.delete(segment);
  }
}

export const renderedSegments = new RenderedSegments();
