import type { Metrics } from '@waygate/runtime';
import { Counter, Gauge } from 'prom-client';

/** What became of a message. */
export type MessageResult = 'sent' | 'failed' | 'dropped';

/**
 * How notifications go: what was sent to which type of provider, and what waits.
 *
 * ```ts
 * const metrics = prometheusMetrics();
 * const notifications = new NotificationMetrics(metrics);
 * notifications.count('slack', 'sent');
 * (await metrics.registry.metrics()).includes('type="slack"'); // true
 * ```
 */
export class NotificationMetrics {
  /** How many messages wait; who sends them says it. */
  waiting: () => number = () => 0;
  readonly #messages: Counter<'type' | 'result'>;
  readonly #hooks: Counter<'type' | 'code'>;

  constructor({ registry }: Pick<Metrics, 'registry'>) {
    const waiting = () => this.waiting();
    this.#messages = new Counter({
      registers: [registry],
      name: 'waygate_notification_messages_total',
      help: 'Messages to providers, by the type of provider and what became of them',
      labelNames: ['type', 'result'],
    });
    this.#hooks = new Counter({
      registers: [registry],
      name: 'waygate_receiver_requests_total',
      help: 'Requests to receivers, by the type of receiver and the status of the answer',
      labelNames: ['type', 'code'],
    });
    new Gauge({
      registers: [registry],
      name: 'waygate_notification_messages_waiting',
      help: 'Messages to providers that are not sent yet',
      collect() {
        this.set(waiting());
      },
    });
  }

  count(type: string, result: MessageResult): void {
    this.#messages.inc({ type, result });
  }

  countHook(type: string, code: number): void {
    this.#hooks.inc({ type, code: String(code) });
  }
}
