import { RingBuffer } from '../queue/ring-buffer.ts';
import type { Clock } from '../time/clock.ts';
import { TurnKeeper } from '../time/turn-keeper.ts';
import { Waiters } from '../time/waiters.ts';
import type { Deleted } from './deleted-final-state-unknown.ts';
import type { ResourceEventHandler } from './resource-event-handler.ts';
import { SyncTracker } from './sync-tracker.ts';

/** The first size of the buffer; it grows as it has to. */
const initialBufferSize = 1_024;
/** A handler that threw is left alone this long. */
const pauseAfterThrowMs = 1_000;

/** What happened, for one handler. */
export type Notification<T> =
  | { readonly type: 'add'; readonly object: T; readonly isInInitialList: boolean }
  | { readonly type: 'update'; readonly oldObject: T; readonly object: T }
  | { readonly type: 'delete'; readonly object: Deleted<T> };

/** What a handler’s buffer needs to know of its informer. */
export interface ProcessorListenerOptions {
  readonly clock: Clock;
  readonly upstreamHasSynced: () => boolean;
  /** A call of the handler that threw. The event is skipped for this handler. */
  readonly onError: (error: unknown) => void;
}

/**
 * One handler's own buffer and loop: it gets every event in order, one at a time, and holds up nobody
 * but itself. The buffer has no limit, `pendingCount` tells its length.
 *
 * A handler that throws on an object of the initial list never counts as synced: it has not seen it.
 *
 * ```ts
 * const names: string[] = [];
 * const options = { clock: systemClock, upstreamHasSynced: () => true, onError: console.error };
 * const listener = new ProcessorListener<string>({ onAdd: (name) => void names.push(name) }, options);
 * listener.start();
 * listener.push({ type: 'add', object: 'a', isInInitialList: false });
 * await listener.idle();
 * names; // ['a']
 * ```
 */
export class ProcessorListener<T> {
  readonly handler: ResourceEventHandler<T>;
  readonly #options: ProcessorListenerOptions;
  readonly #buffer = new RingBuffer<Notification<T>>(initialBufferSize);
  readonly #tracker: SyncTracker;
  readonly #turns: TurnKeeper;
  readonly #syncWaiters = new Waiters();
  readonly #idleWaiters = new Waiters();
  readonly #stopping = new AbortController();
  #isRunning = false;
  #isDraining = false;

  constructor(handler: ResourceEventHandler<T>, options: ProcessorListenerOptions) {
    this.handler = handler;
    this.#options = options;
    this.#tracker = new SyncTracker(options.upstreamHasSynced);
    this.#turns = TurnKeeper.of(options.clock);
  }

  /** Events that wait for the handler. */
  get pendingCount(): number {
    return this.#buffer.length;
  }

  /** Whether the handler has handled everything of the initial list. */
  get hasSynced(): boolean {
    return this.#tracker.hasSynced;
  }

  /** Resolves when `hasSynced` may have changed. */
  syncMayHaveChanged(): Promise<void> {
    return this.#syncWaiters.wait();
  }

  /** Has those who wait for `hasSynced` look again. */
  noteUpstreamSynced(): void {
    this.#syncWaiters.wakeAll();
  }

  /** Hands out what waits, and from now on what comes. */
  start(): void {
    this.#isRunning = true;
    this.#wake();
  }

  /** Takes nothing more. What waits is dropped; a call of the handler that is going on is not cut off. */
  stop(): void {
    this.#isRunning = false;
    this.#stopping.abort();
    this.#buffer.clear();
    this.#syncWaiters.wakeAll();
  }

  /** Hands out nothing more until `start`, and keeps what waits. */
  suspend(): void {
    this.#isRunning = false;
  }

  /** Resolves when no call of the handler is going on and, while it runs, nothing waits. */
  async idle(): Promise<void> {
    while (this.#isDraining) await this.#idleWaiters.wait();
  }

  push(notification: Notification<T>): void {
    if (this.#stopping.signal.aborted) return;
    if (notification.type === 'add' && notification.isInInitialList) this.#tracker.start();
    this.#buffer.push(notification);
    if (this.#isRunning && !this.#isDraining) this.#wake();
  }

  #wake(): void {
    if (this.#isDraining || this.#buffer.length === 0) return;
    this.#isDraining = true;
    queueMicrotask(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    while (this.#isRunning) {
      const notification = this.#buffer.shift();
      if (notification === undefined) break;
      try {
        const pending = this.#call(notification);
        if (pending !== undefined) await pending;
        this.#finish(notification);
      } catch (error) {
        this.#options.onError(error);
        await this.#options.clock.sleep(pauseAfterThrowMs, this.#stopping.signal);
      }
      const turn = this.#turns.heavyStep();
      if (turn !== undefined) await turn;
    }
    this.#isDraining = false;
    this.#idleWaiters.wakeAll();
    // Started again while the last call was going on.
    if (this.#isRunning) this.#wake();
  }

  #call(notification: Notification<T>): void | Promise<void> {
    const { handler } = this;
    switch (notification.type) {
      case 'add':
        return handler.onAdd?.(notification.object, notification.isInInitialList);
      case 'update':
        return handler.onUpdate?.(notification.oldObject, notification.object);
      case 'delete':
        return handler.onDelete?.(notification.object);
    }
  }

  #finish(notification: Notification<T>): void {
    if (notification.type !== 'add' || !notification.isInInitialList) return;
    this.#tracker.finished();
    if (this.#tracker.hasSynced) this.#syncWaiters.wakeAll();
  }
}
