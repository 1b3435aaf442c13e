import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRegexError, pcreErrorText } from './regex-syntax.ts';

describe('findRegexError', () => {
  it.each([
    ['/a(', 'missing closing parenthesis'],
    ['/a)', 'unmatched closing parenthesis'],
    ['/x[z', 'missing terminating ] for character class'],
    ['*a', 'quantifier does not follow a repeatable item'],
    ['a{2,1}', 'numbers out of order in {} quantifier'],
    ['a\\', '\\ at end of pattern'],
    ['[z-a]', 'range out of order in character class'],
    ['(?*a)', 'unrecognized character after (? or (?-'],
  ])('refuses %s', (text, message) => {
    expect(findRegexError(text)?.message).toBe(message);
  });

  it.each([
    '/a/(?<id>\\d+)$',
    '(?P<name>x)',
    '[]a]',
    '[[:alpha:]]+',
    'a{,3}',
    'x{2}+',
    '(?i)abc',
    '(?:a|b)*?',
    '\\Q(((\\E',
    '^/$',
    '(?<=a)b(?!c)',
  ])('accepts %s', (text) => {
    expect(findRegexError(text)).toBeUndefined();
  });

  it('words errors as nginx does', () => {
    const error = findRegexError('/c(');
    expect(error && pcreErrorText('/c(', error)).toBe(
      'pcre2_compile() failed: missing closing parenthesis in "/c("',
    );
  });

  it('ends on any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void findRegexError(text)));
  });
});
