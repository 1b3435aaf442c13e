import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJson, encodeJson } from './json.ts';

const large = 9223372036854775807n;

test.each([
  ['nothing within', [[], {}, large], 2, '[\n  [],\n  {},\n  9223372036854775807\n]'],
  [
    'fields and items',
    { a: { b: [large, undefined, 'x'] }, c: undefined },
    2,
    '{\n  "a": {\n    "b": [\n      9223372036854775807,\n      null,\n      "x"\n    ]\n  }\n}',
  ],
  ['one line', { a: [large, null], b: {} }, 0, '{"a":[9223372036854775807,null],"b":{}}'],
])('large integers are written in place: %s', (_what, value, indent, text) => {
  expect(encodeJson(value, indent)).toBe(text);
});

test('with a large integer in it everything else is written as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 4 }), (value, indent) => {
      const written = JSON.stringify([value, 1], undefined, indent);
      const last = written.lastIndexOf('1');
      const text = `${written.slice(0, last)}${large}${written.slice(last + 1)}`;
      expect(encodeJson([value, large], indent)).toBe(text);
      expect(decodeJson(text)).toHaveProperty('[1]', large);
    }),
  );
});

test('an integer is seen wherever it stands, and none where there is none', () => {
  const digits = fc.stringMatching(/^[1-9]\d{0,18}$/);
  const texts = fc.array(fc.oneof(fc.string({ maxLength: 20 }), digits), { maxLength: 6 });
  fc.assert(
    fc.property(texts, texts, digits, (before, after, number) => {
      const value = BigInt(number);
      const read = Number.isSafeInteger(Number(value)) ? Number(value) : value;
      const text = `[${JSON.stringify(before)},${number},${JSON.stringify(after)}]`;
      expect(decodeJson(text)).toEqual([before, read, after]);
    }),
  );
});
