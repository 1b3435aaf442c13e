import { isUnreachable, KubeError } from '@waygate/kube';
import { RuntimeError } from '../runtime-error.ts';
import { type Backoff, reflectorBackoff } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';

/** Whose pauses they are. */
interface RecoveryPauseOptions {
  readonly clock: Clock;
  readonly backoff: Backoff;
  /** Resolves once a server that did not answer does so again; false when the signal aborted first. */
  readonly whenReachable: ((signal: AbortSignal) => Promise<boolean>) | undefined;
}

/** The pauses of a reflector after what went wrong. */
export class RecoveryPause {
  readonly #options: RecoveryPauseOptions;

  constructor(options: RecoveryPauseOptions) {
    this.#options = options;
  }

  /**
   * Waits out the back-off, or what the server asked for if that is longer; but once a server that
   * was down answers, there is nothing left to wait for.
   */
  async wait(signal: AbortSignal, error?: unknown): Promise<void> {
    const { clock, backoff, whenReachable } = this.#options;
    const askedMs = Math.min(retryAfterMs(error), reflectorBackoff.maxMs);
    const waitMs = Math.max(backoff.nextMs(), askedMs);
    const cause = error instanceof RuntimeError ? error.cause : error;
    if (whenReachable === undefined || askedMs > 0 || !isUnreachable(cause)) {
      await clock.sleep(waitMs, signal);
      return;
    }
    // Whoever was told of the error may have stopped us: an abort that was is not heard again.
    if (signal.aborted) return;
    const over = new AbortController();
    const end = () => over.abort();
    signal.addEventListener('abort', end, { once: true });
    const isReachable = await Promise.race([
      whenReachable(over.signal),
      clock.sleep(waitMs, over.signal).then(() => false),
    ]);
    signal.removeEventListener('abort', end);
    end();
    if (isReachable) backoff.reset();
  }
}

/** How long the server asked to be left alone, in milliseconds. */
function retryAfterMs(error: unknown): number {
  return error instanceof KubeError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
}
