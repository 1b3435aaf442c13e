import { isConnectionReset, isTimeout } from '../error-predicate.ts';
import { type HttpRequest, type HttpResponse, headerOf, type Send } from './http.ts';
import type { Sleep } from './sleep.ts';

/** How often a request is tried again, and who is told. */
export interface RetryOptions {
  /** Tries after the first. client-go makes 10. */
  readonly maxRetries: number;
  readonly sleep: Sleep;
  /** Wall clock, for a Retry-After that is a date. */
  readonly now: () => number;
  /** Called before each wait. */
  readonly onRetry?: ((attempt: number, waitMs: number) => void) | undefined;
}

/** A connection that was reset is tried again after this. */
const RESET_WAIT_MS = 1000;
/** A server that asks for more has lost its mind; the caller should hear of it. */
const MAX_WAIT_MS = 10 * 60_000;

/**
 * Sends as client-go does: 429 and any 5xx that says Retry-After are tried again for every verb, a
 * connection that was reset only for reads. The last answer or error stands.
 */
export async function sendWithRetry(
  send: Send,
  request: HttpRequest,
  options: RetryOptions,
): Promise<HttpResponse> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await send(request).then(
      (response) => ({ response, waitMs: waitAfterResponse(response, options.now) }),
      (error: unknown) => ({ error, waitMs: waitAfterError(request, error) }),
    );
    const { waitMs } = outcome;
    const isLast = waitMs === undefined || attempt > options.maxRetries;
    if ('error' in outcome) {
      if (isLast || request.signal?.aborted === true) throw outcome.error;
    } else {
      if (isLast) return outcome.response;
      // Read or dropped, so that the connection can be used for the next try.
      outcome.response.body.on('error', () => {}).resume();
    }
    options.onRetry?.(attempt, waitMs);
    await options.sleep(waitMs, request.signal);
  }
}

function waitAfterResponse(response: HttpResponse, now: () => number): number | undefined {
  const { statusCode } = response;
  if (statusCode !== 429 && (statusCode < 500 || statusCode > 599)) return undefined;
  const seconds = retryAfterSeconds(headerOf(response.headers, 'retry-after'), now);
  if (seconds === undefined || seconds * 1000 > MAX_WAIT_MS) return undefined;
  return seconds * 1000;
}

function waitAfterError(request: HttpRequest, error: unknown): number | undefined {
  if (request.method !== 'GET') return undefined;
  if (isConnectionReset(error)) return RESET_WAIT_MS;
  return request.isWatch === true && isTimeout(error) ? RESET_WAIT_MS : undefined;
}

/** Seconds, or a date. */
export function retryAfterSeconds(
  header: string | undefined,
  now: () => number,
): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now()) / 1000));
}
