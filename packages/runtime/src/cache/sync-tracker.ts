import { RuntimeError } from '../runtime-error.ts';

/**
 * Tells whether everything that belongs to the initial list has been handled: the source has handed
 * out all of it, and as many items were finished as were started.
 *
 * ```ts
 * const tracker = new SyncTracker(() => true);
 * tracker.start();
 * tracker.hasSynced; // false
 * tracker.finished();
 * tracker.hasSynced; // true
 * ```
 */
export class SyncTracker {
  readonly #upstreamHasSynced: () => boolean;
  #unfinished = 0;
  /** Once true it stays so: later items do not belong to the initial list. */
  #isSynced = false;

  constructor(upstreamHasSynced: () => boolean) {
    this.#upstreamHasSynced = upstreamHasSynced;
  }

  /** An item of the initial list was taken on. */
  start(): void {
    this.#unfinished++;
  }

  /** One was handled. */
  finished(): void {
    if (this.#unfinished === 0)
      throw new RuntimeError(
        'WG_RUNTIME_SYNC_TRACKER',
        'more items finished than were started: negative counter',
      );
    this.#unfinished--;
  }

  get hasSynced(): boolean {
    this.#isSynced ||= this.#upstreamHasSynced() && this.#unfinished === 0;
    return this.#isSynced;
  }
}
