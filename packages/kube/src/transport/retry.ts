import { type Outcome, retryAfterSeconds } from '@waygate/text';
import { isConnectionReset, isTimeout } from '../error-predicate.ts';
import type { ApiRequest } from './api-request.ts';

/** A connection that was reset is tried again after this. */
const resetWaitMs = 1000;
/** A server that asks for more has lost its mind; the caller should hear of it. */
const maxWaitMs = 10 * 60_000;

/**
 * What client-go tries again: 429 and any 5xx that says Retry-After for every verb, a connection that
 * was reset only for reads.
 */
export function waitAfter(
  { response, error }: Outcome,
  request: ApiRequest,
  now: () => number,
): number | undefined {
  if (response === undefined) return waitAfterError(request, error);
  const { statusCode } = response;
  if (statusCode !== 429 && (statusCode < 500 || statusCode > 599)) return undefined;
  const seconds = retryAfterSeconds(response, now);
  if (seconds === undefined || seconds * 1000 > maxWaitMs) return undefined;
  return seconds * 1000;
}

function waitAfterError(request: ApiRequest, error: unknown): number | undefined {
  if (request.method !== 'GET') return undefined;
  if (isConnectionReset(error)) return resetWaitMs;
  return request.isWatch === true && isTimeout(error) ? resetWaitMs : undefined;
}
