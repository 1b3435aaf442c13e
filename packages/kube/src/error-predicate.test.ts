import { expect, test } from 'vitest';
import { KubeError } from './error.ts';
import * as predicates from './error-predicate.ts';

const { errorFromStatus, ...asked } = predicates;
const answer = (code: number, reason: string, more: object = {}) =>
  errorFromStatus({ kind: 'Status', status: 'Failure', code, reason, message: 'no', ...more });
const caused = (code: string) =>
  new KubeError('WG_KUBE_CONNECTION', 'no answer', {
    cause: new Error('outer', { cause: Object.assign(new Error('inner'), { code }) }),
  });
const tooLarge = 'Too large resource version: 9, current: 5';
/** A chain of causes that has no end. */
const endless = new Error('a');
endless.cause = new Error('b', { cause: endless });

// Of each error all that holds, so that of every predicate it is also said of what it does not hold.
test.each<[string, unknown, string]>([
  ['nothing', undefined, ''],
  ['an error of somebody else', new Error('no'), ''],
  ['a code of somebody else', { code: 'ECONNRESET' }, ''],
  ['NotFound', answer(404, 'NotFound'), 'isNotFound'],
  ['a 404 without a reason', answer(404, ''), 'isNotFound'],
  ['a 404 with a reason that nobody knows', answer(404, 'Lost'), 'isNotFound'],
  ['a 404 for another reason', answer(404, 'Conflict'), 'isConflict'],
  ['Conflict', answer(409, 'Conflict'), 'isConflict'],
  ['AlreadyExists', answer(409, 'AlreadyExists'), 'isAlreadyExists'],
  ['a 409 without a reason', answer(409, ''), 'isConflict'],
  ['Expired', answer(410, 'Expired'), 'isExpired isExpiredOrGone'],
  ['Gone', answer(410, 'Gone'), 'isGone isExpiredOrGone'],
  ['a 410 without a reason', answer(410, ''), 'isGone isExpiredOrGone'],
  ['TooManyRequests', answer(429, 'TooManyRequests'), 'isTooManyRequests'],
  ['a 429 without a reason', answer(429, ''), 'isTooManyRequests'],
  ['Unauthorized', answer(401, 'Unauthorized'), 'isUnauthorized'],
  ['Forbidden', answer(403, 'Forbidden'), 'isForbidden'],
  ['Invalid', answer(422, 'Invalid'), 'isInvalid'],
  ['BadRequest', answer(400, 'BadRequest'), 'isBadRequest'],
  ['MethodNotAllowed', answer(405, 'MethodNotAllowed'), 'isMethodNotSupported'],
  ['UnsupportedMediaType', answer(415, 'UnsupportedMediaType'), 'isUnsupportedMediaType'],
  ['RequestEntityTooLarge', answer(413, 'RequestEntityTooLarge'), 'isRequestEntityTooLarge'],
  ['InternalError', answer(500, 'InternalError'), 'isInternalError isUnreachable'],
  ['a 500 without a reason', answer(500, ''), 'isInternalError isUnreachable'],
  ['a 502', answer(502, ''), 'isUnreachable'],
  ['ServiceUnavailable', answer(503, 'ServiceUnavailable'), 'isServiceUnavailable isUnreachable'],
  ['Timeout', answer(504, 'Timeout'), 'isTimeout isUnreachable'],
  ['a 504 without a reason', answer(504, ''), 'isTimeout isUnreachable'],
  ['ServerTimeout', answer(500, 'ServerTimeout'), 'isTimeout isUnreachable'],
  ['a 599', answer(599, ''), ''],
  [
    'a version that is too large, by its cause',
    answer(504, 'Timeout', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    'isTimeout isTooLargeResourceVersion',
  ],
  [
    'a version that is too large, by the words of its cause',
    answer(504, 'Timeout', { details: { causes: [{ message: 'Too large resource version' }] } }),
    'isTimeout isTooLargeResourceVersion',
  ],
  [
    'a version that is too large, by its words',
    answer(504, 'Timeout', { message: tooLarge }),
    'isTimeout isTooLargeResourceVersion',
  ],
  ['those words for another reason', answer(404, 'NotFound', { message: tooLarge }), 'isNotFound'],
  [
    'another cause',
    answer(504, 'Timeout', { details: { causes: [{}] } }),
    'isTimeout isUnreachable',
  ],
  ['a write that was not sent', new KubeError('WG_KUBE_FENCED', 'no'), 'isFenced'],
  ['an unknown kind', new KubeError('WG_KUBE_NO_MATCH', 'no'), 'isNoMatch'],
  ['ECONNREFUSED', caused('ECONNREFUSED'), 'isConnectionRefused isConnectionError isUnreachable'],
  ['ECONNRESET', caused('ECONNRESET'), 'isConnectionReset isConnectionError isUnreachable'],
  ['EPIPE', caused('EPIPE'), 'isConnectionReset isConnectionError isUnreachable'],
  ['ETIMEDOUT', caused('ETIMEDOUT'), 'isTimeout isConnectionError isUnreachable'],
  ['our own time limit', caused('WG_TIMEOUT'), 'isTimeout isConnectionError isUnreachable'],
  ['a name that is not known', caused('ENOTFOUND'), 'isConnectionError isUnreachable'],
  [
    'several addresses, the last of which refused',
    new AggregateError([new Error('a'), Object.assign(new Error('b'), { code: 'ECONNREFUSED' })]),
    'isConnectionRefused',
  ],
  ['causes without an end', endless, ''],
])('%s', (_what, error, expected) => {
  const held = Object.entries(asked).filter(([, holds]) => holds(error));
  expect(held.map(([name]) => name).sort()).toEqual(expected.split(' ').filter(Boolean).sort());
});
