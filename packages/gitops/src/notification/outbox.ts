import type { Clock } from '@waygate/runtime';

/** What came of one try to send. */
export type Sending =
  | { readonly kind: 'sent' }
  /** Another try would be in vain. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'later'; readonly why: string; readonly waitMs?: number | undefined };

interface OutboxOptions<M> {
  readonly clock: Clock;
  readonly send: (message: M, signal: AbortSignal) => Promise<Sending>;
  /** Told when a message has failed for a while; it is tried on. */
  readonly onLate: (message: M, why: string) => void;
  /** Told when a message will not be sent any more. */
  readonly onLost: (message: M, why: string) => void;
  readonly maxLength?: number | undefined;
  readonly maxAgeMs?: number | undefined;
}

interface Waiting<M> {
  readonly message: M;
  readonly sinceMs: number;
  tries: number;
}

const pausesMs = [2_000, 4_000, 8_000, 16_000, 30_000, 60_000];
/** So many tries have failed when people are told of it. */
const lateTries = 5;

/**
 * Messages to one receiver, in their order. Each is sent once; while the receiver is away they wait, as
 * many and as long as they may, so that an outage costs time and nothing else. One that is refused is
 * dropped, and the next has its turn.
 */
export class Outbox<M> {
  readonly #options: OutboxOptions<M>;
  readonly #waiting: Waiting<M>[] = [];
  #wake: (() => void) | undefined;
  #isSending = false;

  constructor(options: OutboxOptions<M>) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Puts a message last. When there are too many the oldest gives way: news are worth more. */
  add(message: M): void {
    const { maxLength = 500, clock } = this.#options;
    this.#waiting.push({ message, sinceMs: clock.monotonicMs(), tries: 0 });
    if (this.#waiting.length > maxLength) this.dropOldest(`more than ${maxLength} wait`);
  }

  /** Makes room. What is under way is not dropped: it may have arrived. */
  dropOldest(why: string): void {
    const [dropped] = this.#waiting.splice(this.#isSending ? 1 : 0, 1);
    if (dropped !== undefined) this.#options.onLost(dropped.message, why);
  }

  /** Ends a pause: something changed, and the next try may go well. */
  wake(): void {
    this.#wake?.();
  }

  /**
   * Sends until nothing waits. After the stop everything is tried once more and not again; `cut` ends
   * it in any case.
   */
  async run(stop: AbortSignal, cut: AbortSignal): Promise<void> {
    const { clock, send, onLate, onLost, maxAgeMs = 3_600_000 } = this.#options;
    while (!cut.aborted) {
      const head = this.#waiting[0];
      if (head === undefined) return;
      this.#isSending = true;
      const outcome = await send(head.message, cut);
      this.#isSending = false;
      if (cut.aborted && outcome.kind !== 'sent') break;
      const isOld = clock.monotonicMs() - head.sinceMs >= maxAgeMs;
      if (outcome.kind === 'later' && !isOld && !stop.aborted) {
        head.tries++;
        if (head.tries === lateTries) onLate(head.message, outcome.why);
        const pauseMs = pausesMs[Math.min(head.tries, pausesMs.length) - 1] ?? 0;
        await this.#pause(Math.max(pauseMs, outcome.waitMs ?? 0), stop);
        continue;
      }
      this.#waiting.shift();
      if (outcome.kind !== 'sent') onLost(head.message, outcome.why);
    }
    for (const { message } of this.#waiting.splice(0)) onLost(message, 'the controller stops');
  }

  async #pause(delayMs: number, stop: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const onStop = () => woken.abort();
    this.#wake = onStop;
    stop.addEventListener('abort', onStop, { once: true });
    await this.#options.clock.sleep(delayMs, woken.signal);
    stop.removeEventListener('abort', onStop);
    this.#wake = undefined;
  }
}
