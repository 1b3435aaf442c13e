import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapePath, isAcceptablePath, normalizePath } from './request-path.ts';

describe('normalizePath', () => {
  test.each([
    ['/', '/'],
    ['//a', '/a'],
    ['/a///b/', '/a/b/'],
    ['/x/../a', '/a'],
    ['/a/b/..', '/a/'],
    ['/a/.', '/a/'],
    ['/%61%62c', '/abc'],
    ['/a%2fb', '/a%2Fb'],
    ['/sp%20ace', '/sp ace'],
    ['/%c3%a9', '/é'],
    ['/%2e%2e/a', '/a'],
    ['/a?x=/../y', '/a'],
    ['/.well-known/x', '/.well-known/x'],
  ])('%s becomes %s', (target, path) => {
    expect(normalizePath(target)).toEqual({ path, isUtf8: true });
  });

  test('bytes that are no UTF-8 are told apart', () => {
    expect(normalizePath('/%E9')).toEqual({ path: '/\u00e9', isUtf8: false });
    expect(escapePath('/\u00e9', false)).toBe('/%E9');
  });

  test('is stable: what is normal stays as it is', () => {
    const target = fc
      .array(fc.constantFrom('/', 'a', '.', '..', '%41', '%2F', '%C3%A9', '~'), { maxLength: 12 })
      .map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(target, (raw) => {
        const once = normalizePath(raw).path;
        expect(normalizePath(escapePath(once, true)).path).toBe(once);
        expect(once).not.toMatch(/\/\/|\/\.\.?(\/|$)/);
      }),
    );
  });
});

describe('isAcceptablePath', () => {
  test.each(['/', '/a/../b', '/a%20b', '/a#x/../../..', '/a?b=%zz'])('%s is accepted', (target) => {
    expect(isAcceptablePath(target)).toBe(true);
  });

  test.each(['/..', '/../a', '/a/../../b', '/a%00b', '/a%zz', '/%', '/%2e%2e'])(
    '%s is refused',
    (target) => {
      expect(isAcceptablePath(target)).toBe(false);
    },
  );
});
