import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeSyntax } from './json-syntax.ts';

test.each([
  ['', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['{bad', "invalid character 'b' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 2}', "invalid character '2' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['nope', "invalid character 'o' in literal null (expecting 'u')"],
  ['truth', "invalid character 't' in literal true (expecting 'e')"],
  ['1 2', "invalid character '2' after top-level value"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['<', "invalid character '<' looking for beginning of value"],
])('%j is described as Go does', (text, words) => {
  expect(describeSyntax(text)).toBe(words);
});

test('every text that JSON.parse refuses has a description, and those it takes have none of a character', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const words = describeSyntax(text);
      try {
        JSON.parse(text);
        expect(words).toBe('unexpected end of JSON input');
      } catch {
        expect(words).toMatch(/^invalid character|^unexpected end/);
      }
    }),
  );
});
