import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { yamlTexts } from '../testing/yaml-texts.ts';
import { NodeBuilder } from './builder.ts';
import type { ValueOptions } from './node-value.ts';
import { readFully, readQuickly } from './parse.ts';
import { parseFully } from './parser.ts';
import { parseQuickly } from './quick-parser.ts';

const withValues: ValueOptions = {
  booleans: 'words',
  integers: 'exact',
  duplicateKeys: 'error',
  unknownTags: 'error',
  maxAliasedNodes: 100,
};

function same(text: string): void {
  const quick = parseQuickly(text, new NodeBuilder('file', 3));
  if (quick !== undefined) expect(quick).toEqual(parseFully(text, 'file', 3));
}

describe('parseQuickly', () => {
  it.each([
    'a: 1\nb:\n  c: [d, {e: f}]\n',
    '---\n# first\na:\n- b: c\n  d: |\n    x\n\n     y\n\ne: "f" # note\n',
    "- - a\n  - 'b'\n-\n- {}\n",
    'a: |-\n  x\nb: |+\n  y\n\n\nc:\n',
    '{"a":1,"b": [true, "x y"]}',
    'a: b',
  ])('reads %j by itself, as the parser proper does', (text) => {
    expect(parseQuickly(text, new NodeBuilder('file', 3))).toEqual(parseFully(text, 'file', 3));
  });

  it.each([
    'a: &x b',
    'a: *x',
    'a: !!str 1',
    'a: b\n  c',
    'a: >\n  b',
    'a:\tb',
    'a: b: c',
    '? a\n: b',
    'a: "\\n"',
    "a: ''''",
    'a: [b,\n c]',
    'a: 1 # x\n# {"type": "string"}\n',
    'a: 1\n---\nb: 2\n',
    'text',
    '',
    '%YAML 1.1\n---\na: b\n',
    'a: 1\n b: 2',
    'a: - b',
    '- a\nb: c',
    `${'k'.repeat(2000)}: v`,
  ])('leaves %j to the parser proper', (text) => {
    // biome-ignore format: a table
    expect(parseQuickly(text, new NodeBuilder('file', 3))).toBeUndefined();
  });

  it('never differs from the parser proper', () => {
    fc.assert(fc.property(yamlTexts, same), { numRuns: 6_000 });
  });
});

/** The quick reader of values gives up, or gives what the whole one gives. */
function expectAgreement(text: string, options: ValueOptions, which: 'first' | 'all'): boolean {
  const quick = readQuickly(text, options, which);
  if (quick !== undefined) expect(quick).toStrictEqual(readFully(text, options, which));
  return quick !== undefined;
}

describe('readQuickly', () => {
  it.each([
    'a: 1\n---\n# c\nb: [2, {c: 3}]\n---\n',
    '# c\n---\n---\na: |\n  x\n---\n- yes\n- 0755\n',
    'a: 010\nb: 1_000\nc: 0x1f\nd: 1e3\ne: 08\nf: 1:30\ng: .5\nh: .\ni: 9007199254740993\nj: -0\n',
    '1: a\n1.5: b\ntrue: c\nyes: d\n1e7: e\n"<<": f\n',
    '__proto__: {a: 1}\nconstructor: 2\n',
    '- - a\n  - b\n-\n- {}\n- []\n',
    '# nothing\n',
    '',
  ])('reads %j by itself', (text) => {
    const isLenient = text.includes('yes');
    const options: ValueOptions = {
      ...withValues,
      duplicateKeys: isLenient ? 'last' : 'error',
    };
    expect(expectAgreement(text, options, 'all')).toBe(true);
    expect(expectAgreement(text, options, 'first')).toBe(true);
  });

  it.each([
    'a: 1\na: 2\n',
    '<<: {a: b}\n',
    'a: .inf\n',
    '~: a\n',
    'a: &x 1\nb: *x\n',
    'a: 1\n...\n',
    'a: 1\n--- b\n',
    'text\n',
  ])('leaves %j to the whole reader', (text) => {
    expect(readQuickly(text, withValues, 'all')).toBeUndefined();
  });

  it('never differs from the whole reader', () => {
    const options = fc.record({
      ...{
        booleans: fc.constantFrom('words' as const, 'long-words' as const, 'true-false' as const),
      },
      ...{ integers: fc.constantFrom('exact' as const, 'nearest' as const) },
      ...{ duplicateKeys: fc.constantFrom('error' as const, 'last' as const) },
      ...{ unknownTags: fc.constant('text' as const), maxAliasedNodes: fc.constant(100) },
    });
    let agreed = 0;
    fc.assert(
      fc.property(yamlTexts, options, fc.constantFrom('first', 'all'), (text, each, which) => {
        if (expectAgreement(text, each, which)) agreed += 1;
      }),
      { numRuns: 6_000 },
    );
    // A quick reader that always gave up would never differ.
    expect(agreed).toBeGreaterThan(1_000);
  });
});
