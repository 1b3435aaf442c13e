import { describe, expect, it } from 'vitest';
import type { RegexDialect } from './pattern-reader.ts';
import { Regex } from './regex.ts';

describe('an escape', () => {
  it.each<[RegexDialect, string, string, string]>([
    ['go', '\\a\\f\\n\\r\\t\\v', '\u0007\f\n\r\t\v', 'v'],
    ['rust', '\\a\\f\\n\\r\\t\\v', '\u0007\f\n\r\t\v', 'v'],
    ['go', '\\x41\\x{1F600}', 'A😀', 'A'],
    ['rust', '\\x41\\x{1F600}', 'A😀', 'A'],
    ['pcre', '\\x41\\x{1F600}', 'A😀', 'A'],
    ['pcre', 'a\\x', 'a\0', 'ax'],
    ['pcre', '\\x4g', '\u0004g', '4g'],
    ['pcre', 'a\\x{}', 'a\0', 'a'],
    ['rust', '\\u0041\\U00000042\\u{43}\\U{44}', 'ABCD', 'abcd'],
    ['go', '\\101\\07', 'A\u0007', '101'],
    ['go', '\\0', '\0', '0'],
    ['go', '\\012', '\n', '012'],
    ['pcre', '\\e\\cA\\ca\\c[', '\u001b\u0001\u0001\u001b', 'e'],
    ['pcre', '\\o{101}\\0\\07', 'A\0\u0007', 'o'],
    ['pcre', '[\\1]', '\u0001', '1'],
    ['pcre', '[\\101]', 'A', '1'],
    ['pcre', '\\N', 'a', '\n'],
    ['pcre', '\\R', '\r\n', 'r'],
    ['pcre', '\\R', '\u0085', 'R'],
    ['pcre', '\\v', '\n', 'v'],
    ['pcre', '\\V', 'a', '\n'],
    ['pcre', '\\h', '\u00a0', 'h'],
    ['pcre', '\\H', 'h', '\t'],
    ['go', '\\D\\S\\W', 'a1-', '1a-'],
    ['go', '\\.\\[\\\\', '.[\\', 'a['],
    ['pcre', '\\é', 'é', 'e'],
    ['go', '\\PL', '1', 'a'],
    ['go', '\\p{^L}', '1', 'a'],
    ['go', '\\P{^L}', 'a', '1'],
    ['rust', '\\p{Script:Greek}', 'α', 'a'],
  ])('%s: %s is %j, not %j', (dialect, pattern, text, other) => {
    const regex = new Regex(`^(?:${pattern})$`, { dialect });
    expect([regex.test(text), regex.test(other)]).toEqual([true, false]);
  });

  it.each<[RegexDialect, string, string]>([
    ['go', 'a\\', 'trailing backslash at end of expression'],
    ['go', '\\x4', 'invalid escape sequence: `\\x`'],
    ['go', '\\x{110000}', 'invalid escape sequence: `\\x`'],
    ['go', '\\x{}', 'invalid escape sequence: `\\x`'],
    ['go', '\\8', 'invalid escape sequence: `\\8`'],
    ['go', '\\e', 'invalid escape sequence: `\\e`'],
    ['go', '\\é', 'invalid escape sequence: `\\é`'],
    ['go', '\\h', 'invalid escape sequence: `\\h`'],
    ['go', '\\p{Nonsense}', 'invalid character class range: `\\p{Nonsense}`'],
    ['go', '\\p', 'invalid character class range: `\\p`'],
    ['rust', '\\p{^L}', 'invalid character class range: `\\p{^L}`'],
    ['rust', '\\1', 'a reference to a group cannot be run'],
    ['rust', '\\u{110000}', 'invalid escape sequence: `\\u`'],
    ['pcre', '\\o{777777777}', 'invalid escape sequence'],
    ['pcre', '\\j', 'invalid escape sequence: `\\j`'],
    ['pcre', '\\G', '\\G cannot be run'],
    ['pcre', '\\X', '\\X cannot be run'],
    ['pcre', '\\C', '\\C cannot be run'],
    ['pcre', '\\g1', 'a reference to a group cannot be run'],
    ['pcre', '\\9', 'a reference to a group cannot be run'],
  ])('%s refuses %s: %s', (dialect, pattern, message) => {
    expect(() => new Regex(pattern, { dialect })).toThrow(message);
  });
});
