import { describe, expect, test } from 'vitest';
import type { RegexDialect } from './pattern-reader.ts';
import { Regex } from './regex.ts';

/** The characters below 256 that one class has. */
function membersOf(pattern: string, dialect: RegexDialect = 'go'): string {
  const regex = new Regex(`^${pattern}\\z`, { dialect });
  return Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
    .filter((character) => regex.test(character))
    .join('');
}

const codes = (...ranges: readonly (readonly [number, number])[]) =>
  ranges
    .flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index))
    .map((code) => String.fromCharCode(code))
    .join('');

const digits = '0123456789';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const all = codes([0, 255]);
const without = (set: string) => [...all].filter((one) => !set.includes(one)).join('');

describe('the classes that have a name have exactly their characters', () => {
  test.each<[string, string]>([
    ['\\d', digits],
    ['\\D', without(digits)],
    ['\\s', '\t\n\f\r '],
    ['\\S', without('\t\n\f\r ')],
    ['\\w', `${digits}${upper}_${lower}`],
    ['\\W', without(`${digits}${upper}_${lower}`)],
    ['[[:alnum:]]', `${digits}${upper}${lower}`],
    ['[[:alpha:]]', `${upper}${lower}`],
    ['[[:ascii:]]', codes([0, 127])],
    ['[[:blank:]]', '\t '],
    ['[[:cntrl:]]', codes([0, 31], [127, 127])],
    ['[[:digit:]]', digits],
    ['[[:graph:]]', [...`${digits}${upper}${lower}${punctuation}`].sort().join('')],
    ['[[:lower:]]', lower],
    ['[[:print:]]', [...` ${digits}${upper}${lower}${punctuation}`].sort().join('')],
    ['[[:punct:]]', [...punctuation].sort().join('')],
    ['[[:space:]]', '\t\n\v\f\r '],
    ['[[:upper:]]', upper],
    ['[[:word:]]', `${digits}${upper}_${lower}`],
    ['[[:xdigit:]]', `${digits}ABCDEFabcdef`],
    ['[^[:alpha:]]', without(`${upper}${lower}`)],
  ])('%s', (pattern, members) => {
    expect(membersOf(pattern)).toBe(members);
  });

  test.each([
    ['\\h', '\t \u00a0'],
    ['\\v', '\n\v\f\r\u0085'],
    ['\\s', '\t\n\v\f\r '],
  ])('%s of PCRE', (pattern, members) => {
    expect(membersOf(pattern, 'pcre')).toBe(members);
  });
});
