import { StorageError } from '@waygate/text';
import type { Core } from '../core/core.ts';
import { ApiError } from '../status/api-error.ts';
import type { StoreEvent } from '../storage/event-history.ts';

/** How long after a write that was not stored the next try is. */
const retryMs = 1000;

/**
 * A loop that keeps something true: keys go in when something changed, and each is brought
 * into shape one after the other. A key that is waiting is not queued twice.
 */
export abstract class Controller {
  protected readonly core: Core;
  /**
   * Keys to reconcile. One that comes again while it waits is there once; while it is worked on,
   * once more.
   */
  readonly #waiting = new Set<string>();
  /** Keys whose outcome could not be stored. */
  readonly #unstored = new Set<string>();
  readonly #unsubscribes: (() => void)[] = [];
  /** The one loop, while there is work: keys are never reconciled side by side. */
  #running: Promise<void> | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(core: Core) {
    this.core = core;
  }

  /** Subscribes and enqueues what is there already. */
  abstract start(): void;

  protected abstract reconcile(key: string): Promise<void>;

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#retryTimer);
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    await this.#running;
  }

  protected follow(collection: string, onEvent: (event: StoreEvent) => void): void {
    this.#unsubscribes.push(this.core.store.subscribe(collection, onEvent));
  }

  protected onStop(cleanup: () => void): void {
    this.#unsubscribes.push(cleanup);
  }

  protected enqueue(key: string): void {
    if (this.#isStopped) return;
    this.#waiting.add(key);
    this.#running ??= this.#run();
  }

  /** A disk that is full is full for all keys: they are tried again together. */
  #retryLater(key: string): void {
    this.#unstored.add(key);
    if (this.#isStopped) return;
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = undefined;
      const keys = [...this.#unstored];
      this.#unstored.clear();
      for (const each of keys) this.enqueue(each);
    }, retryMs).unref();
  }

  async #run(): Promise<void> {
    // Let the write that caused this answer its client first.
    await new Promise((resolve) => setImmediate(resolve));
    for (const key of this.#waiting) {
      if (this.#isStopped) break;
      this.#waiting.delete(key);
      try {
        await this.reconcile(key);
      } catch (error) {
        // The API said no: the next change of the object is the next try.
        if (error instanceof StorageError) this.#retryLater(key);
        else if (!(error instanceof ApiError)) {
          this.core.log(`apiserver: ${this.constructor.name} ${key}: ${String(error)}`);
        }
      }
    }
    this.#running = undefined;
    if (this.#waiting.size > 0 && !this.#isStopped) this.#running = this.#run();
  }
}
