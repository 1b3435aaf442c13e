import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { goMatch } from './go-match.ts';
import { isIgnored, parseHelmIgnore } from './helm-ignore.ts';

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

describe('.helmignore', () => {
  const rules = parseHelmIgnore('# a comment\n\n*.md\n/root.txt\ndocs/\nsub/*.txt\n');
  test.each([
    ['README.md', false, true],
    ['deep/in/README.md', false, true],
    ['root.txt', false, true],
    ['deep/root.txt', false, false],
    ['docs', true, true],
    ['docs', false, false],
    ['sub/a.txt', false, true],
    ['sub/deep/a.txt', false, false],
    ['templates/.hidden', false, true],
    ['templates/a.yaml', false, false],
    ['', true, false],
  ])('%s (a directory: %s): %s', (path, isDirectory, expected) => {
    expect(isIgnored(rules, path, isDirectory)).toBe(expected);
  });

  test('a negation ignores everything else, as Helm has it', () => {
    const negated = parseHelmIgnore('!keep.txt');
    expect(isIgnored(negated, 'keep.txt', false)).toBe(false);
    expect(isIgnored(negated, 'Chart.yaml', false)).toBe(true);
  });

  test('refuses two stars', () => {
    expect(() => parseHelmIgnore('a/**')).toThrow('double-star (**) syntax is not supported');
  });
});
