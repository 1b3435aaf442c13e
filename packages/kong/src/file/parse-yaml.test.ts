import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDeckYaml, parseKongYaml } from './parse-yaml.ts';

function findYamlFault(text: string): string | undefined {
  const parsed = parseDeckYaml(text);
  return parsed.isValid ? undefined : parsed.message;
}

const head = '_format_version: "1.1"\n';

/** What the real decK 1.4 says, by text. */
const measured: readonly (readonly [string, string])[] = [
  [`${head}services:\n\t- name: a\n`, 'yaml: line 3: found character that cannot start any token'],
  [
    `${head}services:\n- name: a\n   host: b\n`,
    'yaml: line 4: mapping values are not allowed in this context',
  ],
  [
    `${head}services:\n- name: a\n  host: b\n port: 80\n`,
    'yaml: line 4: did not find expected key',
  ],
  [
    `${head}services:\n- name: a\n  host b\n  port: 1\n`,
    "yaml: line 5: could not find expected ':'",
  ],
  [`${head}services:\n- name: "a\n  host: b\n`, 'yaml: line 5: found unexpected end of stream'],
  [`${head}services: [\n`, 'yaml: line 2: did not find expected node content'],
  [`${head}services: [{name: a\n`, "yaml: line 2: did not find expected ',' or '}'"],
  [`${head}services:\n- name: *nope\n`, "yaml: unknown anchor 'nope' referenced"],
  [`${head}services\n- name: a\n`, "yaml: line 3: could not find expected ':'"],
  ['"_format_version": "1.1"\n"services": }\n', 'yaml: line 1: did not find expected node content'],
  ['{"a": "1" "b": []}\n', "yaml: did not find expected ',' or '}'"],
  ['{"a": [\n  {"b": 1,\n}\n', "yaml: line 3: did not find expected ',' or ']'"],
  [`${head}a: "\\q"\n`, 'yaml: line 2: found unknown escape character'],
  [`${head}services: |\n - a\nb\n`, "yaml: line 5: could not find expected ':'"],
  [
    `${head}services:\n  - name: a\n   - name: b\n`,
    "yaml: line 3: did not find expected '-' indicator",
  ],
  ['%YAML 1.1\na: b\n', 'yaml: line 1: did not find expected <document start>'],
];

describe('parseDeckYaml', () => {
  it.each(measured)('says of %j what decK says', (text, message) => {
    expect(findYamlFault(text)).toBe(message);
  });

  it('finds nothing wrong with what people write', () => {
    const text = `# a comment\n---\n${head}a: &x {b: [1, 'two', "th\\u0072ee"], ? c : d}\ne:\n- *x\n- |\n  text: here\n\n  more\n- >-\n  folded\n- plain over\n  two lines\n...\n---\nx: [\n`;
    expect(findYamlFault(text)).toBeUndefined();
  });

  it('ends on any text, and never blames what is JSON', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...' \n\t-:?[]{},#&*!|>\'"%@`a1\\') }),
        (text) => {
          const fault = findYamlFault(text);
          expect(fault === undefined || fault.startsWith('yaml: ')).toBe(true);
        },
      ),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(findYamlFault(JSON.stringify(value, undefined, 2))).toBeUndefined();
      }),
    );
  });

  it.each([
    ['a: [b', "1:5: did not find expected ',' or ']'"],
    ['a:\n- b\nc: [d]\n e: f\n', '3:6: did not find expected key'],
  ])('names the place in %j as Kong does', (text, message) => {
    expect(parseKongYaml(text)).toEqual({ isValid: false, message });
    expect(parseKongYaml('a: y\nb: yes\n')).toEqual({
      isValid: true,
      value: { a: 'y', b: true },
    });
  });

  it.each([
    ['a: 1\na: 2\n', { a: 2 }],
    ['a: !x 5\n', { a: '5' }],
    ['a: 9007199254740993\n', { a: 9007199254740992 }],
    ['{"a": 9007199254740993}', { a: 9007199254740992 }],
    ['a: yes\nb: 010\nc: 2020-01-01\nd: 1:30\n', { a: true, b: 8, c: '2020-01-01', d: '1:30' }],
    ['x: &x {a: 1, b: 2}\nz: {<<: *x, b: 3}\n', { x: { a: 1, b: 2 }, z: { a: 1, b: 3 } }],
    ['# nothing\n', null],
    ['', null],
  ])('reads %j as decK does', (text, value) => {
    expect(parseDeckYaml(text)).toEqual({ isValid: true, value });
  });
});
