import { describe, expect, test } from 'vitest';
import { isIgnored, parseHelmIgnore } from './helm-ignore.ts';

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
