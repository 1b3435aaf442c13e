import { expect, test } from 'vitest';
import { splitHostPort, splitTraditionalHost } from './host-port.ts';

test.each([
  ['a', 'a', undefined],
  ['a:80', 'a', 80],
  ['a:', 'a:', undefined],
  ['a:x', 'a:x', undefined],
  [':80', '', 80],
  ['::1', '::1', undefined],
])('%s is %s and %s', (text, host, port) => {
  expect(splitHostPort(text)).toEqual({ host, port });
});

test.each([
  ['a', 'a', 'a', 'a:80', false],
  ['a:1', 'a', 'a:1', 'a:1', true],
  ['a:', 'a', 'a', 'a:80', false],
  ['a:x', 'a:x', 'a:x', '[a:x]:80', false],
  ['::1', '::1', '::1', '[::1]:80', false],
  ['[::1]', '::1', '[::1]', '[::1]:80', false],
  ['[::1]:', '::1', '[::1]:', '[::1]:80', false],
  ['[::1]:5', '::1', '[::1]:5', '[::1]:5', true],
  ['[::1]:x', '[::1]:x', '[::1]:x', '[::1]:x:80', false],
  ['[::1', '[::1', '[::1', '[::1:80', false],
])('the traditional router splits %s', (name, withoutPort, bare, withPort, hasPort) => {
  expect(splitTraditionalHost(name)).toEqual({ withoutPort, withPort: bare, hasPort });
  expect(splitTraditionalHost(name, 80)).toEqual({ withoutPort, withPort, hasPort });
});
