import { KubeError } from '@waygate/kube';
import type { Status } from '@waygate/schema';

/** What an ERROR event of a watch says, as an error. */
export function errorFromStatus(status: Status): KubeError {
  return new KubeError('WG_KUBE_API', status.message ?? status.reason ?? 'the watch failed', {
    status,
  });
}

/** The version asked for is no longer there: listing again is the way on. */
export function isExpiredError(error: unknown): boolean {
  return hasReason(error, 'Expired') || hasReason(error, 'Gone', 410);
}

export function isTooManyRequestsError(error: unknown): boolean {
  return hasReason(error, 'TooManyRequests', 429);
}

export function isInternalError(error: unknown): boolean {
  return hasReason(error, 'InternalError', 500);
}

/** The version asked for is newer than the server's. Servers before 1.19 say so only in prose. */
export function isTooLargeResourceVersionError(error: unknown): boolean {
  if (!(error instanceof KubeError) || error.status === undefined) return false;
  const causes = error.status.details?.causes ?? [];
  if (causes.some(({ reason }) => reason === 'ResourceVersionTooLarge')) return true;
  if (!hasReason(error, 'Timeout')) return false;
  if (causes.some(({ message }) => message === 'Too large resource version')) return true;
  return error.status.message?.includes('Too large resource version') === true;
}

/** Nobody listens there, as while an API server restarts. */
export function isConnectionRefused(error: unknown): boolean {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 8; depth++) {
    if ((cause as { code?: unknown }).code === 'ECONNREFUSED') return true;
    if (cause instanceof AggregateError && cause.errors.some(isConnectionRefused)) return true;
    cause = cause.cause;
  }
  return false;
}

/** How long the server asked to be left alone, in milliseconds. */
export function retryAfterMs(error: unknown): number {
  return error instanceof KubeError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
}

/** The reasons that the API machinery knows; for any other the HTTP status decides. */
const knownReasons = new Set([
  'AlreadyExists',
  'BadRequest',
  'Conflict',
  'Expired',
  'Forbidden',
  'Gone',
  'InternalError',
  'Invalid',
  'MethodNotAllowed',
  'NotAcceptable',
  'NotFound',
  'RequestEntityTooLarge',
  'ServerTimeout',
  'ServiceUnavailable',
  'StoreReadError',
  'Timeout',
  'TooManyRequests',
  'Unauthorized',
  'UnsupportedMediaType',
]);

function hasReason(error: unknown, reason: string, statusCode?: number): boolean {
  if (!(error instanceof KubeError)) return false;
  const said = error.status?.reason ?? '';
  if (said === reason) return true;
  return statusCode !== undefined && error.statusCode === statusCode && !knownReasons.has(said);
}
