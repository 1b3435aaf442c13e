import { describe, expect, test } from 'vitest';
import { jsonPath } from './json-path.ts';

const object = {
  spec: {
    a: 1,
    'b.c': 2,
    list: [
      { name: 'x', n: 1 },
      { name: 'y', n: 2 },
    ],
    empty: {},
  },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};

describe('the path of a printer column', () => {
  test.each<[path: string, values: unknown[]]>([
    ['.spec.a', [1]],
    ['spec.a', [1]],
    ['.spec.b\\.c', [2]],
    ["['spec'].a", [1]],
    ['.spec.list[*].name', ['x', 'y']],
    ['.spec.list[-1].name', ['y']],
    ['.spec.list[7].name', []],
    ['.spec.list[?(@.name=="y")].n', [2]],
    [".spec.list[?( @.name != 'y' )].n", [1]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ['.spec.none.deeper', []],
    ['.', [object]],
    ['.spec.a b', []],
    ['.spec.list[', []],
    ['.spec.constructor', []],
  ])('%s', (path, values) => {
    expect(jsonPath(path)(object)).toEqual(values);
  });

  // Each took time with the square of its length: whoever wrote a definition could stop the server.
  test.each([
    ['escaped dots that end in nothing', `.${'\\.a'.repeat(300_000)}@`],
    ['backslashes', `.${'\\'.repeat(900_000)}@`],
    ['names', `.${'a.'.repeat(450_000)}@`],
    ['a filter that is not closed', `.a[?(@${'.b'.repeat(450_000)}`],
    ['blanks in a filter', `.a[?(${' '.repeat(450_000)}@.b${' '.repeat(450_000)}`],
  ])('of a megabyte of %s is read in one pass', (_what, path) => {
    expect(jsonPath(path)(object)).toEqual([]);
  });
});
