import { describe, expect, it } from 'vitest';
import { dfaMemory } from './dfa-memory.ts';
import { RegexBudget } from './matching.ts';
import type { RegexDialect } from './pattern-reader.ts';
import { Regex } from './regex.ts';
import { RegexError } from './regex-error.ts';

describe('dialects', () => {
  it.each<[RegexDialect, string, string, boolean]>([
    ['rust', '^\\w+$', 'straße', true],
    ['pcre', '^\\w+$', 'straße', false],
    ['go', '^\\w+$', 'straße', false],
    ['rust', '^\\d$', '٣', true],
    ['rust', '(?-u)^\\d$', '٣', false],
    ['rust', '^[a-z&&[^aeiou]]+$', 'xyz', true],
    ['rust', '^[a-z&&[^aeiou]]+$', 'xyza', false],
    ['rust', '^[a-z--b]+$', 'abc', false],
    ['rust', '^[[:alpha:]]$', 'a', true],
    ['rust', '^\\u{61}\\u0062$', 'ab', true],
    ['rust', '(?x)^ a b # both\n$', 'ab', true],
    ['rust', '^a**$', 'aaa', true],
    ['rust', 'a$', 'a\n', false],
    ['pcre', 'a$', 'a\n', true],
    ['pcre', 'a\\z', 'a\n', false],
    ['pcre', 'a\\Z', 'a\n', true],
    ['pcre', '^\\h+\\R$', ' \t\r\n', true],
    ['pcre', '^[\\w-.]+$', 'a-b.c', true],
    ['pcre', '^(?#nothing)a\\x2fb$', 'a/b', true],
    ['pcre', "^(?'name'a)\\Q.*\\E$", 'a.*', true],
    ['pcre', '^[\\b]$', '\b', true],
    ['pcre', '^{2$', '{2', true],
    ['go', '^\\pL\\p{Greek}$', 'éα', true],
  ])('%s: %s on %j is %s', (dialect, pattern, text, expected) => {
    expect(new Regex(pattern, { dialect }).test(text)).toBe(expected);
  });

  it.each<[RegexDialect, string, string]>([
    ['pcre', 'a(?=b)', 'look-around cannot be run in linear time'],
    ['pcre', '(?<!a)b', 'look-around cannot be run in linear time'],
    ['pcre', '(a)\\1', 'a reference to a group cannot be run'],
    ['pcre', '(?<n>a)\\k<n>', 'a reference to a group cannot be run'],
    ['pcre', '(?P<n>a)(?P=n)', 'a reference to a group cannot be run'],
    ['pcre', '(?>a)', 'an atomic group cannot be run'],
    ['pcre', 'a++', 'a possessive quantifier cannot be run'],
    ['pcre', '(?R)', 'a recursive, conditional or renumbering group cannot be run'],
    ['pcre', '(*COMMIT)a', 'a verb cannot be run'],
    ['pcre', 'a\\Kb', '\\K cannot be run'],
    ['rust', 'a(?!b)', 'look-around cannot be run in linear time'],
    ['rust', '(a)\\1', 'a reference to a group cannot be run'],
    ['rust', 'a{x', 'repetition quantifier expects a valid decimal'],
    ['rust', '\\Z', 'invalid escape sequence'],
    ['go', 'a(?=b)', 'invalid or unsupported Perl syntax: `(?=`'],
  ])('%s refuses %s: %s', (dialect, pattern, message) => {
    expect(() => new Regex(pattern, { dialect })).toThrow(message);
  });
});

describe('limits', () => {
  it.each([
    ['(?:a{1000}){1000}', 'pcre', 'too large'],
    ['((((((){1000}){1000}){1000}){1000}){1000})', 'pcre', 'too large'],
    ['(?:(?:){60000}){60000}', 'pcre', 'too large'],
    ['('.repeat(5000) + ')'.repeat(5000), 'go', 'nests too deeply'],
    ['[['.repeat(5000), 'rust', 'nests too deeply'],
    ['a'.repeat(70_000), 'go', 'too large'],
    ['(a)'.repeat(3000), 'go', 'too large'],
  ] as const)('refuses %.40s', (pattern, dialect, message) => {
    expect(() => new Regex(pattern, { dialect })).toThrow(message);
  });

  it('ends a match that is past its budget', () => {
    const regex = new Regex('[ab].{900}c');
    let text = '';
    for (let index = 0; text.length < 50_000; index += 1) text += 'abx'[(index * index * 7) % 3];
    expect(() => regex.test(text, new RegexBudget(100_000))).toThrow(RegexError);
    expect(() => regex.findAll(text, 10, new RegexBudget(100_000))).toThrow('too much work');
  });

  it('keeps the memory of all automatons within a bound', () => {
    const regexes = Array.from({ length: 150 }, (_, index) => new Regex(`[ab].{${200 + index}}c`));
    let text = '';
    for (let index = 0; text.length < 1000; index += 1) text += 'abx'[(index * index * 7) % 3];
    for (const regex of regexes) {
      expect(regex.test(text)).toBe(false);
      expect(dfaMemory.cells).toBeLessThanOrEqual(9 * 1024 * 1024);
    }
  });
});

it('names groups, and says where they are', () => {
  const regex = new Regex('^/(?<kind>\\w+)(?:/(?P<id>\\d+))?');
  expect(regex.exec('/users/42/x')).toEqual({ start: 0, end: 9, groups: ['users', '42'] });
  expect(regex.exec('/users')).toEqual({ start: 0, end: 6, groups: ['users', undefined] });
  expect([...regex.groupNames]).toEqual([
    ['kind', 1],
    ['id', 2],
  ]);
});
