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

/**
 * The last events of all collections, oldest first, so that a watch can start in the past
 * and a page can be read as of an earlier version.
 */
export class EventHistory {
  readonly #limit: number;
  #events: StoreEvent[] = [];
  #compacted = 0;
  /** Versions before which a collection has no history, because it began to be served then. */
  readonly #starts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
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

  append(event: StoreEvent): number {
    this.#events.push(event);
    // Trimmed in large steps: a shift per event would be quadratic.
    if (this.#events.length < this.#limit * 1.25) return 0;
    const surplus = this.#events.length - this.#limit;
    this.#compacted = (this.#events[surplus - 1] as StoreEvent).resourceVersion;
    this.#events = this.#events.slice(surplus);
    return surplus;
  }

  compact(resourceVersion: number): void {
    if (resourceVersion <= this.#compacted) return;
    this.#compacted = resourceVersion;
    this.#events = this.#events.slice(this.#indexAfter(resourceVersion));
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
      this.#events.push({
        type: record.type,
        collection: record.collection,
        resourceVersion: record.resourceVersion,
        entry,
        previous: record.type === 'ADDED' ? undefined : latest.get(key),
      });
      if (record.type === 'DELETED') latest.delete(key);
      else latest.set(key, entry);
    }
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
