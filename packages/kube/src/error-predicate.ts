import type { Status } from '@waygate/schema';
import { KubeError } from './error.ts';

/** The reasons that the API machinery knows; for any other the HTTP status decides. */
const statusCodes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  BadRequest: 400,
  InternalError: 500,
  StoreReadError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
};

function hasReason(error: unknown, reason: string, byStatusCode = true): boolean {
  if (!(error instanceof KubeError)) return false;
  const said = error.status?.reason ?? '';
  if (said === reason) return true;
  return (
    byStatusCode && error.statusCode === statusCodes[reason] && !Object.hasOwn(statusCodes, said)
  );
}

/**
 * The object, or the kind, is not there.
 *
 * ```ts
 * const web = await client.resource(kinds.Pod).get('web', { namespace: 'shop' }).catch((error) => {
 *   if (isNotFound(error)) return undefined;
 *   throw error;
 * });
 * ```
 */
export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound');

/**
 * The object was changed since it was read; read it again and try again.
 *
 * ```ts
 * isConflict(errorFromStatus({ kind: 'Status', code: 409, reason: 'Conflict' })); // true
 * ```
 */
export const isConflict = (error: unknown): boolean => hasReason(error, 'Conflict');

/**
 * An object of this name is there already.
 *
 * ```ts
 * isAlreadyExists(errorFromStatus({ kind: 'Status', code: 409, reason: 'AlreadyExists' })); // true
 * ```
 */
export const isAlreadyExists = (error: unknown): boolean =>
  hasReason(error, 'AlreadyExists', false);

/**
 * The resourceVersion or continue token is too old: list again.
 *
 * ```ts
 * isExpired(errorFromStatus({ kind: 'Status', code: 410, reason: 'Expired' })); // true
 * ```
 */
export const isExpired = (error: unknown): boolean => hasReason(error, 'Expired', false);

/**
 * What was asked for is no longer there and will not come back.
 *
 * ```ts
 * isGone(errorFromStatus({ kind: 'Status', code: 410, reason: 'Gone' })); // true
 * ```
 */
export const isGone = (error: unknown): boolean => hasReason(error, 'Gone');

/**
 * Either form in which a server says that a version is no longer there.
 *
 * ```ts
 * isExpiredOrGone(errorFromStatus({ kind: 'Status', code: 410, reason: 'Expired' })); // true
 * ```
 */
export const isExpiredOrGone = (error: unknown): boolean => isExpired(error) || isGone(error);

/**
 * The server asks for patience; `retryAfterSeconds` says for how long.
 *
 * ```ts
 * isTooManyRequests(errorFromStatus({ kind: 'Status', code: 429, reason: 'TooManyRequests' })); // true
 * ```
 */
export const isTooManyRequests = (error: unknown): boolean => hasReason(error, 'TooManyRequests');

/**
 * The server does not know who asks.
 *
 * ```ts
 * isUnauthorized(errorFromStatus({ kind: 'Status', code: 401, reason: 'Unauthorized' })); // true
 * ```
 */
export const isUnauthorized = (error: unknown): boolean => hasReason(error, 'Unauthorized');

/**
 * The user may not do this.
 *
 * ```ts
 * isForbidden(errorFromStatus({ kind: 'Status', code: 403, reason: 'Forbidden' })); // true
 * ```
 */
export const isForbidden = (error: unknown): boolean => hasReason(error, 'Forbidden');

/**
 * The object breaks a rule of its kind; `status.details.causes` names the fields.
 *
 * ```ts
 * isInvalid(errorFromStatus({ kind: 'Status', code: 422, reason: 'Invalid' })); // true
 * ```
 */
export const isInvalid = (error: unknown): boolean => hasReason(error, 'Invalid');

/**
 * The server could not understand the request.
 *
 * ```ts
 * isBadRequest(errorFromStatus({ kind: 'Status', code: 400, reason: 'BadRequest' })); // true
 * ```
 */
export const isBadRequest = (error: unknown): boolean => hasReason(error, 'BadRequest');

/**
 * The resource does not have this verb.
 *
 * ```ts
 * isMethodNotSupported(errorFromStatus({ kind: 'Status', code: 405, reason: 'MethodNotAllowed' })); // true
 * ```
 */
export const isMethodNotSupported = (error: unknown): boolean =>
  hasReason(error, 'MethodNotAllowed');

/**
 * The server does not take a body, or a patch, of this type.
 *
 * ```ts
 * isUnsupportedMediaType(errorFromStatus({ kind: 'Status', code: 415, reason: 'UnsupportedMediaType' })); // true
 * ```
 */
export const isUnsupportedMediaType = (error: unknown): boolean =>
  hasReason(error, 'UnsupportedMediaType');

/**
 * The object is larger than the server takes.
 *
 * ```ts
 * isRequestEntityTooLarge(errorFromStatus({ kind: 'Status', code: 413, reason: 'RequestEntityTooLarge' })); // true
 * ```
 */
export const isRequestEntityTooLarge = (error: unknown): boolean =>
  hasReason(error, 'RequestEntityTooLarge');

/**
 * Something broke inside the server.
 *
 * ```ts
 * isInternalError(errorFromStatus({ kind: 'Status', code: 500, reason: 'InternalError' })); // true
 * ```
 */
export const isInternalError = (error: unknown): boolean => hasReason(error, 'InternalError');

/**
 * The server cannot answer now; another time it may.
 *
 * ```ts
 * isServiceUnavailable(errorFromStatus({ kind: 'Status', code: 503, reason: 'ServiceUnavailable' })); // true
 * ```
 */
export const isServiceUnavailable = (error: unknown): boolean =>
  hasReason(error, 'ServiceUnavailable');

/**
 * The server, or the call's own time limit, gave up waiting.
 *
 * ```ts
 * isTimeout(errorFromStatus({ kind: 'Status', code: 504, reason: 'Timeout' })); // true
 * ```
 */
export function isTimeout(error: unknown): boolean {
  if (hasReason(error, 'Timeout') || hasReason(error, 'ServerTimeout', false)) return true;
  return hasCode(error, timeouts);
}

/**
 * The version asked for is newer than the server's. Servers before 1.19 say so only in prose.
 *
 * ```ts
 * const details = { causes: [{ reason: 'ResourceVersionTooLarge' }] };
 * isTooLargeResourceVersion(errorFromStatus({ kind: 'Status', code: 504, reason: 'Timeout', details })); // true
 * ```
 */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (!(error instanceof KubeError) || error.status === undefined) return false;
  const causes = error.status.details?.causes ?? [];
  if (causes.some(({ reason }) => reason === 'ResourceVersionTooLarge')) return true;
  if (!hasReason(error, 'Timeout')) return false;
  if (causes.some(({ message }) => message === 'Too large resource version')) return true;
  return error.status.message?.includes('Too large resource version') === true;
}

/**
 * The write was not sent, as this process does not lead any more.
 *
 * ```ts
 * isFenced(new KubeError('WG_KUBE_FENCED', 'not sent')); // true
 * ```
 */
export function isFenced(error: unknown): boolean {
  return error instanceof KubeError && error.code === 'WG_KUBE_FENCED';
}

/**
 * Nobody listens there, as while an API server restarts.
 *
 * ```ts
 * const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
 * isConnectionRefused(new KubeError('WG_KUBE_CONNECTION', 'no answer', { cause })); // true
 * ```
 */
export const isConnectionRefused = (error: unknown): boolean =>
  hasCode(error, new Set(['ECONNREFUSED']));

/**
 * The connection was cut before an answer, or in the middle of one.
 *
 * ```ts
 * const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
 * isConnectionReset(new KubeError('WG_KUBE_CONNECTION', 'no answer', { cause })); // true
 * ```
 */
export const isConnectionReset = (error: unknown): boolean => hasCode(error, resets);

/**
 * The name of the server could not be resolved, or nothing answered: worth another try later.
 *
 * ```ts
 * isConnectionError(new KubeError('WG_KUBE_CONNECTION', 'no answer')); // true
 * ```
 */
export function isConnectionError(error: unknown): boolean {
  return error instanceof KubeError && error.code === 'WG_KUBE_CONNECTION';
}

/** What a proxy answers for a server that is not there, or an API server without its store. */
const standIns: ReadonlySet<number | undefined> = new Set([500, 502, 503, 504]);

/**
 * Nobody answered, or only something that stands in for a server which is not there (a proxy's 502,
 * an API server without its store): the same request may well succeed once it is back.
 *
 * ```ts
 * try {
 *   await client.resource(kinds.Pod).list();
 * } catch (error) {
 *   if (isUnreachable(error)) await client.whenReachable(signal);
 * }
 * ```
 */
export function isUnreachable(error: unknown): boolean {
  if (isConnectionError(error)) return true;
  if (!(error instanceof KubeError) || isTooLargeResourceVersion(error)) return false;
  return standIns.has(error.statusCode);
}

/**
 * The server does not know the kind, as before its CustomResourceDefinition is there.
 *
 * ```ts
 * isNoMatch(new KubeError('WG_KUBE_NO_MATCH', 'no kind Widget')); // true
 * ```
 */
export function isNoMatch(error: unknown): boolean {
  return error instanceof KubeError && error.code === 'WG_KUBE_NO_MATCH';
}

/**
 * What an `ERROR` event of a watch says, as an error.
 *
 * ```ts
 * isExpired(errorFromStatus({ kind: 'Status', code: 410, reason: 'Expired' })); // true
 * ```
 */
export function errorFromStatus(status: Status): KubeError {
  return new KubeError('WG_KUBE_API', status.message ?? status.reason ?? 'the API refused', {
    status,
  });
}

const resets: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
]);
const timeouts: ReadonlySet<string> = new Set(['ETIMEDOUT', 'WG_TIMEOUT']);

/** Looks down the chain of causes; bounded, as a cause may point back up. */
function hasCode(error: unknown, codes: ReadonlySet<string>, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 8) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && codes.has(code)) return true;
  if (
    error instanceof AggregateError &&
    error.errors.some((one) => hasCode(one, codes, depth + 1))
  ) {
    return true;
  }
  return hasCode(error.cause, codes, depth + 1);
}
