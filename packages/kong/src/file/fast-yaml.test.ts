import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../entity/entities.ts';
import { readPlainYaml } from './fast-yaml.ts';
import { parseWholeYaml } from './parse-yaml.ts';
import { writeYaml } from './write-yaml.ts';

/** The quick reader either gives up or agrees with the whole one. */
function expectAgreement(text: string): void {
  const quick = readPlainYaml(text);
  if (quick === undefined) return;
  expect(parseWholeYaml(text)).toEqual({ isValid: true, value: quick.value });
}

describe('readPlainYaml', () => {
  it.each([
    'a: 1\nb:\n- x\n- y: 2\n  z: on\n',
    'a:\n  - b\n  -\n    c: d\n',
    '# comment\na: b # more\nc: "d # e"\n',
    "a: 'it''s'\nb: \"x\\n\"\n",
    'a: |\n  one\n   two\n\n  three\nb: |-\n  x\n',
    'a: [1, yes, "x, y", [z]]\nb: {c: d, e: [f]}\n',
    'a:\n\nb: ~\nc:\n',
    '---\na: b\n',
    'a: 010\nb: 1_000\nc: 0x1f\nd: 1e3\ne: 08\nf: 1:30\ng: .5\nh: .\n',
    '- - a\n  - b\n- c\n',
    'a: {}\nb: []\n',
    'http://x: y\na: b:c\n',
  ])('reads %j as the whole reader does', (text) => {
    expect(readPlainYaml(text)).toBeDefined();
    expectAgreement(text);
  });

  it.each([
    'a: &x 1\nb: *x\n',
    'a: one\n  two\n',
    'a: !!str 5\n',
    'a: "one\n  two"\n',
    'a: b: c\n',
    '? a\n: b\n',
    'a: >\n  folded\n',
    'a: b\n c: d\n',
    'a: 1\n---\nb: 2\n',
    '<<: {a: b}\n',
    '__proto__: {a: b}\n',
    'a\n',
    '%YAML 1.1\n---\na: b\n',
    'a: [b\n',
  ])('gives up on %j', (text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });

  it('agrees on whatever programs write', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), fc.boolean(), (record, isOurs) => {
        const plain = JSON.parse(JSON.stringify(record)) as JsonObject;
        expectAgreement(isOurs ? writeYaml(plain) : stringify(plain, { version: '1.1' }));
      }),
      { numRuns: 500 },
    );
  });

  it('agrees on any lines', () => {
    const line = fc
      .tuple(
        fc.constantFrom('', '  ', '    ', ' '),
        fc.constantFrom('- ', '', '-', '- - '),
        fc.constantFrom('a: ', 'b:', 'c', '"d": ', "'e' : ", '', 'f:g: '),
        fc.constantFrom(
          '',
          '1',
          'x y',
          '"q"',
          "'r'",
          '|',
          '|-',
          '[1, 2]',
          '{k: v}',
          '# no',
          'x # no',
          '~',
          '-',
          'a:b',
          '"x" y',
          '[a, b',
          'yes',
          '>',
          '&a b',
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        expectAgreement(`${lines.join('\n')}\n`);
      }),
      { numRuns: 3000 },
    );
  });
});
