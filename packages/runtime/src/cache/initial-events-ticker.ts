import type { Clock, Timer } from '../time/clock.ts';

/** How often a streaming list that makes no progress is complained about. */
const defaultPeriodMs = 10_000;

/**
 * Tells that a streaming list has not come to its end. It is the server's fault when the bookmark is
 * missing, and would else look like an empty cluster.
 *
 * ```ts
 * const clock = new FakeClock();
 * const ticker = new InitialEventsEndTicker(clock, 10_000);
 * await clock.advance(10_000);
 * ticker.warning()?.includes('bookmark'); // true
 * ```
 */
export class InitialEventsEndTicker {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #startedMs: number;
  #lastEventMs: number | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, periodMs = defaultPeriodMs) {
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#startedMs = clock.monotonicMs();
  }

  observeEvent(): void {
    this.#lastEventMs = this.#clock.monotonicMs();
  }

  /** What there is to complain about now, if anything. */
  warning(): string | undefined {
    const now = this.#clock.monotonicMs();
    if (this.#lastEventMs === undefined) {
      if (now - this.#startedMs < this.#periodMs) return undefined;
      return `awaiting the bookmark that ends the initial events; no events received for ${seconds(now - this.#startedMs)}`;
    }
    if (now - this.#lastEventMs < this.#periodMs) return undefined;
    return `awaiting the bookmark that ends the initial events; received last event ${seconds(now - this.#lastEventMs)} ago`;
  }

  start(report: (warning: string) => void): void {
    this.#timer = this.#clock.after(
      this.#periodMs,
      () => {
        const warning = this.warning();
        if (warning !== undefined) report(warning);
        this.start(report);
      },
      { isBackground: true },
    );
  }

  stop(): void {
    this.#timer?.cancel();
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)}s`;
}
