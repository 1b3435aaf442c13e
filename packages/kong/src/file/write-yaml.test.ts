import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../entity/entities.ts';
import { parseDeckYaml } from './parse-yaml.ts';
import { writeDeckYaml } from './write-yaml.ts';

describe('writeDeckYaml', () => {
  it.each([
    ['yes', '"yes"'],
    ['~', '"~"'],
    ['012', '"012"'],
    ['1e3', '"1e3"'],
    ['2020-01-01', '"2020-01-01"'],
    ['', '""'],
    [' lead', "' lead'"],
    ['a: b', "'a: b'"],
    ['#x', "'#x'"],
    ['-', "'-'"],
    ['-a', '-a'],
    ["it's", "it's"],
    ['a #b', "'a #b'"],
    ['a#b', 'a#b'],
    ['a\tb\u0001', '"a\\tb\\x01"'],
    ['12:30', '"12:30"'],
    ['<<', '<<'],
    ['\u{1f600}', '"\\U0001F600"'],
    ['a\nb', '|-\n  a\n  b'],
    ['a\n\n', '|+\n  a\n'],
    [' a\nb\n', '|2\n   a\n  b'],
    [`${'word '.repeat(20)}end`, `${'word '.repeat(15)}word\n  ${'word '.repeat(4)}end`],
  ])('writes %j as %s', (text, expected) => {
    expect(writeDeckYaml({ k: text })).toBe(`k: ${expected}\n`);
  });

  it('writes numbers of configurations as Go prints floats', () => {
    const config = { a: 1_000_000, b: 999_999, c: 0.00001, d: 1.5, e: 1_234_567_890_123 };
    expect(writeDeckYaml({ config })).toBe(
      'config:\n  a: 1e+06\n  b: 999999\n  c: 1e-05\n  d: 1.5\n  e: 1.234567890123e+12\n',
    );
  });

  it('writes what reads back as itself', () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', '-', '"', "'", '0', '\t', '[') }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), tie('node'), { maxKeys: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'config'), value), (record) => {
        const plain = JSON.parse(JSON.stringify(record)) as JsonObject;
        const parsed = parseDeckYaml(writeDeckYaml(plain));
        expect(parsed).toEqual({ isValid: true, value: plain });
      }),
      { numRuns: 500 },
    );
  });
});
