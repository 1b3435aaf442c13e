import type { Collection } from './collection.ts';
import { compareKeys } from './collection.ts';
import { Entry } from './entry.ts';
import { EntryList } from './entry-list.ts';
import type { JournalRecord } from './journal.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly collection: string;
  readonly resourceVersion: number;
  /** For a removal: the last state under the removal's resourceVersion. */
  readonly entry: Entry;
  /**
   * The state before. Missing for an ADDED, and for the first change after a restart of a key
   * whose earlier state fell out of the history.
   */
  readonly previous: Entry | undefined;
}

/** What an earlier process wrote. */
export function entryOf(record: Omit<JournalRecord, 'type'>): Entry {
  const { namespace, name, resourceVersion, tail, storedVersion } = record;
  return new Entry(namespace, name, resourceVersion, tail, storedVersion);
}

/** How much of the past is kept: what is beyond any of them goes. */
export interface HistoryLimits {
  readonly events: number;
  /** Of the objects in them. */
  readonly bytes: number;
  readonly ageMs: number;
}

/** Kubernetes compacts every five minutes, and so keeps at most ten. */
const defaultLimits: HistoryLimits = {
  events: 20_000,
  bytes: 64 * 1024 * 1024,
  ageMs: 10 * 60 * 1000,
};

/** What an event takes beside the object's bytes, roughly. */
const eventBytes = 256;
/** So much over a limit is let grow: to shift the rest for each event would be quadratic. */
const slack = 1.25;

/**
 * The last events of all collections, oldest first, so that a watch can start in the past
 * and a page can be read as of an earlier version.
 */
export class EventHistory {
  readonly #limits: HistoryLimits;
  readonly #now: () => number;
  #events: StoreEvent[] = [];
  /** When each of the events came, in milliseconds: `#times[i]` is of `#events[i]`. */
  #times: number[] = [];
  #bytes = 0;
  #compacted = 0;
  /** Versions before which a collection has no history, because it began to be served then. */
  readonly #starts = new Map<string, number>();

  constructor(limits: Partial<HistoryLimits> = {}, now: () => number = Date.now) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#now = now;
  }

  /** Of the objects in the events that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  get compactedResourceVersion(): number {
    return this.#compacted;
  }

  /** Below this version nothing can be said of the collection. */
  oldest(collection: string): number {
    return Math.max(this.#compacted, this.#starts.get(collection) ?? 0);
  }

  beginCollection(collection: string, resourceVersion: number): void {
    this.#starts.set(collection, resourceVersion);
  }

  append(event: StoreEvent): void {
    this.#push(event, this.#now());
    const { events, bytes, ageMs } = this.#limits;
    const oldest = this.#times[0] as number;
    const isBeyond =
      this.#events.length >= events * slack ||
      this.#bytes >= bytes * slack ||
      oldest < this.#now() - ageMs * slack;
    if (isBeyond) this.#trim();
  }

  compact(resourceVersion: number): void {
    if (resourceVersion <= this.#compacted) return;
    this.#dropFirst(this.#indexAfter(resourceVersion));
    this.#compacted = resourceVersion;
  }

  #push(event: StoreEvent, time: number): void {
    this.#events.push(event);
    this.#times.push(time);
    this.#bytes += sizeOf(event);
  }

  #trim(): void {
    const { events, bytes, ageMs } = this.#limits;
    const oldestKept = this.#now() - ageMs;
    let surplus = 0;
    let left = this.#bytes;
    // The last one always stays: it is what just happened.
    for (; surplus < this.#events.length - 1; surplus++) {
      const isYoung = (this.#times[surplus] as number) >= oldestKept;
      if (this.#events.length - surplus <= events && left <= bytes && isYoung) break;
      left -= sizeOf(this.#events[surplus] as StoreEvent);
    }
    this.#dropFirst(surplus);
  }

  #dropFirst(count: number): void {
    if (count === 0) return;
    this.#compacted = (this.#events[count - 1] as StoreEvent).resourceVersion;
    this.#events = this.#events.slice(count);
    this.#times = this.#times.slice(count);
    this.#bytes = this.#events.reduce((sum, event) => sum + sizeOf(event), 0);
  }

  /** The events of a collection after a version, oldest first. */
  since(collection: string, resourceVersion: number): StoreEvent[] {
    const found: StoreEvent[] = [];
    for (let i = this.#indexAfter(resourceVersion); i < this.#events.length; i++) {
      const event = this.#events[i] as StoreEvent;
      if (event.collection === collection) found.push(event);
    }
    return found;
  }

  /** The entries of a collection as they were at a version, or undefined when that is not known. */
  snapshot(name: string, collection: Collection, resourceVersion: number): EntryList | undefined {
    if (resourceVersion < this.oldest(name)) return undefined;
    const undone = this.since(name, resourceVersion);
    if (undone.length === 0) return collection.list();
    const state = new Map(collection.entries().map((entry) => [entry.key, entry]));
    for (let i = undone.length - 1; i >= 0; i--) {
      const { type, entry, previous } = undone[i] as StoreEvent;
      if (type !== 'ADDED' && previous === undefined) return undefined;
      if (previous === undefined) state.delete(entry.key);
      else state.set(entry.key, previous);
    }
    return EntryList.of([...state.values()].sort((a, b) => compareKeys(a.key, b.key)));
  }

  /** Rebuilds the history of an earlier process; the state before each event is found by replay. */
  restore(records: Iterable<JournalRecord>, compacted: number): void {
    this.#compacted = compacted;
    const latest = new Map<string, Entry>();
    for (const record of records) {
      const entry = entryOf(record);
      const key = `${record.collection}\n${entry.key}`;
      const event: StoreEvent = {
        type: record.type,
        collection: record.collection,
        resourceVersion: record.resourceVersion,
        entry,
        previous: record.type === 'ADDED' ? undefined : latest.get(key),
      };
      // When it happened is not known any more: it is as young as this process.
      this.#push(event, this.#now());
      if (record.type === 'DELETED') latest.delete(key);
      else latest.set(key, entry);
    }
    if (this.#events.length > 0) this.#trim();
  }

  #indexAfter(resourceVersion: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as StoreEvent).resourceVersion <= resourceVersion) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function sizeOf({ entry }: StoreEvent): number {
  return entry.tail.length + eventBytes;
}
