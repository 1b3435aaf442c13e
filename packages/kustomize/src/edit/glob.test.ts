import { expect, test } from 'vitest';
import { memoryFileSystem } from '../file-system/memory.ts';
import { glob, globPattern } from './glob.ts';

// As path/filepath of Go has them.
test.each<[string, string, string]>([
  ['a', 'a', 'b aa'],
  ['*', 'a abc', 'a/b'],
  ['a*c', 'ac abbc', 'ab a/c'],
  ['a?c', 'abc a.c', 'ac a/c abbc'],
  ['[abc]', 'a b c', 'd ab'],
  ['[a-c]', 'a b c', 'd -'],
  ['[^a-c]', 'd -', 'a b c'],
  ['[a-cx]', 'b x', 'd'],
  ['[c-a]', '\u{10ffff}', 'a b c'],
  ['[\\]]', ']', '\\ a'],
  ['[\\-x]', '- x', 'a'],
  ['[.]', '.', 'a'],
  ['a.b', 'a.b', 'acb'],
  ['\\*', '*', 'a'],
  ['a+(b)|{c}$', 'a+(b)|{c}$', 'aab'],
])('%s holds of %s and not of %s', (pattern, those, others) => {
  for (const text of those.split(' ')) expect(globPattern(pattern).test(text), text).toBe(true);
  for (const text of others.split(' ')) expect(globPattern(pattern).test(text), text).toBe(false);
});

test.each(['[', '[a', '[]', '[]a]', '[-]', '[a-]', '[-x]', 'a\\', '[\\', '[^]', '[a-\\'])(
  '%s is no pattern',
  (pattern) => {
    expect(() => globPattern(pattern)).toThrow('syntax error in pattern');
  },
);

test.each<[string, string[]]>([
  ['a.yaml', ['a.yaml']],
  ['gone.yaml', []],
  ['', []],
  ['*.yaml', ['a.yaml', 'b.yaml']],
  ['*', ['a.yaml', 'b.yaml', 'sub']],
  ['.*', ['.hidden.yaml']],
  ['.hidden.yaml', ['.hidden.yaml']],
  ['sub/*.yaml', ['sub/c.yaml']],
  ['./sub/*.yaml', ['sub/c.yaml']],
  ['*/c.yaml', ['sub/c.yaml']],
  ['s?b/[a-c].yaml', ['sub/c.yaml']],
  ['sub', ['sub']],
  ['/top/s*', ['/top/sub']],
])('%j names %j', (pattern, expected) => {
  const files = memoryFileSystem({
    'top/a.yaml': '',
    'top/b.yaml': '',
    'top/.hidden.yaml': '',
    'top/sub/c.yaml': '',
  });
  expect(glob(files, '/top', pattern)).toEqual(expected);
});
