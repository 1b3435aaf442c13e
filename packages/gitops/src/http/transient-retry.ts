import type { HttpRequest, RetryPolicy } from '@waygate/text';
import { UnreachableError } from './outgoing-client.ts';

const transient: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const maxRetries = 2;

/**
 * Tries again what may go well the next time, with pauses that triple. Only for questions that can be
 * asked twice.
 */
export function transientRetry(
  firstPauseMs: number,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): RetryPolicy<HttpRequest & { readonly signal: AbortSignal }> {
  return {
    waitAfter: ({ response, error }, attempt) => {
      const isTransient =
        response === undefined
          ? error instanceof UnreachableError && error.isCut
          : transient.has(response.statusCode);
      return isTransient && attempt <= maxRetries ? firstPauseMs * 3 ** (attempt - 1) : undefined;
    },
    sleep: (ms, signal) => sleep(ms, signal as AbortSignal),
  };
}
