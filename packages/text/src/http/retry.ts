import { discardBody } from './body.ts';
import { type HttpRequest, type HttpResponse, headerOf, type Send } from './message.ts';
import { sleep as realSleep, type Sleep } from './sleep.ts';

/** What came of one try. */
export type Outcome =
  | { readonly response: HttpResponse; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: unknown };

/** What is tried again, and when. */
export interface RetryPolicy<R> {
  /**
   * How long to wait before the next try; undefined when what came of this one stands. Tries count
   * from 1.
   */
  readonly waitAfter: (outcome: Outcome, attempt: number, request: R) => number | undefined;
  readonly sleep?: Sleep | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((request: R, attempt: number, waitMs: number) => void) | undefined;
}

/**
 * Tries again what may go better another time. The last answer or error stands.
 *
 * ```ts
 * let calls = 0;
 * const waitAfter = (_: unknown, attempt: number) => (attempt < 3 ? 100 : undefined);
 * const failing = async () => Promise.reject(new Error(`try ${++calls}`));
 * const send = retrying(failing, { waitAfter, sleep: async () => {} });
 * await send({}).catch((error: Error) => error.message); // 'try 3'
 * ```
 */
export function retrying<R extends Pick<HttpRequest, 'signal'>>(
  send: Send<R>,
  { waitAfter, sleep = realSleep, onRetry }: RetryPolicy<R>,
): Send<R> {
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const outcome: Outcome = await send(request).then(
        (response) => ({ response }),
        (error: unknown) => ({ error }),
      );
      const isGivenUp = outcome.response === undefined && request.signal?.aborted === true;
      const waitMs = isGivenUp ? undefined : waitAfter(outcome, attempt, request);
      if (waitMs === undefined) {
        if (outcome.response === undefined) throw outcome.error;
        return outcome.response;
      }
      // Read or dropped, so that the connection can be used for the next try.
      if (outcome.response !== undefined) discardBody(outcome.response);
      onRetry?.(request, attempt, waitMs);
      await sleep(waitMs, request.signal);
    }
  };
}

/**
 * What an answer asks for by `Retry-After`: seconds, or a date.
 *
 * ```ts
 * retryAfterSeconds({ headers: { 'retry-after': '30' } }, Date.now); // 30
 * ```
 */
export function retryAfterSeconds(
  { headers }: Pick<HttpResponse, 'headers'>,
  now: () => number,
): number | undefined {
  const header = headerOf(headers, 'retry-after');
  if (header === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now()) / 1000));
}
