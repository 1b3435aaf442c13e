import type { Clock } from '../time/clock.ts';
import type { Deleted } from './deleted-final-state-unknown.ts';
import type { StoreObserver } from './process-deltas.ts';
import type { Notification, ProcessorListener } from './processor-listener.ts';
import type { ResyncSchedule } from './resync-schedule.ts';

/** A handler as the processor knows it. */
export interface ListenerEntry<T> {
  readonly listener: ProcessorListener<T>;
  readonly schedule: ResyncSchedule;
  /** Whether it takes part in the resync that is going on. */
  isSyncing: boolean;
}

/** Passes what happened to the store on to every handler's buffer. */
export class SharedProcessor<T> implements StoreObserver<T> {
  readonly #clock: Clock;
  readonly #resourceVersionOf: (object: T) => string | undefined;
  readonly #entries = new Set<ListenerEntry<T>>();

  constructor(clock: Clock, resourceVersionOf: (object: T) => string | undefined) {
    this.#clock = clock;
    this.#resourceVersionOf = resourceVersionOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  [Symbol.iterator](): Iterator<ListenerEntry<T>> {
    return this.#entries.values();
  }

  has(entry: ListenerEntry<T>): boolean {
    return this.#entries.has(entry);
  }

  add(entry: ListenerEntry<T>): void {
    this.#entries.add(entry);
  }

  /** True if it was there. */
  remove(entry: ListenerEntry<T>): boolean {
    return this.#entries.delete(entry);
  }

  onAdd(object: T, isInInitialList: boolean): void {
    this.#toAll({ type: 'add', object, isInInitialList });
  }

  /** An unchanged version is a resync, and only for those who asked for one. */
  onUpdate(oldObject: T, object: T): void {
    const notification: Notification<T> = { type: 'update', oldObject, object };
    const version = this.#resourceVersionOf(object);
    const isSync = oldObject === object || this.#resourceVersionOf(oldObject) === version;
    if (!isSync) {
      this.#toAll(notification);
      return;
    }
    for (const { listener, isSyncing } of this.#entries) if (isSyncing) listener.push(notification);
  }

  onDelete(object: Deleted<T>): void {
    this.#toAll({ type: 'delete', object });
  }

  /** Marks the handlers that are due for a resync; true if any is. */
  shouldResync(): boolean {
    const now = this.#clock.monotonicMs();
    let isAnyDue = false;
    for (const entry of this.#entries) {
      entry.isSyncing = entry.schedule.shouldResync(now);
      if (!entry.isSyncing) continue;
      isAnyDue = true;
      entry.schedule.resynced(now);
    }
    return isAnyDue;
  }

  #toAll(notification: Notification<T>): void {
    for (const { listener } of this.#entries) listener.push(notification);
  }
}
