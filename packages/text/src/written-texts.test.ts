import { describe, expect, test } from 'vitest';
import { goQuote } from './go-quote.ts';
import { parseJsonPointer, printJsonPointer } from './json-pointer.ts';
import { createMergePatch } from './merge-patch.ts';
import { readPercentEscapes } from './percent.ts';

describe('a JSON pointer', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['/', ['']],
    ['/a/b', ['a', 'b']],
    ['/a//0', ['a', '', '0']],
    ['/a~1b/c~0d', ['a/b', 'c~d']],
    ['/~01', ['~1']],
    ['/~1~1~0~0', ['//~~']],
  ])('%j', (pointer, keys) => {
    expect(parseJsonPointer(pointer)).toEqual(keys);
    expect(printJsonPointer(keys)).toBe(pointer);
  });

  test('begins with a slash', () => {
    expect(() => parseJsonPointer('a/b')).toThrow(
      'invalid JSON pointer "a/b": it must be empty or start with "/"',
    );
    expect(() => parseJsonPointer('a'.repeat(500))).toThrow(`"${'a'.repeat(200)}"`);
    expect(printJsonPointer(['list', 0])).toBe('/list/0');
  });
});

test.each([
  ['', '""'],
  ['plain é 日 😀', '"plain é 日 😀"'],
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ['\u0007\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
  ['\0\u001f\u007f', '"\\x00\\x1f\\x7f"'],
  ['\u0080\u00a0\u2028\ufeff', '"\\u0080\\u00a0\\u2028\\ufeff"'],
  ['\u{e0001}\u{10ffff}', '"\\U000e0001\\U0010ffff"'],
])('%j is quoted as Go does', (text, quoted) => {
  expect(goQuote(text)).toBe(quoted);
});

test.each([
  ['a b', 'a b'],
  ['a%20b%2F', 'a b/'],
  ['%C3%A9', 'é'],
  ['100%', '100%'],
  ['%ff', '%ff'],
])('the escapes of %j', (text, read) => {
  expect(readPercentEscapes(text)).toBe(read);
});

test.each<[unknown, unknown, unknown]>([
  [{ a: 1 }, { a: 1 }, undefined],
  [{ a: 1, b: 2 }, { b: 2 }, { a: null }],
  [{ a: { b: 1, c: 1 } }, { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
  [{ a: [1] }, { a: [1, 2] }, { a: [1, 2] }],
  [{ a: undefined }, { b: undefined }, undefined],
  [{}, { a: { b: 1 } }, { a: { b: 1 } }],
  [{ a: 1 }, [1], [1]],
  [[1], [1], undefined],
])('the patch from %j to %j', (from, to, patch) => {
  expect(createMergePatch(from, to)).toEqual(patch);
});
