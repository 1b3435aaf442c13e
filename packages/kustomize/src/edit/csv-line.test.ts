import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCsvLine } from './csv-line.ts';

/** A line as a writer of CSV has it: quotes where they are needed, or everywhere. */
function csvLine(values: readonly string[], isQuoted: (value: string) => boolean): string {
  return values
    .map((value) => (isQuoted(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(',');
}

const needsQuotes = (value: string) => /[",]/.test(value);
const values = fc
  .array(fc.string({ unit: fc.constantFrom('a', ',', '"', ' ', 'é', '=') }), { minLength: 1 })
  .filter((list) => list.length > 1 || list[0] !== '');

describe('a line of values', () => {
  test('is read as it was written, with quotes where they are needed or around all', () => {
    fc.assert(
      fc.property(values, fc.boolean(), (list, all) => {
        expect(parseCsvLine(csvLine(list, (value) => all || needsQuotes(value)))).toEqual(list);
      }),
    );
  });

  // What Go's encoding/csv says, which `kustomize edit` prints.
  test.each<[string, readonly string[] | string]>([
    ['', []],
    ['a', ['a']],
    ['a,', ['a', '']],
    [',a', ['', 'a']],
    ['"a,b",c', ['a,b', 'c']],
    ['"a""b"', ['a"b']],
    ['""', ['']],
    ['a"b', 'parse error on line 1, column 2: bare " in non-quoted-field'],
    ['x,a"b', 'parse error on line 1, column 4: bare " in non-quoted-field'],
    ['é,a"b', 'parse error on line 1, column 5: bare " in non-quoted-field'],
    ['"a', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
    ['"a"b', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
  ])('%j', (line, parsed) => {
    expect(parseCsvLine(line)).toEqual(parsed);
  });
});
