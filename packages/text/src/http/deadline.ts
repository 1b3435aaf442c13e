import { LinkedSignal } from './linked-signal.ts';
import type { HttpRequest, HttpResponse, Send } from './message.ts';

/** For all of a call: its tries, its answer and the body of it. 0 and undefined are for ever. */
export interface WithTimeout {
  readonly timeoutMs?: number | undefined;
}

/**
 * What ends with a `TimeoutError` when a call takes longer than it may, body and all.
 *
 * ```ts
 * const send = withDeadline(new HttpClient().send);
 * const response = await send({ origin: 'https://shop.test', path: '/report', timeoutMs: 5_000 });
 * ```
 */
export function withDeadline<R extends Pick<HttpRequest, 'signal'>>(
  send: Send<R>,
): Send<R & WithTimeout> {
  return async (request) => {
    const linked = new LinkedSignal(request.signal, request.timeoutMs);
    let response: HttpResponse;
    try {
      response = await send({ ...request, signal: linked.signal });
    } catch (error) {
      linked.release();
      throw error;
    }
    if (response.body.closed) linked.release();
    else response.body.once('close', () => linked.release());
    return response;
  };
}
