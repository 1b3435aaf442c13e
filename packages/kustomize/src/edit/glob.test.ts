import { expect, test } from 'vitest';
import { memoryFileSystem } from '../file-system/memory.ts';
import { KustomizeError } from '../kustomize-error.ts';
import { glob, isMatch } from './glob.ts';

test('what is no pattern is refused in kustomize’s way', () => {
  expect(() => isMatch('[a', 'b')).toThrow(KustomizeError);
  expect(isMatch('[a]', 'a')).toBe(true);
});

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
