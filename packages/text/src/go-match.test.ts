import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { goMatch } from './go-match.ts';

describe('goMatch', () => {
  test.each([
    ['*.md', 'a.md', true],
    ['*.md', 'docs/a.md', false],
    ['docs/*', 'docs/a/b', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[a-c]x', 'bx', true],
    ['[^a-c]x', 'bx', false],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['[c-a]', 'b', false],
    ['*a*b*c', 'xxaxxbxxc', true],
    ['*a*b*c', 'xxaxxbxx', false],
    ['', '', true],
    ['', 'a', false],
    ['é?', 'é😀', true],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(goMatch(pattern, name)).toBe(expected);
  });

  test.each(['[a', '[]a]', 'a\\', '[-]', '[a-'])('refuses %s', (pattern) => {
    expect(() => goMatch(pattern, 'a')).toThrow('syntax error in pattern');
  });

  test('stars do not make it slow', () => {
    expect(goMatch(`${'*a'.repeat(50)}b`, 'a'.repeat(2000))).toBe(false);
  });

  test('a name without special characters matches itself and nothing else', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-', '/') });
    fc.assert(
      fc.property(plain, plain, (one, other) => {
        expect(goMatch(one, other)).toBe(one === other);
      }),
    );
  });
});

// As path/filepath of Go has them.
test.each<[string, string, string]>([
  ['a', 'a', 'b aa'],
  ['*', 'a abc', 'a/b'],
  ['a*c', 'ac abbc', 'ab a/c'],
  ['a?c', 'abc a.c', 'ac a/c abbc'],
  ['[abc]', 'a b c', 'd ab'],
  ['[a-c]', 'a b c', 'd -'],
  ['[^a-c]', 'd -', 'a b c'],
  ['[a-cx]', 'b x', 'd'],
  ['[\\]]', ']', '\\ a'],
  ['[\\-x]', '- x', 'a'],
  ['[.]', '.', 'a'],
  ['a.b', 'a.b', 'acb'],
  ['\\*', '*', 'a'],
  ['a+(b)|{c}$', 'a+(b)|{c}$', 'aab'],
])('%s holds of %s and not of %s', (pattern, those, others) => {
  for (const text of those.split(' ')) expect(goMatch(pattern, text), text).toBe(true);
  for (const text of others.split(' ')) expect(goMatch(pattern, text), text).toBe(false);
});

test.each(['[', '[a', '[]', '[]a]', '[-]', '[a-]', '[-x]', 'a\\', '[\\', '[^]', '[a-\\'])(
  '%s is no pattern',
  (pattern) => {
    expect(() => goMatch(pattern, 'a')).toThrow('syntax error in pattern');
  },
);
