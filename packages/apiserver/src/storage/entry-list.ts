import type { Entry } from './entry.ts';
import { firstIndex, Segment } from './segment.ts';

/** A part of a segment, from an index up to (and without) another. */
export interface SegmentRange {
  readonly segment: Segment;
  readonly from: number;
  readonly to: number;
}

/**
 * Entries in the order of their keys, as they were at one moment: a view on segments, so that
 * ten thousand entries are taken, cut and handed on without touching each of them.
 */
export class EntryList {
  readonly ranges: readonly SegmentRange[];
  readonly length: number;

  constructor(ranges: readonly SegmentRange[]) {
    this.ranges = ranges;
    this.length = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  static of(entries: readonly Entry[]): EntryList {
    const keys = entries.map((entry) => entry.key);
    return EntryList.ofSegments(Segment.cut(keys, entries, true));
  }

  static ofSegments(segments: readonly Segment[]): EntryList {
    return new EntryList(segments.map((segment) => ({ segment, from: 0, to: segment.length })));
  }

  /** The entries whose key is not before the one and is before the other. */
  between(first: string, end: string | undefined): EntryList {
    const ranges: SegmentRange[] = [];
    const { length } = this.ranges;
    const start = firstIndex(
      length,
      (index) => lastKey(this.ranges[index] as SegmentRange) >= first,
    );
    for (let index = start; index < length; index++) {
      const { segment, from, to } = this.ranges[index] as SegmentRange;
      const low = Math.max(from, segment.position(first));
      const high = end === undefined ? to : Math.min(to, segment.position(end));
      if (low < high) ranges.push({ segment, from: low, to: high });
      if (high < to) break;
    }
    return new EntryList(ranges);
  }

  inNamespace(namespace: string): EntryList {
    // '0' is the character after '/'.
    return namespace === '' ? this : this.between(`${namespace}/`, `${namespace}0`);
  }

  /** As many as the limit allows (0: all), and whether there are more. */
  first(limit: number): { found: EntryList; hasMore: boolean } {
    if (limit === 0 || limit >= this.length) return { found: this, hasMore: false };
    const ranges: SegmentRange[] = [];
    let left = limit;
    for (const { segment, from, to } of this.ranges) {
      if (left <= 0) break;
      ranges.push({ segment, from, to: Math.min(to, from + left) });
      left -= to - from;
    }
    return { found: new EntryList(ranges), hasMore: true };
  }

  /**
   * The selected ones, up to a limit, and whether there are more. A segment of which all are
   * selected stays itself, with what was joined of it.
   */
  select(isSelected: (entry: Entry) => boolean, limit = 0): { found: EntryList; hasMore: boolean } {
    const ranges: SegmentRange[] = [];
    let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    for (const { segment, from, to } of this.ranges) {
      const picked: number[] = [];
      let hasMore = false;
      for (let index = from; index < to && !hasMore; index++) {
        if (!isSelected(segment.entries[index] as Entry)) continue;
        if (left === 0) hasMore = true;
        else {
          picked.push(index);
          left--;
        }
      }
      if (picked.length === to - from) ranges.push({ segment, from, to });
      else if (picked.length > 0) ranges.push(rangeOf(segment, picked));
      if (hasMore) return { found: new EntryList(ranges), hasMore };
    }
    return { found: new EntryList(ranges), hasMore: false };
  }

  last(): Entry | undefined {
    const range = this.ranges.at(-1);
    return range?.segment.entries[range.to - 1];
  }

  toArray(): Entry[] {
    const found: Entry[] = [];
    for (const entry of this) found.push(entry);
    return found;
  }

  *[Symbol.iterator](): Iterator<Entry> {
    for (const { segment, from, to } of this.ranges) {
      for (let index = from; index < to; index++) yield segment.entries[index] as Entry;
    }
  }
}

function lastKey({ segment, to }: SegmentRange): string {
  return segment.keys[to - 1] as string;
}

function rangeOf({ keys, entries }: Segment, indices: readonly number[]): SegmentRange {
  const segment = new Segment(
    indices.map((index) => keys[index] as string),
    indices.map((index) => entries[index] as Entry),
    true,
  );
  return { segment, from: 0, to: segment.length };
}
