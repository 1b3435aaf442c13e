import { expect, test } from 'vitest';
import { KongError } from './kong-error.ts';

/** What a second copy of this module makes, as the packed program has one. */
class OtherKongError extends Error {
  override readonly name = 'KongError';
  readonly code = 'WG_KONG_HTTP';
  readonly status = 404;
}

test.each<[string, unknown, boolean]>([
  ['its own', new KongError('WG_KONG_HTTP', 'no', { status: 404 }), true],
  ['that of another copy of the room', new OtherKongError('no'), true],
  ['any other', new Error('no'), false],
  ['one of another room', Object.assign(new Error('no'), { name: 'KubeError' }), false],
  ['something that is called like it', { name: 'KongError', code: 'WG_KONG_HTTP' }, false],
  ['nothing', undefined, false],
])('an error of this room: %s', (_what, value, isOne) => {
  expect(value instanceof KongError).toBe(isOne);
});
