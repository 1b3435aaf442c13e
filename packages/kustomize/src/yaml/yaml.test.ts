import { parseYamlNode, YamlError } from '@waygate/text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deAnchor } from './de-anchor.ts';
import { emitYaml } from './emit.ts';
import { jsonText } from './json-text.ts';
import { fromJson, type JsonValue, toJson, toLegacyJson } from './json-value.ts';

function json(text: string): string {
  return jsonText(toJson(deAnchor(parseYamlNode(text)!)));
}

describe('parseYaml', () => {
  it.each([
    ['a: 1', '{"a":1}'],
    ['- a\n- - b\n  - c\n-\n', '["a",["b","c"],null]'],
    ['a:\n- 1\n- 2\nb: {c: [d, "e"], f: }', '{"a":[1,2],"b":{"c":["d","e"],"f":""}}'],
    ['? a b\n: c', '{"a b":"c"}'],
    ['a: |\n  one\n   two\n\n  three\n', '{"a":"one\\n two\\n\\nthree\\n"}'],
    ['a: >-\n  one\n  two\n\n  three\n', '{"a":"one two\\nthree"}'],
    ['a: |+\n  x\n\nb: |-\n  y\n', '{"a":"x\\n\\n","b":"y"}'],
    ['a: "x\\ty\\u00e9 \\\n  z"', '{"a":"x\\tyé z"}'],
    ["a: 'it''s'", '{"a":"it\'s"}'],
    ['a: plain text\n  goes on # comment', '{"a":"plain text goes on"}'],
    ['a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}', '{"a":{"b":1},"c":{"b":1},"d":{"b":1,"e":2}}'],
    ['%YAML 1.1\n---\na: b\n...\n', '{"a":"b"}'],
    ['a: !!str 5\nb: !!int "7"', '{"a":"5","b":7}'],
    ['a: 0755\nb: 0x1F\nc: 1_000\nd: 1e3\ne: .5', '{"a":493,"b":31,"c":1000,"d":1000,"e":0.5}'],
    [
      'a: yes\nb: true\nc: ~\nd: 2024-1-2',
      '{"a":"yes","b":true,"c":null,"d":"2024-01-02T00:00:00Z"}',
    ],
    ['a: 9223372036854775808', '{"a":9223372036854775808}'],
    ['{"a": [1, {"b": null}]}', '{"a":[1,{"b":null}]}'],
    ['a: http://x:80/y#z', '{"a":"http://x:80/y#z"}'],
    ['a:\r\n- b\r\n', '{"a":["b"]}'],
  ])('reads %j', (text, expected) => {
    expect(json(text)).toBe(expected);
  });

  it.each([
    ['a: [1\nb: 2', "yaml: line 1: did not find expected ',' or ']'"],
    ['a: 1\n b: 2', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a: 1\nb', "yaml: line 2: could not find expected ':'"],
    ['a: *nope', "yaml: unknown anchor 'nope' referenced"],
    ['a: "x', 'yaml: found unexpected end of stream'],
    ['a: @x', 'yaml: found character that cannot start any token'],
    ['a:\n\t- b', 'yaml: line 2: found character that cannot start any token'],
  ])('refuses %j', (text, message) => {
    expect(() => parseYamlNode(text)).toThrow(message);
  });

  it('reads YAML 1.1 where kustomization files are read', () => {
    const node = parseYamlNode('a: yes\nb: off\na: again\n1: x')!;
    expect(jsonText(toLegacyJson(node))).toBe('{"1":"x","a":"again","b":false}');
  });

  it('names both places of a repeated key', () => {
    expect(() => json('x: 1\na: 1\nb: 2\na: 3')).toThrow(
      'line 4: mapping key "a" already defined at line 2',
    );
  });
});

const key = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !text.includes('\0'));

const document: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.boolean(),
    fc.constant(null),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
  ),
})).value;

/** What a control character or half of a pair cannot survive; the original has the same limits. */
function isSafe(value: JsonValue): boolean {
  if (typeof value === 'string') {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those that YAML cannot hold as is.
    return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff\ufeff\ufffe\uffff\r\u2028\u2029]/.test(
      value,
    );
  }
  if (Array.isArray(value)) return value.every(isSafe);
  if (value instanceof Map) return [...value].every(([name, item]) => isSafe(name) && isSafe(item));
  return true;
}

describe('emitYaml', () => {
  it('loses nothing on the way there and back', () => {
    fc.assert(
      fc.property(document.filter(isSafe), (value) => {
        const text = emitYaml(fromJson(value));
        expect(json(text)).toBe(jsonText(value));
      }),
      { numRuns: 500 },
    );
  });

  it('prints the same again', () => {
    fc.assert(
      fc.property(document.filter(isSafe), (value) => {
        const text = emitYaml(fromJson(value));
        expect(emitYaml(parseYamlNode(text)!)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['y', '"y"\n'],
    ['1:30', '"1:30"\n'],
    ['a: b', "'a: b'\n"],
    ['=', '=\n'],
    ['', '""\n'],
    ['a\tb', '"a\\tb"\n'],
    ['\u{1f680}', '"\\U0001F680"\n'],
    ['x\n', '|\n  x\n'],
    [' x\ny', '|2-\n   x\n  y\n'],
    ['-', "'-'\n"],
    ['- x', "'- x'\n"],
    ['-x', '-x\n'],
  ])('writes %j', (text, expected) => {
    expect(emitYaml(fromJson(text))).toBe(expected);
  });

  it.each([
    [1.5, '1.5\n'],
    [1234567.5, '1.2345675e+06\n'],
    [0.00001, '1e-05\n'],
    [1e20, '1e+20\n'],
    [100, '100\n'],
  ])('writes the number %d', (value, expected) => {
    expect(emitYaml(fromJson(value))).toBe(expected);
  });
});

describe('hostile texts', () => {
  it('stop at an alias bomb', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let index = 1; index < 12; index += 1) {
      const alias = `*a${index - 1}`;
      lines.push(`a${index}: &a${index} [${Array(10).fill(alias).join(', ')}]`);
    }
    const text = lines.join('\n');
    expect(() => deAnchor(parseYamlNode(text)!)).toThrow('excessive aliasing');
    expect(() => toLegacyJson(parseYamlNode(text)!)).toThrow('excessive aliasing');
  });

  it('stop at an anchor in itself', () => {
    expect(() => deAnchor(parseYamlNode('a: &x [*x]')!)).toThrow('contains itself');
    expect(() => toLegacyJson(parseYamlNode('a: &x {b: *x}')!)).toThrow('contains itself');
  });

  it('stop at deep nesting', () => {
    expect(() => parseYamlNode('['.repeat(100_000))).toThrow(YamlError);
    expect(() => parseYamlNode('- '.repeat(50_000))).toThrow(YamlError);
    expect(() => parseYamlNode('{a: '.repeat(50_000))).toThrow(YamlError);
  });

  it('never do anything but parse or refuse', () => {
    const alphabet = fc.constantFrom(...'ab:-?[]{},&*!|>\'"%@` \n\t#~<.1'.split(''));
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 60 }), (characters) => {
        try {
          parseYamlNode(characters.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(YamlError);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
