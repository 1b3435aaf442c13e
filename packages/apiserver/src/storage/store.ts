import type { DynamicObject } from '@waygate/schema';
import type { StorageError } from '@waygate/text';
import { requestTooLarge } from '../status/api-error.ts';
import { Collection } from './collection.ts';
import { Entry } from './entry.ts';
import { EventHistory, entryOf, type HistoryLimits, type StoreEvent } from './event-history.ts';
import type { Journal, JournalCapture, StoredRecord } from './journal.ts';

/** Somebody else wrote the key since the caller read it: read again and retry. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
  /**
   * Somebody else wrote the key since the caller read it. Read again and retry; clients see a 409.
   */
  readonly code = 'WG_APISERVER_STORE_CONFLICT';
}

interface StoreWrite {
  readonly collection: string;
  readonly key: string;
  /** The version that the caller saw; undefined: the key must be free. */
  readonly expected: Entry | undefined;
  /** The new state; undefined removes. */
  readonly object: DynamicObject | undefined;
  /** The version that the object is in, for kinds that may be stored in several. */
  readonly storedVersion?: string;
  /** How large the object may be. One that was larger before may still become smaller. */
  readonly maxBytes?: number;
}

interface StoreOptions {
  readonly journal: Journal;
  /** How much is kept of the past, for watches and consistent pages. */
  readonly history?: Partial<HistoryLimits>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * All objects, with one resourceVersion sequence. The truth is in memory; the journal makes
 * it durable. A write is visible to readers and watches only when the journal has it, so
 * nobody ever sees a version that a crash could take back. Writers see the pending head.
 */
export class Store {
  readonly #journal: Journal;
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Map<string, Set<(event: StoreEvent) => void>>();
  /** Keys with a write under way, with the state it leads to (undefined: removed). */
  readonly #pending = new Map<string, { entry: Entry | undefined }>();
  readonly history: EventHistory;
  #head: number;
  #visible: number;

  constructor(options: StoreOptions) {
    this.#journal = options.journal;
    this.history = new EventHistory(options.history, options.now);
    const state = this.#journal.load(() => this.#capture());
    const loaded = new Map<string, Entry[]>();
    let highest = state.resourceVersion;
    for (const record of state.objects) {
      const entry = entryOf(record);
      const entries = loaded.get(record.collection) ?? [];
      entries.push(entry);
      loaded.set(record.collection, entries);
      highest = Math.max(highest, record.resourceVersion);
    }
    for (const [name, entries] of loaded) this.#collectionOf(name).load(entries);
    this.history.restore(state.history, state.compactedResourceVersion);
    this.#head = highest;
    this.#visible = highest;
  }

  /** The newest version that readers see. */
  get resourceVersion(): number {
    return this.#visible;
  }

  /** Why nothing can be written at the moment, if so. */
  get problem(): StorageError | undefined {
    return this.#journal.problem;
  }

  collection(name: string): Collection {
    return this.#collectionOf(name);
  }

  get(collection: string, key: string): Entry | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  /** Like {@link get}, but with writes that are not durable yet: what a writer has to build on. */
  getHead(collection: string, key: string): Entry | undefined {
    const pending = this.#pending.get(`${collection}\n${key}`);
    return pending === undefined ? this.get(collection, key) : pending.entry;
  }

  /**
   * Writes one key, if nobody else did since. Resolves with the entry when it is durable and
   * visible; for a removal, with the last state under the removal's resourceVersion.
   */
  write(write: StoreWrite): Promise<Entry> {
    const pendingKey = `${write.collection}\n${write.key}`;
    const current = this.getHead(write.collection, write.key);
    if (current !== write.expected) return Promise.reject(new StoreConflict());
    if (current === undefined && write.object === undefined) {
      return Promise.reject(new StoreConflict());
    }
    const resourceVersion = this.#head + 1;
    const storedVersion = write.storedVersion ?? current?.storedVersion;
    const object = write.object ?? (current as Entry).copy();
    const entry = Entry.of(object, resourceVersion, storedVersion);
    const size = entry.tail.length;
    if (
      write.maxBytes !== undefined &&
      size > Math.max(write.maxBytes, current?.tail.length ?? 0)
    ) {
      return Promise.reject(
        requestTooLarge(
          `Request entity too large: limit is ${write.maxBytes}, the object has ${size}`,
        ),
      );
    }
    this.#head = resourceVersion;
    const type =
      write.object === undefined ? 'DELETED' : current === undefined ? 'ADDED' : 'MODIFIED';
    const event: StoreEvent = {
      type,
      collection: write.collection,
      resourceVersion,
      entry,
      previous: current,
    };
    const record = {
      resourceVersion,
      collection: write.collection,
      namespace: entry.namespace,
      name: entry.name,
      type,
      tail: entry.tail,
      ...(storedVersion === undefined ? {} : { storedVersion }),
    } as const;
    const pending = { entry: type === 'DELETED' ? undefined : entry };
    this.#pending.set(pendingKey, pending);
    return new Promise((resolve, reject) => {
      // In the turn in which it is known, so that no other writer builds on what is not kept.
      this.#journal.append(record, (error) => {
        if (this.#pending.get(pendingKey) === pending) this.#pending.delete(pendingKey);
        if (error !== undefined) {
          reject(error);
          return;
        }
        this.#publish(event, write.key);
        resolve(entry);
      });
    });
  }

  /** Calls back for each event of a collection, in order, when it becomes visible. */
  subscribe(collection: string, listener: (event: StoreEvent) => void): () => void {
    const listeners = this.#listeners.get(collection) ?? new Set();
    this.#listeners.set(collection, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Drops the events at or before a version, as the compaction of etcd does. */
  compact(resourceVersion = this.#visible): void {
    this.history.compact(resourceVersion);
    this.#journal.compact(resourceVersion);
  }

  async close(): Promise<void> {
    await this.#journal.close();
  }

  #publish(event: StoreEvent, key: string): void {
    const collection = this.#collectionOf(event.collection);
    if (event.type === 'DELETED') collection.delete(key);
    else collection.set(key, event.entry);
    this.#visible = event.resourceVersion;
    this.history.append(event);
    for (const listener of this.#listeners.get(event.collection) ?? []) listener(event);
  }

  /** All that is visible, which is all that the journal has settled. */
  #capture(): JournalCapture {
    const lists = [...this.#collections].map(([name, each]) => [name, each.list()] as const);
    return {
      resourceVersion: this.#visible,
      compactedResourceVersion: this.history.compactedResourceVersion,
      objects: recordsOf(lists),
    };
  }

  #collectionOf(name: string): Collection {
    let collection = this.#collections.get(name);
    if (collection === undefined) {
      collection = new Collection();
      this.#collections.set(name, collection);
    }
    return collection;
  }
}

function* recordsOf(
  lists: readonly (readonly [string, Iterable<Entry>])[],
): Generator<StoredRecord> {
  for (const [collection, entries] of lists) {
    for (const { namespace, name, resourceVersion, tail, storedVersion } of entries) {
      const version = storedVersion === undefined ? {} : { storedVersion };
      yield { resourceVersion, collection, namespace, name, tail, ...version };
    }
  }
}
