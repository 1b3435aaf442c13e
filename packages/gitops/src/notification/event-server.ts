import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpListener } from '@waygate/runtime';
import { parseNotificationEvent } from '../api/notification-event.ts';
import { bodyOf, type HookAddress, say, serveUntil } from '../http/hook-server.ts';
import type { NotificationDispatcher } from './dispatcher.ts';

/**
 * Takes events of other controllers, as Flux' notification-controller does: whatever has an
 * `--events-addr` can be pointed here. There is no authentication, as there is none in Flux; a
 * NetworkPolicy says who may reach it.
 */
export class EventServer {
  readonly name = 'event-server';
  readonly needsLeaderElection = false;
  readonly #listener: HttpListener;
  readonly #dispatcher: NotificationDispatcher;
  readonly #isFree: () => boolean;

  constructor(
    dispatcher: NotificationDispatcher,
    address: HookAddress,
    isFree: () => boolean = () => true,
  ) {
    this.#dispatcher = dispatcher;
    this.#isFree = isFree;
    this.#listener = new HttpListener({
      ...address,
      onRequest: (request, response) => void this.#answer(request, response),
    });
  }

  /** The port, once it listens. */
  get port(): number | undefined {
    return this.#listener.address?.port;
  }

  async run(signal: AbortSignal): Promise<void> {
    await serveUntil(this.#listener, signal);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request, response);
    if (body === undefined) return;
    if (!this.#isFree()) {
      say(response, 503, 'another notification-controller acts');
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      say(response, 400, 'the body is no JSON');
      return;
    }
    const event = parseNotificationEvent(value);
    if (typeof event === 'string') {
      say(response, 400, event);
      return;
    }
    const taken = this.#dispatcher.accept(event);
    if (taken === 'taken') response.writeHead(202).end();
    else if (taken === 'repeated') say(response, 429, 'the same event came a moment ago');
    else say(response, 503, 'too many events wait');
  }
}
