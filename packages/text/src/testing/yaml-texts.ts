import fc from 'fast-check';
import { printYaml } from '../yaml/print.ts';

/** Pieces that manifests are made of, and those that trip readers of YAML. */
const textPieces = [
  'a', 'b c', 'kind', 'name: x', ': ', ':', ' :', '- ', '-', '\n', '\n', '\n  ', '\n    ', '\n ',
  '  ', ' ', '# note', ' # note', '# {"type": "x"}', '"', "'", '"q"', "'s'", "''", '\\', '{', '}',
  '[', ']', ', ', ',', '{a: 1, b: [c, d]}', '{"k":1}', '[]', '{}', '|', '|-', '|+', '>', '|\n', '&x',
  '*x', '!!str', '!', '?', '? ', '---\n', '\n---\n', '---', '...\n', '%', '@', '`', '1', '0x1', '~',
  'null', 'true', 'yes', '2024-01-02', '<<', '\n<<: {a: 1}', 'é', '\u00a0', '\t', '\r\n', '1.5', '-1',
  '--', 'x#y', 'http://x:80/', '__proto__: 1', '.inf', '9007199254740993', '0755', '12:30',
  '\nkey: value', '\n- item', '\n  - name: n\n    v: 1', '\ntext: |\n  one\n\n  two\n', '\nx:\n- y',
]; // biome-ignore format: a table

/** Pieces in any order: mostly no YAML at all. */
const soup = fc
  .array(fc.constantFrom(...textPieces), { maxLength: 24 })
  .map((pieces) => pieces.join(''));

/** Lines of some indentation: what comes close to a document. */
const lines = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', '  ', '    ', ' ', '- ', '  - ', '    - ', '- - '),
      fc.constantFrom('a', 'b', '"c"', "'d'", 'e f', '1', '-', 'x:y', '{k: v}', '# c', '', '---'),
      fc.constantFrom(':', ': ', ': ', ': ', ' : ', ''),
      fc.constantFrom(
        ...[
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
        ],
        ...['yes', '010', '1_000', '.5', '1e3', '~', '&a b', '>', '"x" y', '[a, b', 'a:b'],
      ),
      fc.constantFrom('', '', '', ' ', ' # end', '\n', '\n   ', '\n---'),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.map((part) => part.join('')).join('\n'));

const text = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'b', 'web', 'two words', '/x', 'x: y', 'on', '1', ''),
  },
  fc.array(fc.constantFrom(...textPieces), { maxLength: 5 }).map((parts) => parts.join('')),
);

/** Any value that JSON has. */
export const jsonLike: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: text },
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null, 2n ** 60n),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Documents as programs write them. */
const printed = fc
  .array(fc.dictionary(text, jsonLike, { minKeys: 1, maxKeys: 4 }), { minLength: 1, maxLength: 3 })
  .map((values) => values.map((value) => printYaml(value)).join('---\n'));

/** The same with a part taken out, put in or moved. */
const mutated = fc
  .tuple(
    printed,
    fc.array(fc.tuple(fc.nat(), fc.nat(6), fc.constantFrom('', ...textPieces)), { maxLength: 3 }),
  )
  .map(([start, changes]) => {
    let result = start;
    for (const [place, length, piece] of changes) {
      const at = place % (result.length + 1);
      result = result.slice(0, at) + piece + result.slice(at + length);
    }
    return result;
  });

/** Texts to read: YAML, nearly YAML, and neither. */
export const yamlTexts: fc.Arbitrary<string> = fc.oneof(soup, lines, printed, mutated);
