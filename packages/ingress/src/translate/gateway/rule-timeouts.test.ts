import { expect, test } from 'vitest';
import type { HttpRouteRule } from '../../objects/gateway-api.ts';
import type { ServiceEntity } from '../kong-state.ts';
import { applyTimeouts } from './rule-timeouts.ts';

const endless = 2 ** 31 - 2;

test.each<[string, object | undefined, boolean, number | undefined, number | undefined]>([
  ['none', undefined, true, undefined, undefined],
  ['an empty one', { backendRequest: '' }, true, undefined, undefined],
  ['a backend’s', { backendRequest: '2s' }, false, 2_000, undefined],
  ['a backend’s, which is not tried again', { backendRequest: '2s' }, true, 2_000, 0],
  ['a request’s, where the gateway can', { request: '3s' }, true, 3_000, 0],
  ['a request’s, where it cannot', { request: '3s' }, false, undefined, undefined],
  ['the backend’s before the request’s', { request: '3s', backendRequest: '1s' }, true, 1_000, 0],
  ['no limit', { backendRequest: '0s' }, true, endless, undefined],
  ['less than a millisecond', { backendRequest: '0.1ms' }, false, 1, undefined],
  ['a part of a millisecond', { backendRequest: '1.9ms' }, false, 1, undefined],
  ['more than there is', { backendRequest: '1000h' }, false, endless, undefined],
  ['less than nothing', { backendRequest: '-1s' }, true, undefined, undefined],
  ['words', { backendRequest: 'soon' }, true, undefined, undefined],
])('%s', (_what, timeouts, hasOwnPlugins, timeoutMs, retries) => {
  const entity: ServiceEntity = { name: 's', host: 'h', protocol: 'http' };
  applyTimeouts(entity, { timeouts } as HttpRouteRule, hasOwnPlugins);
  expect(entity).toEqual({
    name: 's',
    host: 'h',
    protocol: 'http',
    ...(timeoutMs !== undefined && {
      connect_timeout: timeoutMs,
      read_timeout: timeoutMs,
      write_timeout: timeoutMs,
    }),
    ...(retries !== undefined && { retries }),
  });
});
