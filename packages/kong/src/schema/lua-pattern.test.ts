import { describe, expect, it } from 'vitest';
import { matchesLuaPattern } from './lua-pattern.ts';

describe('matchesLuaPattern', () => {
  it.each([
    ['^%u+$', 'GET', true],
    ['^%u+$', 'Get', false],
    ['^[a-z][a-z%d-]-[a-z%d]+$', 'my-env', true],
    ['^[a-z][a-z%d-]-[a-z%d]+$', 'my-', false],
    ['^[^*]*%*?[^*]*$', '*.a', true],
    ['^[^*]*%*?[^*]*$', '*.a.*', false],
    ['%.%*$', 'a.*', true],
    ['//', 'a//b', true],
    ['^.*[^:]$', 'a:', false],
    ['%w*%p*@+%w*%.?%w*', 'me@here.test', true],
    ['^[^*&%%\\`]+$', 'a%b', false],
    ['a$b', 'a$b', true],
    ['%S', ' ', false],
  ])('%s on %s is %s', (pattern, value, expected) => {
    expect(matchesLuaPattern(value, pattern)).toBe(expected);
  });

  it('matches nothing in absurdly long values', () => {
    expect(matchesLuaPattern('a'.repeat(100_000), '%w*%p*@+')).toBe(false);
  });
});
