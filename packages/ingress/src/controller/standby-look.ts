import type { Clock, Timer } from '@waygate/runtime';

interface StandbyLookOptions {
  readonly clock: Clock;
  /** Translates what there is, and tells what came of it. */
  readonly look: (signal: AbortSignal) => Promise<void>;
  /** Asks for another turn. */
  readonly again: () => void;
  readonly onError: (error: unknown) => void;
}

/** A look is taken at most this often, and takes at most this share of the time. */
const lookMs = 1_000;
const mostShare = 0.05;

/**
 * Looks at what changes while another replica writes. Its pauses are its own: whoever comes to write meanwhile does not
 * wait for them.
 */
export class StandbyLook {
  readonly #options: StandbyLookOptions;
  #nextMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor(options: StandbyLookOptions) {
    this.#options = options;
  }

  /** Something changed: it is looked at now, or when it may be. */
  async turn(signal: AbortSignal): Promise<void> {
    const { clock, look, again, onError } = this.#options;
    const startedMs = clock.monotonicMs();
    if (startedMs < this.#nextMs) {
      this.#timer ??= clock.after(this.#nextMs - startedMs, () => {
        this.#timer = undefined;
        again();
      });
      return;
    }
    try {
      await look(signal);
    } catch (error) {
      onError(error);
    }
    const nowMs = clock.monotonicMs();
    this.#nextMs = nowMs + Math.max(lookMs, (nowMs - startedMs) / mostShare);
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
