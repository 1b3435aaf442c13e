import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileAnchoredRegex, compileRegex } from './compile-regex.ts';

describe('compileRegex', () => {
  it.each([
    ['^a.*z$', 'abcz', true],
    ['^(?:a|b)+$', 'abba', true],
    ['^(?:a|b)+$', 'abca', false],
    ['^[a-c]{2,3}$', 'abc', true],
    ['^[a-c]{2,3}$', 'abcc', false],
    ['[^0-9]', '123', false],
    ['^\\d+\\.\\w?$', '12.a', true],
    ['(?i)^web$', 'WEB', true],
    ['\\bweb\\b', 'my web app', true],
    ['^[[:alpha:]]+$', 'abc', true],
    ['^x{0}y$', 'y', true],
    ['^$', '', true],
    ['a|', '', true],
    ['^a.b$', 'a\nb', false],
    ['(?s)^a.b$', 'a\nb', true],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^b$', 'a\nb\nc', false],
    ['^(?i:a)b$', 'Ab', true],
    ['^(?i:a)b$', 'AB', false],
    ['(?i)a(?-i)b', 'AB', false],
    ['^\\pL+$', 'aÄß', true],
    ['^\\p{Lu}\\P{Lu}$', 'Äß', true],
    ['^\\p{Greek}+$', 'αβγ', true],
    ['^[\\p{L}-]+$', 'a-ä', true],
    ['^\\Qa.b*\\E+$', 'a.b**', true],
    ['\\Qa.b', 'axb', false],
  ])('%s on %j is %s', (pattern, text, expected) => {
    expect(compileRegex(pattern)(text)).toBe(expected);
  });

  it.each([
    ['(', 'missing closing )'],
    ['[a', 'missing closing ]'],
    ['*', 'missing argument to repetition operator'],
    ['a**', 'invalid nested repetition operator'],
    ['a{2000}', 'invalid repeat count'],
    ['(?=a)', 'invalid or unsupported Perl syntax'],
    ['\\', 'trailing backslash'],
    ['\\p{Klingon}', 'invalid character class range: `\\p{Klingon}`'],
  ])('refuses %s', (pattern, message) => {
    expect(() => compileRegex(pattern)).toThrow(message);
  });

  it('agrees with the language where both know the syntax', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      'a*',
      'b+',
      '[ab]',
      '(?:a|b)',
      'a?',
      '[^a]',
      'b{1,2}',
    );
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (expression, subject) => {
        expect(compileAnchoredRegex(expression)(subject)).toBe(
          new RegExp(`^${expression}$`).test(subject),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('takes linear time on what makes others explode', () => {
    const started = process.cpuUsage();
    expect(compileRegex('^(a+)+$')(`${'a'.repeat(5_000)}!`)).toBe(false);
    expect(compileRegex('^(a|aa)*(a|aa)*(a|aa)*b$')('a'.repeat(5_000))).toBe(false);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
    expect(() => compileRegex('((((a{100}){100}){100}){100})')).toThrow('invalid repeat count');
    expect(() => compileRegex('(?:abcdefghijklmnopqrstuvwxyz){900}')).toThrow('too large');
  });
});
