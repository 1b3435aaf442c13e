import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFully } from './parser.ts';
import { parseQuickly } from './quick-parser.ts';

/** Pieces that manifests are made of, and those that trip readers of YAML. */
const PIECES = [
  'a', 'b c', 'kind', 'name: x', ': ', ':', ' :', '- ', '-', '\n', '\n', '\n  ', '\n    ', '\n ',
  '  ', ' ', '# note', ' # note', '# {"type": "x"}', '"', "'", '"q"', "'s'", "''", '\\', '{', '}',
  '[', ']', ', ', ',', '{a: 1, b: [c, d]}', '{"k":1}', '[]', '{}', '|', '|-', '|+', '>', '|\n', '&x',
  '*x', '!!str', '?', '? ', '---\n', '---', '...\n', '%', '@', '`', '1', '0x1', '~', 'null', 'true',
  '2024-01-02', '<<', 'é', '\u00a0', '\t', '\r\n', '1.5', '-1', '--', 'x#y', 'http://x:80/',
  '\nkey: value', '\n- item', '\n  - name: n\n    v: 1', '\ntext: |\n  one\n\n  two\n', '\nx:\n- y',
]; // biome-ignore format: a table

const yamlLike = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 24 })
  .map((pieces) => pieces.join(''));

/** Lines of some indentation: what comes close to a document. */
const lines = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', '  ', '    ', ' ', '- ', '  - ', '    - ', '- - '),
      fc.constantFrom('a', 'b', '"c"', "'d'", 'e f', '1', '-', 'x:y', '{k: v}', '# c', ''),
      fc.constantFrom(':', ': ', ': ', ': ', ' : ', ''),
      fc.constantFrom(
        '',
        '',
        'v',
        'v w',
        '"q"',
        '[a, b]',
        '{a: {b: c}}',
        '|',
        '|-',
        '|+',
        '# c',
        'v # c',
        '- v',
      ),
      fc.constantFrom('', '', '', ' ', ' # end', '\n', '\n   '),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.map((part) => part.join('')).join('\n'));

function same(text: string): void {
  const quick = parseQuickly(text, 'file', 3);
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
    expect(parseQuickly(text, 'file', 3)).toEqual(parseFully(text, 'file', 3));
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
    expect(parseQuickly(text, 'file', 3)).toBeUndefined();
  });

  it('never differs from the parser proper', () => {
    fc.assert(fc.property(yamlLike, same), { numRuns: 3_000 });
    fc.assert(fc.property(lines, same), { numRuns: 3_000 });
  });
});
