import type { Clock, Timer } from '../time/clock.ts';
import type { ReflectorStore } from './reflector-store.ts';

interface ResyncTimerOptions<T> {
  readonly store: ReflectorStore<T>;
  readonly resyncPeriodMs?: number;
  readonly shouldResync?: () => boolean;
}

/** Has a store say everything again, periodically, for as long as a watch is followed. */
export class ResyncTimer<T> {
  readonly #options: ResyncTimerOptions<T>;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  /** A resync that failed ends the watch. */
  onError: (error: unknown) => void = () => {};

  constructor(options: ResyncTimerOptions<T>, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  start(): void {
    const periodMs = this.#options.resyncPeriodMs ?? 0;
    if (periodMs <= 0) return;
    this.#timer = this.#clock.after(periodMs, () => this.#tick(), { isBackground: true });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #tick(): void {
    try {
      if (this.#options.shouldResync?.() ?? true) this.#options.store.resync?.();
    } catch (error) {
      this.onError(error);
      return;
    }
    this.start();
  }
}
