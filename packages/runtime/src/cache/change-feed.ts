import { type Clock, systemClock } from '../time/clock.ts';
import { TurnKeeper } from '../time/turn-keeper.ts';
import { Waiters } from '../time/waiters.ts';
import { kubeObjectAccess, type ObjectAccess } from './object-access.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
import type { ReflectorStore } from './reflector-store.ts';
import { guardedReporter, reportWarning } from './watch-error-handler.ts';

/** What is followed, and who keeps it. */
export interface ChangeFeedOptions<T>
  extends Pick<
    ReflectorOptions<T>,
    'listerWatcher' | 'description' | 'expectedType' | 'access' | 'transform' | 'onError' | 'clock'
  > {
  /** The keys of what was handed on and not taken back since: a list shows which of it is gone. */
  readonly knownKeys: () => Iterable<string>;
  readonly onPut: (object: T) => void;
  /** `object` is the final state, where that was seen. */
  readonly onDelete: (key: string, object: T | undefined) => void;
}

/**
 * An informer for who keeps the objects himself: it lists, watches and hands on what changed, one
 * after the other, and holds no object. A handler that throws loses that one change, which is reported.
 *
 * ```ts
 * const pods = new Map<string, Pod>();
 * const feed = new ChangeFeed<Pod>({
 *   listerWatcher: listerWatcherOf(client, kinds.Pod),
 *   knownKeys: () => pods.keys(),
 *   onPut: (pod) => pods.set(metaNamespaceKey(pod), pod),
 *   onDelete: (key) => pods.delete(key),
 * });
 * const running = feed.run(signal);
 * await feed.waitForSync(signal);
 * ```
 */
export class ChangeFeed<T> {
  readonly #options: ChangeFeedOptions<T>;
  readonly #access: ObjectAccess<T>;
  readonly #turns: TurnKeeper;
  readonly #report: (error: unknown) => void;
  readonly #reflector: Reflector<T>;
  readonly #waiters = new Waiters();
  /** The first list has been handed on. Stays so. */
  #isSynced = false;

  constructor(options: ChangeFeedOptions<T>) {
    const clock: Clock = options.clock ?? systemClock;
    this.#options = options;
    this.#access = options.access ?? (kubeObjectAccess as unknown as ObjectAccess<T>);
    this.#turns = TurnKeeper.of(clock);
    this.#report = guardedReporter(options.onError ?? reportWarning);
    this.#reflector = new Reflector<T>({
      ...options,
      useWatchList: true,
      store: this.#store,
      onError: this.#report,
    });
  }

  /** Whether everything that there was at first has been handed on. */
  get hasSynced(): boolean {
    return this.#isSynced;
  }

  /** Lists and watches until the signal aborts, and returns when everything has stopped. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#waiters.wakeAll();
    signal.addEventListener('abort', wake, { once: true });
    await this.#reflector.run(signal);
    signal.removeEventListener('abort', wake);
  }

  /** Resolves with true once it has synced; with false when the signal of the run aborts before. */
  async waitForSync(signal: AbortSignal): Promise<boolean> {
    while (!this.#isSynced && !signal.aborted) await this.#waiters.wait();
    return this.#isSynced;
  }

  readonly #store: ReflectorStore<T> = {
    add: (object) => this.#put(object),
    update: (object) => this.#put(object),
    delete: (object) => this.#options.onDelete(this.#access.keyOf(object), object),
    replace: (objects) => this.#replace(objects),
  };

  /** Events come as the API sent them; what is listed went through the transform already. */
  #put(object: T): void {
    const { transform, onPut } = this.#options;
    onPut(transform === undefined ? object : transform(object));
  }

  /** What is gone first, then the list in its order, giving timers and sockets their turn meanwhile. */
  async #replace(objects: readonly T[]): Promise<void> {
    const { knownKeys, onPut, onDelete } = this.#options;
    const listed = new Set(objects.map((object) => this.#access.keyOf(object)));
    const gone = [...knownKeys()].filter((key) => !listed.has(key));
    await this.#inTurns(gone, (key) => onDelete(key, undefined));
    await this.#inTurns(objects, onPut);
    this.#isSynced = true;
    this.#waiters.wakeAll();
  }

  async #inTurns<Item>(items: readonly Item[], handOn: (item: Item) => void): Promise<void> {
    for (const item of items) {
      try {
        handOn(item);
      } catch (error) {
        this.#report(error);
      }
      const turn = this.#turns.step();
      if (turn !== undefined) await turn;
    }
  }
}
