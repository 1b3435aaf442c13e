import { type Clock, EventQueue, type EventQueueSignals } from '@waygate/runtime';
import { discardBody, HttpClient, targetOf, withDeadline } from '@waygate/text';
import type { NotificationEvent } from './api/notification-event.ts';
import { messageOf } from './gitops-error.ts';

interface EventWebhookOptions {
  readonly url: string;
  readonly clock: Clock;
  /** Told of each event that could not be delivered. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const timeoutMs = 5_000;
const pausesMs = [1_000, 2_000, 4_000, 8_000];

/**
 * Sends events to a webhook, as Flux's controllers do for notification-controller: alerts on a cluster
 * go on working. It never holds up a reconciliation; when the receiver is away for long, events are
 * dropped.
 */
export class EventWebhook {
  readonly #options: EventWebhookOptions;
  readonly #queue: EventQueue<NotificationEvent>;
  readonly #client = new HttpClient();

  constructor(options: EventWebhookOptions) {
    this.#options = options;
    this.#queue = new EventQueue({
      clock: options.clock,
      length: 1000,
      flushMs: 2000,
      handle: (event, signals) => this.#deliver(event, signals),
    });
  }

  tell(event: NotificationEvent): void {
    this.#queue.add(event);
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#queue.run(signal);
    } finally {
      this.#client.close();
    }
  }

  async #deliver(event: NotificationEvent, { stop, cut }: EventQueueSignals): Promise<void> {
    const { clock, onError } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const failure = await this.#post(event, cut);
      if (failure === undefined) return;
      const pauseMs = failure.isFinal ? undefined : pausesMs[attempt];
      if (pauseMs !== undefined && (await clock.sleep(pauseMs, stop))) continue;
      const { kind, namespace, name } = event.involvedObject;
      const what = `the event ${event.reason} of ${kind} ${namespace}/${name}`;
      onError?.(new Error(`${what} was not delivered: ${failure.message}`));
      return;
    }
  }

  /** What went wrong, and whether another try would be in vain. */
  async #post(
    event: NotificationEvent,
    signal: AbortSignal,
  ): Promise<{ readonly message: string; readonly isFinal: boolean } | undefined> {
    try {
      const response = await withDeadline(this.#client.send)({
        method: 'POST',
        ...targetOf(new URL(this.#options.url)),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(event),
        signal,
        timeoutMs,
      });
      discardBody(response);
      const { statusCode } = response;
      // It has had the same event a moment ago.
      if ((statusCode >= 200 && statusCode < 300) || statusCode === 429) return undefined;
      return { message: `HTTP ${statusCode}`, isFinal: statusCode < 500 };
    } catch (error) {
      return { message: messageOf(error), isFinal: false };
    }
  }
}
