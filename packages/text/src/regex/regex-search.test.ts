import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMatches } from './compile-regex.ts';

test.each<[string, string, string[]]>([
  ['[0-9]+', 'a12b345', ['12', '345']],
  ['a*', 'baaac', ['', 'aaa', '']],
  ['a+?', 'aaa', ['a', 'a', 'a']],
  ['<.*?>', '<a><b>', ['<a>', '<b>']],
  ['<.*>', '<a><b>', ['<a><b>']],
  ['ab|abc', 'abc', ['ab']],
  ['^a', 'aa', ['a']],
  ['\\bfoo\\b', 'foo food foo', ['foo', 'foo']],
  ['x', 'abc', []],
])('%s in %j', (pattern, text, found) => {
  expect(findMatches(pattern, text)).toEqual(found);
});

test('stops at the limit', () => {
  expect(findMatches('a', 'aaaa', 2)).toEqual(['a', 'a']);
});

const piece = fc.constantFrom('a', 'b', '[ab]', 'a*', 'b+', '(?:ab)?', 'a*?', '(?:a|ab)', 'b{1,2}');

/** The engine of the language prefers as Go does; only what follows an empty match differs. */
test('finds what the engine of the language finds first', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 4 }),
      fc.stringMatching(/^[abc]{0,12}$/),
      (pieces, text) => {
        const pattern = pieces.join('');
        const [first] = findMatches(pattern, text, 1);
        expect(first).toBe(new RegExp(pattern).exec(text)?.[0]);
      },
    ),
  );
});

test('a hostile expression takes no time', () => {
  expect(findMatches('(a+)+$', `${'a'.repeat(5000)}b`)).toEqual([]);
});
