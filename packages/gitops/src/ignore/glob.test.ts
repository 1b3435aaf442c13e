import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob, globReader } from './glob.ts';
import { SourceIgnore } from './source-ignore.ts';

const table: [string, string[], string[]][] = [
  ['', [''], ['a']],
  ['abc', ['abc'], ['ab', 'abcd', '']],
  ['*', ['', 'a', 'abc'], []],
  ['a*', ['a', 'ab', 'abc'], ['', 'ba']],
  ['*a', ['a', 'ba', 'aa'], ['', 'ab']],
  ['a*b*c', ['abc', 'aXbYc', 'abbcc'], ['ab', 'acb', 'abcd']],
  ['**', ['', 'a'], []],
  ['a**b', ['ab', 'axb'], ['a']],
  ['?', ['a', 'ü', '😀'], ['', 'ab']],
  ['a?c', ['abc'], ['ac', 'abbc']],
  ['*?', ['a', 'ab'], ['']],
  ['[abc]', ['a', 'b', 'c'], ['d', '', 'ab']],
  ['[a-c]', ['a', 'b', 'c'], ['d', '`']],
  ['[^a-c]', ['d', '`'], ['a', 'b', 'c', '']],
  ['[a-cx-z]', ['b', 'y'], ['d', 'w']],
  ['[\\]]', [']'], ['\\']],
  ['[\\-]', ['-'], ['a']],
  ['[a-\\c]', ['b'], ['d']],
  ['x[ab]y', ['xay', 'xby'], ['xy', 'xcy']],
  ['\\*', ['*'], ['a', '\\*']],
  ['a\\?', ['a?'], ['ab']],
  ['\\a', ['a'], ['\\a']],
  ['*.tar.gz', ['a.tar.gz', '.tar.gz'], ['a.tar', 'tar.gz']],
  ['é*', ['éa'], ['e']],
];

describe('a pattern of a name', () => {
  test.each(table)('%s', (pattern, matching, others) => {
    const matches = compileGlob(pattern);
    for (const name of matching) expect([name, matches?.(name)]).toEqual([name, true]);
    for (const name of others) expect([name, matches?.(name)]).toEqual([name, false]);
  });

  test.each(['[', '[a', '[]', '[]a]', '[^', '[^]', '[-a]', '[a-]', '[a-', '\\', 'a\\', '[\\'])(
    '%s cannot be read',
    (pattern) => {
      expect(compileGlob(pattern)).toBeUndefined();
      expect(globReader(pattern)).toBeUndefined();
    },
  );

  test('read a character at a time, it says the same of each beginning', () => {
    const part = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[^a]', '\\*');
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), text, (parts, name) => {
        const matches = compileGlob(parts.join(''));
        const reader = globReader(parts.join(''));
        [...name].forEach((character, index) => {
          const wanted = matches?.(name.slice(0, index + 1));
          expect(reader?.wouldMatch(character)).toBe(wanted);
          expect(reader?.read(character)).toBe(wanted);
        });
      }),
    );
  });

  test('counts its parts, runs of asterisks as one', () => {
    expect(globReader('a**[b-c]?\\d')?.tokenCount).toBe(5);
  });
});

describe('what is left out of a source', () => {
  const rows: [string, string[], string[]][] = [
    ['*.md', ['a.md', 'x/a.md', 'a.md/b'], ['a.mdx']],
    ['/a', ['a', 'a/b'], ['x/a']],
    ['a/b', ['a/b', 'a/b/c'], ['x/a/b', 'a/c']],
    ['a/', ['a/b', 'x/a/b'], ['a', 'x/a']],
    ['/a/', ['a/b'], ['a', 'x/a/b']],
    ['**/a', ['a', 'x/a', 'x/y/a'], ['b', 'x/ab']],
    ['x/**/a', ['x/a', 'x/y/a', 'x/y/z/a'], ['y/x/a', 'x/b']],
    ['x/**', ['x/a', 'x/a/b', 'x'], ['y/x/a']],
    ['a**/b', [], ['a/b', 'ab/b']],
    ['a/*/b', ['a/x/b'], ['a/b', 'a/x/y/b']],
    ['[/a', [], ['[/a']],
    ['# a', [], ['# a', 'a']],
    ['a \t', ['a \t'], ['a']],
    ['a  ', ['a'], ['a  ']],
    ['a\\ ', ['a '], ['a']],
    ['a\r', ['a'], ['a\r']],
    ['a\n!a', [], ['a']],
    ['*\n!a/b', ['a/c', 'b'], ['a/b']],
    ['!a\na', ['a'], []],
    ['  ', [], ['  ']],
  ];
  test.each(rows)('%j', (rules, out, kept) => {
    const ignore = SourceIgnore.forTree({ files: new Map(), rules: `${rules}\nsome-other-rule` });
    for (const path of out) expect([path, ignore.isIgnored(path)]).toEqual([path, true]);
    for (const path of kept) expect([path, ignore.isIgnored(path)]).toEqual([path, false]);
  });

  test('a directory is one of those that a slash at the end speaks of', () => {
    const ignore = SourceIgnore.forTree({ files: new Map(), rules: 'a/\nx/b/' });
    expect(ignore.isIgnored('a', true)).toBe(true);
    expect(ignore.isIgnored('a')).toBe(false);
    expect(ignore.isIgnored('x/b', true)).toBe(true);
    expect(ignore.isIgnored('x/b')).toBe(false);
  });

  test('files of version control always, and the defaults unless something is said', () => {
    const silent = SourceIgnore.forTree({ files: new Map() });
    const told = SourceIgnore.forTree({ files: new Map(), rules: 'a' });
    for (const path of ['.git/x', 'a/.gitignore', '.gitmodules', '.gitattributes'])
      expect([silent.isIgnored(path), told.isIgnored(path)]).toEqual([true, true]);
    for (const path of ['a.png', 'x/b.zip', '.github/x', 'x/.sops.yaml', '.travis.yml'])
      expect([silent.isIgnored(path), told.isIgnored(path)]).toEqual([true, false]);
  });

  test('files of inner directories have a later word than outer ones, and the rules the last', () => {
    const files = new Map([
      ['a/b', '!x\n/y'],
      ['', 'x\ny'],
      ['a', 'z'],
      ['.git', 'w'],
    ]);
    const paths = ['x', 'a/x', 'a/b/x', 'a/b/c/x', 'y', 'z', 'a/z', 'w'];
    const kept = (rules?: string) => {
      const ignore = SourceIgnore.forTree({ files, ...(rules && { rules }) });
      return paths.filter((path) => !ignore.isIgnored(path));
    };
    expect(kept()).toEqual(['a/b/x', 'a/b/c/x', 'z', 'w']);
    expect(kept('a/b/x\n!a/z')).toEqual(['a/b/c/x', 'z', 'a/z', 'w']);
  });

  test('of a bucket only what its file and the rules say, and what is no file', () => {
    const ignore = SourceIgnore.forBucket('*.md', '!a.md');
    const keys = ['a.md', 'b.md', 'c.png', '.sourceignore', 'd/', 'd/.sourceignore', '.git/x'];
    const ignored = keys.filter((key) => ignore.isObjectIgnored(key));
    expect(ignored).toEqual(['b.md', '.sourceignore', 'd/']);
    expect(SourceIgnore.forBucket('').isIgnored('a')).toBe(false);
  });
});
