import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUtf8 } from './compare-utf8.ts';
import { goJson, goJsonString } from './go-json.ts';

describe('goJsonString', () => {
  it.each([
    ['plain', '"plain"'],
    ['<a href="x">&', '"\\u003ca href=\\"x\\"\\u003e\\u0026"'],
    ['\u2028\u2029', '"\\u2028\\u2029"'],
    ['\n\t\b\f\r\u0001\u007f', '"\\n\\t\\b\\f\\r\\u0001\u007f"'],
    ['half \ud800 and \udc00', '"half \\ufffd and \\ufffd"'],
    ['whole 😀', '"whole 😀"'],
  ])('%j is %s', (text, json) => {
    expect(goJsonString(text)).toBe(json);
  });

  it('leaves what only pages mind when it is told to', () => {
    expect(goJsonString('a < b && "c"', { isRaw: true })).toBe('"a < b && \\"c\\""');
  });
});

describe('goJson', () => {
  it('is the same data', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(0, 1, 2),
        fc.boolean(),
        (value, indent, sortsKeys) => {
          const wellFormed = JSON.parse(JSON.stringify(value)) as unknown;
          expect(JSON.parse(goJson(value, { indent, sortsKeys }))).toEqual(wellFormed);
        },
      ),
    );
  });

  it('has the layout of JSON.stringify', () => {
    const value = { a: [1, { b: [] }], c: {}, d: undefined, e: [undefined, null, true], f: 'x' };
    for (const indent of [0, 1, 2]) {
      expect(goJson(value, { indent })).toBe(JSON.stringify(value, undefined, indent));
    }
  });

  it('sorts keys that look like numbers as texts, which objects do not', () => {
    expect(goJson({ 9: 1, 10: 2, a: { 2: 1, 11: 1 } }, { sortsKeys: true })).toBe(
      '{"10":2,"9":1,"a":{"11":1,"2":1}}',
    );
  });

  it('sorts only below the fields that are maps in Go', () => {
    const release = { name: 'web', config: { b: { d: 1, c: 1 }, a: 1 }, also: { z: 1, y: 1 } };
    expect(goJson(release, { sortsKeys: ['config'] })).toBe(
      '{"name":"web","config":{"a":1,"b":{"c":1,"d":1}},"also":{"z":1,"y":1}}',
    );
  });
});

describe('compareUtf8', () => {
  it('orders as the bytes do', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});
