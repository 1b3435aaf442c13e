import { expect, test } from 'vitest';
import { matchedPrefix, withPrefixReplaced } from './prefix-replacement.ts';

test.each([
  ['/foo/bar', '/foo', '/xyz', '/xyz/bar'],
  ['/foo/bar', '/foo', '/xyz/', '/xyz/bar'],
  ['/foo/bar', '/foo/', '/xyz', '/xyz/bar'],
  ['/foo/bar', '/foo/', '/xyz/', '/xyz/bar'],
  ['/foo', '/foo', '/xyz', '/xyz'],
  ['/foo/', '/foo', '/xyz', '/xyz/'],
  ['/foo/bar', '/foo', '', '/bar'],
  ['/foo/', '/foo', '', '/'],
  ['/foo', '/foo', '', '/'],
  ['/foo/', '/foo', '/', '/'],
  ['/foo', '/foo', '/', '/'],
  ['/foo', '/', '/xyz', '/xyz/foo'],
  ['/', '/', '/xyz', '/xyz'],
])('%s with %s replaced by %j is %s', (path, matched, replacement, expected) => {
  expect(withPrefixReplaced(path, matched, replacement)).toBe(expected);
});

test.each([
  ['/a/b', ['/a', '/a/b', '/'], '/a/b'],
  ['/ab', ['/a', '/'], '/'],
  ['/ab', ['/a'], undefined],
  ['/a/', ['/a/'], '/a/'],
  ['/a', ['/a/'], '/a/'],
])('of %s and %j it is %j', (path, prefixes, expected) => {
  expect(matchedPrefix(path, prefixes)).toBe(expected);
});
