import type { Clock } from '@waygate/runtime';

interface ChangeGateOptions {
  readonly clock: Clock;
  /** After the first change of a burst this long is waited for the rest of it. */
  readonly settleMs: number;
  /** The longest pause between two passes that the length of passes can lead to. */
  readonly maxPauseMs: number;
}

/**
 * Decides when work on changes begins. An idle cluster's change is taken up at once. When changes
 * keep coming, they are collected for about as long as the work itself takes, so that a storm costs
 * half of the time and no change waits for long.
 */
export class ChangeGate {
  readonly #options: ChangeGateOptions;
  #hasChange = false;
  #wake: (() => void) | undefined;
  #lastEndMs = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;

  constructor(options: ChangeGateOptions) {
    this.#options = options;
  }

  /** There is something to do. Cheap, and may be called at any rate. */
  notify(): void {
    this.#hasChange = true;
    this.#wake?.();
  }

  /** Resolves with true when work should begin, with false when the signal aborts. */
  async wait(signal: AbortSignal): Promise<boolean> {
    while (!this.#hasChange) {
      if (signal.aborted) return false;
      await new Promise<void>((resolve) => {
        const end = () => {
          this.#wake = undefined;
          signal.removeEventListener('abort', end);
          resolve();
        };
        this.#wake = end;
        signal.addEventListener('abort', end, { once: true });
      });
    }
    const { clock, settleMs } = this.#options;
    const untilMs = Math.max(clock.monotonicMs() + settleMs, this.#lastEndMs + this.#pauseMs);
    const waitMs = untilMs - clock.monotonicMs();
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    this.#hasChange = false;
    return !signal.aborted;
  }

  /** Work that began at this time is done; failures ask for a longer pause. */
  finished(startedMs: number, atLeastMs = 0): void {
    const { clock, maxPauseMs } = this.#options;
    this.#lastEndMs = clock.monotonicMs();
    // Changes that came while the work was under way are the sign of a storm.
    const tookMs = this.#hasChange ? this.#lastEndMs - startedMs : 0;
    this.#pauseMs = Math.max(Math.min(tookMs, maxPauseMs), atLeastMs);
  }
}
