import type { Clock } from '../time/clock.ts';

/** When a handler is to hurry, and when it is to drop everything. */
export interface EventQueueSignals {
  /** The recorder stops: finish what is under way, try nothing again. */
  readonly stop: AbortSignal;
  /** The time to finish is over. */
  readonly cut: AbortSignal;
}

/** How long a queue of events is, and what becomes of them. */
export interface EventQueueOptions<E> {
  readonly clock: Clock;
  /** More than this many waiting are dropped: telling people must never hold up the work. */
  readonly length: number;
  /** How long what waits is still handled after the stop. */
  readonly flushMs: number;
  /** Handles one event. What it throws is swallowed, and the event counts as dropped. */
  readonly handle: (event: E, signals: EventQueueSignals) => Promise<void>;
}

/**
 * A bounded line of events with one consumer.
 *
 * ```ts
 * const queue = new EventQueue<string>({
 *   clock: systemClock,
 *   length: 1_000,
 *   flushMs: 2_000,
 *   handle: async (event) => console.log(event),
 * });
 * queue.add('made');
 * await queue.run(signal);
 * ```
 */
export class EventQueue<E> {
  /** Dropped because the queue was full, or because the stop did not wait for them. */
  dropped = 0;
  readonly #options: EventQueueOptions<E>;
  #waiting: E[] = [];
  #wake: (() => void) | undefined;

  constructor(options: EventQueueOptions<E>) {
    this.#options = options;
  }

  add(event: E): void {
    if (this.#waiting.length >= this.#options.length) {
      this.dropped++;
      return;
    }
    this.#waiting.push(event);
    this.#wake?.();
  }

  /** Handles events one by one. After the stop, those that wait get `flushMs`, and the rest is dropped. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock, flushMs } = this.#options;
    const cutting = new AbortController();
    let endCut: () => void = () => {};
    const cut = new Promise<void>((resolve) => {
      endCut = resolve;
    });
    let cancelTimer = () => {};
    const onStop = () => {
      const timer = clock.after(flushMs, () => {
        cutting.abort();
        endCut();
      });
      cancelTimer = () => timer.cancel();
    };
    if (stop.aborted) onStop();
    else stop.addEventListener('abort', onStop, { once: true });
    await Promise.race([this.#consume({ stop, cut: cutting.signal }), cut]);
    stop.removeEventListener('abort', onStop);
    cancelTimer();
    this.dropped += this.#waiting.length;
    this.#waiting = [];
  }

  async #consume(signals: EventQueueSignals): Promise<void> {
    while (!signals.cut.aborted) {
      const event = this.#waiting.shift();
      if (event !== undefined) await this.#handle(event, signals);
      else if (signals.stop.aborted) return;
      else await this.#nextEvent(signals.stop);
    }
  }

  async #handle(event: E, signals: EventQueueSignals): Promise<void> {
    try {
      await this.#options.handle(event, signals);
    } catch {
      this.dropped++;
    }
  }

  #nextEvent(stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const onWake = () => {
        stop.removeEventListener('abort', onWake);
        this.#wake = undefined;
        resolve();
      };
      stop.addEventListener('abort', onWake, { once: true });
      this.#wake = onWake;
    });
  }
}
