import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonCursor } from './json-cursor.ts';

/** All fields of an object, each read as JSON. */
function fieldsOf(text: string, names: readonly string[]): Record<string, unknown> {
  const cursor = new JsonCursor(Buffer.from(text));
  const fields: Record<string, unknown> = {};
  cursor.enterObject();
  while (cursor.nextKey()) {
    const name = names.find((one) => cursor.keyIs(one));
    if (name === undefined) cursor.skipValue();
    else fields[name] = cursor.json();
  }
  expect(cursor.position).toBe(Buffer.from(text).length);
  return fields;
}

const space = fc.stringMatching(/^[ \n\t\r]{0,2}$/);
const name = fc.constantFrom('a', 'b', 'metadata', 'kind', 'x1');

describe('JsonCursor', () => {
  test.each([
    '{"flag":true,"metadata":{"name":"a"}}',
    '{"count":12 , "metadata":1}',
    '{"count":12\n,"metadata":null }',
    '{"list":[1,[2,{"a":"]}"}]],"metadata":"x"}',
    '{"text":"a \\"quoted\\" \\\\","metadata":-1.5e3}',
    '{"nothing":null,"empty":{},"none":[],"metadata":0}',
    ' {"metadata":"only"}',
    '{}',
  ])('%s', (text) => {
    const whole = JSON.parse(text) as Record<string, unknown>;
    const { metadata } = whole;
    expect(fieldsOf(text, Object.keys(whole))).toEqual(whole);
    expect(fieldsOf(text, ['metadata'])).toEqual('metadata' in whole ? { metadata } : {});
  });

  test('whatever stands before, between and behind, each field is found, and the end', () => {
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.jsonValue()),
        space,
        space,
        space,
        fc.subarray(['a', 'b', 'metadata', 'kind', 'x1']),
        (object, before, between, behind, asked) => {
          const fields = Object.entries(object).map(
            ([key, value]) =>
              `${before}"${key}"${between}:${before}${JSON.stringify(value)}${behind}`,
          );
          const text = `{${fields.join(`,${between}`)}${behind}}`;
          const wanted = Object.fromEntries(asked.map((one) => [one, JSON.parse(text)[one]]));
          const found = fieldsOf(text, asked);
          expect(JSON.stringify(found)).toBe(
            JSON.stringify(Object.fromEntries(Object.keys(found).map((one) => [one, wanted[one]]))),
          );
          expect(Object.keys(found).sort()).toEqual(
            asked.filter((one) => Object.hasOwn(object, one)).sort(),
          );
        },
      ),
    );
  });

  test.each(['{}', '[]', '{"a":[{}]}', '[[],[1]]', '"a"', '"\\""'])(
    'of %s alone all is one value',
    (json) => {
      const cursor = new JsonCursor(Buffer.from(json));
      expect(cursor.json()).toEqual(JSON.parse(json));
      expect(cursor.position).toBe(json.length);
    },
  );

  test('texts are read, in ASCII or not, and null is empty', () => {
    const text = (json: string) => new JsonCursor(Buffer.from(json)).text();
    expect(['"a"', '""', '"a\\nb"', '"straße"', '"~\u007f"', 'null '].map(text)).toEqual([
      'a',
      '',
      'a\nb',
      'straße',
      '~\u007f',
      '',
    ]);
  });

  test('bytes that are cut are broken, wherever', () => {
    const text = '{"a": {"b": ["c", "d\\""]}, "e": "f"}';
    for (let length = 0; length < text.length; length++)
      expect(() => fieldsOf(text.slice(0, length), ['a', 'e'])).toThrow(
        expect.objectContaining({ code: 'WG_KUBE_DECODE' }),
      );
  });
});
