import { afterArrivals } from '../after-arrivals.ts';

/**
 * A controller of one call. It follows the caller's signal, which may live as long as the program,
 * without leaving a listener there: `release` takes it away when the call is over.
 *
 * ```ts
 * const outer = new AbortController();
 * const linked = new LinkedSignal(outer.signal, 5_000);
 * outer.abort(new Error('enough'));
 * linked.signal.aborted; // true
 * linked.release();
 * ```
 */
export class LinkedSignal {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = () => this.#controller.abort(this.#outer?.reason);
  #timer: NodeJS.Timeout | undefined;

  constructor(outer: AbortSignal | undefined, timeoutMs?: number) {
    this.#outer = outer;
    if (outer?.aborted === true) this.#controller.abort(outer.reason);
    else if (outer !== undefined) follow(outer, this.#onAbort);
    if (timeoutMs !== undefined && timeoutMs > 0) {
      const expire = (): void => {
        // It may have been released while what had arrived was read.
        if (this.#timer !== undefined) this.abort(new TimeoutError(timeoutMs));
      };
      this.#timer = setTimeout(() => afterArrivals(expire), timeoutMs);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    if (this.#outer !== undefined) unfollow(this.#outer, this.#onAbort);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * The reason with which a call is ended when its time is over.
 *
 * ```ts
 * const send = withDeadline(new HttpClient().send);
 * try {
 *   await send({ origin: 'https://shop.test', path: '/report', timeoutMs: 5_000 });
 * } catch (error) {
 *   if (error instanceof TimeoutError) console.error('the shop is slow');
 * }
 * ```
 */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  /**
   * A call took longer than its own time limit. It is the cause below a `WG_KUBE_CONNECTION`;
   * `isTimeout` knows it.
   */
  readonly code = 'WG_TIMEOUT';

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

/**
 * One listener a signal, however many calls follow it: a program with fifty informers has one
 * signal for all, and Node warns of a leak at eleven listeners.
 */
interface Followers {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const followers = new WeakMap<AbortSignal, Followers>();

function follow(signal: AbortSignal, callback: () => void): void {
  let entry = followers.get(signal);
  if (entry === undefined) {
    const callbacks = new Set<() => void>();
    entry = {
      callbacks,
      listener: () => {
        followers.delete(signal);
        for (const one of callbacks) one();
      },
    };
    followers.set(signal, entry);
    signal.addEventListener('abort', entry.listener, { once: true });
  }
  entry.callbacks.add(callback);
}

function unfollow(signal: AbortSignal, callback: () => void): void {
  const entry = followers.get(signal);
  if (entry === undefined || !entry.callbacks.delete(callback) || entry.callbacks.size > 0) return;
  followers.delete(signal);
  signal.removeEventListener('abort', entry.listener);
}
