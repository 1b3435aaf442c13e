import type { Clock } from '../time/clock.ts';
import type { ResourceLock } from './lease-lock.ts';

/** What a candidate is told of a lock while it waits for it, where the lock can tell. */
export class LockNews implements AsyncDisposable {
  readonly #signal: AbortSignal;
  readonly #ended = new AbortController();
  readonly #end = (): void => this.#ended.abort();
  readonly #following: Promise<void>;
  #isTold = false;
  #wake: () => void = () => {};

  constructor(lock: ResourceLock, signal: AbortSignal, onError: (error: unknown) => void) {
    this.#signal = signal;
    if (signal.aborted) this.#end();
    else signal.addEventListener('abort', this.#end, { once: true });
    this.#following = this.#follow(lock).catch((error: unknown) => {
      if (!this.#ended.signal.aborted) onError(error);
    });
  }

  async #follow(lock: ResourceLock): Promise<void> {
    const tell = () => {
      this.#isTold = true;
      this.#wake();
    };
    await lock.follow?.(tell, this.#ended.signal);
  }

  /** The lock is about to be read: what is told from here on is new. */
  read(): void {
    this.#isTold = false;
  }

  /** Waits so long, or until something is told that the last reading did not see, or until the end. */
  async wait(clock: Clock, ms: number): Promise<void> {
    const waking = new AbortController();
    this.#wake = () => waking.abort();
    this.#signal.addEventListener('abort', this.#wake, { once: true });
    if (this.#isTold || this.#signal.aborted) waking.abort();
    await clock.sleep(ms, waking.signal);
    this.#signal.removeEventListener('abort', this.#wake);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener('abort', this.#end);
    this.#end();
    await this.#following;
  }
}
