import { RuntimeError } from '../runtime-error.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { TurnKeeper } from '../time/turn-keeper.ts';
import { Waiters } from '../time/waiters.ts';
import type { Delta, StoreDelta, Transform } from './delta.ts';
import { Indexer } from './indexer.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { kubeObjectAccess, type ObjectAccess } from './object-access.ts';
import { isObjectBatch, processDeltasInBatch, processStoreDelta } from './process-deltas.ts';
import { ProcessorListener } from './processor-listener.ts';
import { RealFifo } from './real-fifo.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
import type { ResourceEventHandler } from './resource-event-handler.ts';
import { minimumResyncPeriodMs, ResyncSchedule } from './resync-schedule.ts';
import { type ListenerEntry, SharedProcessor } from './shared-processor.ts';
import type { Indexers, IndexReader } from './store.ts';
import { guardedReporter, reportWarning } from './watch-error-handler.ts';

/** What an informer caches, and how. */
export interface SharedInformerOptions<T>
  extends Pick<
    ReflectorOptions<T>,
    | 'description'
    | 'expectedType'
    | 'watchListPageSize'
    | 'minWatchTimeoutMs'
    | 'maxInternalErrorRetryMs'
    | 'useWatchList'
    | 'random'
  > {
  readonly listerWatcher: ListerWatcher<T>;
  /** How objects are read. Parsed JSON by default. */
  readonly access?: ObjectAccess<T>;
  /** How often handlers that want it are told everything again; 0, the default, for never. */
  readonly resyncPeriodMs?: number;
  readonly indexers?: Indexers<T>;
  /** Changes every object before it is stored, e.g. drops fields nobody reads. Must be idempotent. */
  readonly transform?: Transform<T>;
  /** Everything that went wrong and was survived. By default it becomes a process warning. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
}

/** How a handler is told. */
export interface HandlerOptions {
  /** The informer's own by default. Less than a second is a second. */
  readonly resyncPeriodMs?: number;
}

/** A handler that was added to an informer. */
export interface HandlerRegistration {
  /** Whether the handler has handled the whole initial list. */
  readonly hasSynced: boolean;
  /** Events that wait for the handler. */
  readonly pendingCount: number;
  /** Resolves with true once it has synced; with false when it is removed or the signal aborts before. */
  waitForSync(signal?: AbortSignal): Promise<boolean>;
}

/**
 * A cache of one kind that many handlers share: one list, one watch, one store. Each handler has a
 * buffer of its own and sees every change in order.
 *
 * ```ts
 * const queue = new RateLimitingQueue<string>();
 * const informer = new SharedInformer({ listerWatcher: listerWatcherOf(client, kinds.Pod) });
 * informer.addEventHandler({ onAdd: (pod) => queue.add(metaNamespaceKey(pod)) });
 * const running = informer.run(signal);
 * await informer.waitForSync(signal);
 * ```
 */
export class SharedInformer<T> {
  readonly #options: SharedInformerOptions<T>;
  readonly #clock: Clock;
  readonly #access: ObjectAccess<T>;
  readonly #store: Indexer<T>;
  readonly #processor: SharedProcessor<T>;
  readonly #turns: TurnKeeper;
  readonly #registrations = new WeakMap<HandlerRegistration, ListenerEntry<T>>();
  readonly #syncWaiters = new Waiters();
  /** Told of what went wrong; it may be set until the informer starts. */
  #report: (error: unknown) => void;
  /** Set until the informer starts: what is stored went through one and the same transform. */
  #transform: Transform<T> | undefined;
  /** Set while it runs, and kept afterwards, so that what was synced stays so. */
  #fifo: RealFifo<T> | undefined;
  #reflector: Reflector<T> | undefined;
  /** Handlers that joined while a change was being told; they join when that is done. */
  #joining: ListenerEntry<T>[] = [];
  /**
   * True while one batch of changes goes to the handlers: whoever joins then waits in `joining`.
   */
  #isTelling = false;
  /** Goes one way. A stopped informer is not started again. */
  #state: 'new' | 'running' | 'stopped' = 'new';
  /** The shortest resync period of any handler; fixed once it runs. 0: there are no resyncs. */
  #checkPeriodMs: number;

  constructor(options: SharedInformerOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#access = options.access ?? (kubeObjectAccess as unknown as ObjectAccess<T>);
    this.#report = guardedReporter(options.onError ?? reportWarning);
    this.#transform = options.transform;
    this.#turns = TurnKeeper.of(this.#clock);
    this.#checkPeriodMs = options.resyncPeriodMs ?? 0;
    this.#store = new Indexer<T>({
      keyFunction: this.#access.keyOf,
      resourceVersionOf: this.#access.resourceVersionOf,
      ...(options.indexers === undefined ? {} : { indexers: options.indexers }),
    });
    this.#processor = new SharedProcessor(this.#clock, this.#access.resourceVersionOf);
  }

  /** What the informer knows, for reading only. */
  get indexer(): IndexReader<T> {
    return this.#store;
  }

  /** Whether the first list is in the store and has been handed to the handlers' buffers. */
  get hasSynced(): boolean {
    return this.#fifo?.hasSynced === true;
  }

  get isStarted(): boolean {
    return this.#state !== 'new';
  }

  get isStopped(): boolean {
    return this.#state === 'stopped';
  }

  get handlerCount(): number {
    return this.#processor.size + this.#joining.length;
  }

  /** The version that the next watch would start from. Opaque. */
  get lastSyncResourceVersion(): string {
    return this.#reflector?.lastSyncResourceVersion ?? '';
  }

  /**
   * Since the last list, event or bookmark came; undefined before the first. Bookmarks come about
   * every minute: much more than that is a watch that has gone silent.
   */
  get secondsSinceLastEvent(): number | undefined {
    return this.#reflector?.secondsSinceLastEvent;
  }

  /** How often handlers are looked at for a resync. */
  get resyncCheckPeriodMs(): number {
    return this.#checkPeriodMs;
  }

  /** The period that holds for a handler, or undefined when it is not registered here. */
  handlerResyncPeriodMs(registration: HandlerRegistration): number | undefined {
    return this.#registrations.get(registration)?.schedule.resyncPeriodMs;
  }

  isRegistered(registration: HandlerRegistration): boolean {
    const entry = this.#registrations.get(registration);
    return entry !== undefined && (this.#processor.has(entry) || this.#joining.includes(entry));
  }

  /**
   * Has `handler` told of everything that goes wrong and is survived, such as a list that is refused,
   * in place of `onError`. For an informer that somebody else made; throws once it has started.
   */
  setWatchErrorHandler(handler: (error: unknown) => void): void {
    if (this.isStarted) throw startedError('error handler');
    this.#report = guardedReporter(handler);
  }

  /** Sets or replaces the transform of an informer that somebody else made; throws once it has started. */
  setTransform(transform: Transform<T>): void {
    if (this.isStarted) throw startedError('transform');
    this.#transform = transform;
  }

  /** Adds indices, also to a store that is full. */
  addIndexers(indexers: Indexers<T>): void {
    if (this.#state === 'stopped') throw stoppedError('indexers');
    this.#store.addIndexers(indexers);
  }

  /**
   * Adds a handler. One that joins late is told everything that is stored as adds of an initial list,
   * and then what happens, with no gap and nothing twice.
   */
  addEventHandler(
    handler: ResourceEventHandler<T>,
    options: HandlerOptions = {},
  ): HandlerRegistration {
    if (this.#state === 'stopped') throw stoppedError('handlers');
    const periodMs = this.#acceptResyncPeriod(
      options.resyncPeriodMs ?? this.#options.resyncPeriodMs ?? 0,
    );
    const listener = new ProcessorListener(handler, {
      clock: this.#clock,
      upstreamHasSynced: () => this.hasSynced && !this.#joining.includes(entry),
      onError: (cause) =>
        this.#report(new RuntimeError('WG_RUNTIME_HANDLER', 'an event handler failed', { cause })),
    });
    const schedule = new ResyncSchedule(periodMs, this.#checkPeriodMs, this.#clock.monotonicMs());
    const entry: ListenerEntry<T> = { listener, schedule, isSyncing: false };
    const registration = this.#registrationOf(entry);
    this.#registrations.set(registration, entry);
    if (this.#isTelling) this.#joining.push(entry);
    else this.#join(entry);
    return registration;
  }

  /** The handler gets nothing more. Removing one that is not here does nothing. */
  removeEventHandler(registration: HandlerRegistration): void {
    const entry = this.#registrations.get(registration);
    if (entry === undefined) return;
    this.#joining = this.#joining.filter((other) => other !== entry);
    this.#processor.remove(entry);
    entry.listener.stop();
  }

  /** As `removeEventHandler`, and waits for a call of the handler that is going on. */
  async shutDownEventHandler(registration: HandlerRegistration): Promise<void> {
    this.removeEventHandler(registration);
    await this.#registrations.get(registration)?.listener.idle();
  }

  /**
   * Lists and watches until the signal aborts, and returns when everything has stopped. While it
   * runs, another call does nothing. After it has stopped it may run again: it goes on with what it
   * has, and handlers hear of what changed meanwhile.
   */
  async run(signal: AbortSignal): Promise<'ran' | 'ignored'> {
    if (this.#state === 'running') {
      this.#report(new RuntimeError('WG_RUNTIME_STATE', 'the informer runs already'));
      return 'ignored';
    }
    const fifo = new RealFifo<T>({
      keyFunction: this.#access.keyOf,
      isAtomic: true,
      emitBookmarks: true,
      areListsTransformed: true,
      ...(this.#transform === undefined ? {} : { transform: this.#transform }),
    });
    const reflector = this.#newReflector(fifo, this.lastSyncResourceVersion);
    this.#state = 'running';
    this.#fifo = fifo;
    this.#reflector = reflector;
    for (const { listener } of this.#processor) listener.start();
    const processing = this.#processAll(fifo);
    void fifo.synced().then(() => this.#noteSynced());
    await reflector.run(signal);
    fifo.close();
    await processing;
    this.#state = 'stopped';
    this.#syncWaiters.wakeAll();
    for (const { listener } of this.#processor) listener.suspend();
    await Promise.all(Array.from(this.#processor, ({ listener }) => listener.idle()));
    return 'ran';
  }

  /** Resolves with true once the informer has synced; with false when it stops or the signal aborts before. */
  async waitForSync(signal?: AbortSignal): Promise<boolean> {
    while (!this.hasSynced) {
      if (signal?.aborted || this.#state === 'stopped') return false;
      await orAborted(this.#syncWaiters.wait(), signal);
    }
    return true;
  }

  #newReflector(fifo: RealFifo<T>, resourceVersion: string): Reflector<T> {
    const options = this.#options;
    return new Reflector<T>(
      {
        ...options,
        ...(this.#transform === undefined ? {} : { transform: this.#transform }),
        useWatchList: options.useWatchList ?? true,
        access: this.#access,
        store: fifo,
        resyncPeriodMs: this.#checkPeriodMs,
        shouldResync: () => this.#processor.shouldResync(),
        onError: this.#report,
        clock: this.#clock,
      },
      resourceVersion,
    );
  }

  async #processAll(fifo: RealFifo<T>): Promise<void> {
    for (;;) {
      const batch = await fifo.popBatch((deltas, isInInitialList) =>
        this.#processBatch(deltas, isInInitialList),
      );
      if (batch === undefined) return;
      const turn = this.#turns.heavyStep();
      if (turn !== undefined) await turn;
    }
  }

  #processBatch(deltas: readonly Delta<T>[], isInInitialList: boolean): void | Promise<void> {
    if (isObjectBatch(deltas)) {
      const failure = processDeltasInBatch(this.#processor, this.#store, deltas, isInInitialList);
      for (const error of failure?.errors ?? []) this.#report(error);
      return undefined;
    }
    return this.#processStoreDelta(deltas[0] as StoreDelta<T>, isInInitialList);
  }

  async #processStoreDelta(delta: StoreDelta<T>, isInInitialList: boolean): Promise<void> {
    this.#isTelling = true;
    try {
      await processStoreDelta(this.#processor, this.#store, delta, isInInitialList, {
        turns: this.#turns,
        onError: this.#report,
      });
    } finally {
      this.#isTelling = false;
      const joining = this.#joining;
      this.#joining = [];
      for (const entry of joining) this.#join(entry);
    }
  }

  /** Runs in one turn: nothing can happen to the store between the snapshot and the first event. */
  #join(entry: ListenerEntry<T>): void {
    this.#processor.add(entry);
    if (this.#state !== 'running') return;
    for (const [, object] of this.#store.entries())
      entry.listener.push({ type: 'add', object, isInInitialList: true });
    entry.listener.start();
    entry.listener.noteUpstreamSynced();
  }

  #noteSynced(): void {
    this.#syncWaiters.wakeAll();
    for (const { listener } of this.#processor) listener.noteUpstreamSynced();
  }

  #acceptResyncPeriod(requestedMs: number): number {
    if (requestedMs <= 0) return 0;
    const periodMs = Math.max(requestedMs, minimumResyncPeriodMs);
    if (periodMs >= this.#checkPeriodMs) return periodMs;
    if (this.#state === 'running') return this.#checkPeriodMs;
    this.#checkPeriodMs = periodMs;
    for (const { schedule } of this.#processor) schedule.checkPeriodChanged(periodMs);
    return periodMs;
  }

  #registrationOf(entry: ListenerEntry<T>): HandlerRegistration {
    const { listener } = entry;
    const isHere = () => this.#processor.has(entry) || this.#joining.includes(entry);
    return {
      get hasSynced() {
        return listener.hasSynced;
      },
      get pendingCount() {
        return listener.pendingCount;
      },
      async waitForSync(signal) {
        while (!listener.hasSynced) {
          if (signal?.aborted || !isHere()) return false;
          await orAborted(listener.syncMayHaveChanged(), signal);
        }
        return true;
      },
    };
  }
}

function startedError(what: string): RuntimeError {
  return new RuntimeError(
    'WG_RUNTIME_STATE',
    `the informer has started and takes no other ${what}`,
  );
}

function stoppedError(what: string): RuntimeError {
  return new RuntimeError('WG_RUNTIME_STATE', `the informer has stopped and takes no ${what}`);
}

/** Waits for a promise or for the signal, whichever is first; leaves no listener behind. */
async function orAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  await new Promise<void>((resolve) => {
    const finish = () => {
      signal.removeEventListener('abort', finish);
      resolve();
    };
    signal.addEventListener('abort', finish, { once: true });
    void promise.then(finish);
  });
}
