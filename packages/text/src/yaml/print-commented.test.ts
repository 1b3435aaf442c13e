import { expect, test } from 'vitest';
import { parseYaml } from './parse.ts';
import { parseCommentedYaml } from './parser.ts';
import { printCommentedYaml } from './print-commented.ts';

function printed(text: string): string {
  const read = parseCommentedYaml(text)!;
  return printCommentedYaml(read.root, read.comments);
}

const same = undefined;

// What is written, and what becomes of it; nothing where it stays.
test.each<[string, string, string | undefined]>([
  ['fields', 'b: 1\na: x\n', same],
  ['fields in fields', 'a:\n  b:\n    c: 1\n  d: 2\ne: 3\n', same],
  ['another margin', 'a:\n     b:\n      c: 1\n', 'a:\n  b:\n    c: 1\n'],
  ['a list, which stands under its key', 'a:\n  - 1\n  - 2\n', 'a:\n- 1\n- 2\n'],
  ['lists of maps', 'a:\n- b: 1\n  c: 2\n- d: 3\n', same],
  ['lists of lists', '- - 1\n  - 2\n- - 3\n', same],
  ['maps with lists in lists', '- a:\n  - 1\n  b:\n    c: 2\n', same],
  ['brackets', 'a: {b: 1, c: [2, 3], d: {}}\ne: []\n', same],
  ['spaces in brackets', 'a: {  b:   1  }\nc: [1,2]\n', 'a: {b: 1}\nc: [1, 2]\n'],
  ['nothing', 'a:\nb: null\nc: ~\n', same],
  ['quotes', 'a: "1"\nb: \'2\'\nc: "x\\ty"\n"d": e\n', same],
  ['text in brackets', 'a: [\'1\', "2", x y]\n', same],
  ['a literal', 'a: |\n  one\n  two\nb: 1\n', same],
  ['a literal that keeps its end', 'a: |+\n  one\n\nb: 1\n', same],
  ['a literal without an end', 'a:\n- |-\n  one\n   two\n', same],
  ['folded lines', 'a: >\n  one\n  two\n', 'a: >\n  one two\n'],
  ['anchors and aliases', 'a: &x\n  b: 1\nc: *x\nd: &y 2\ne: [*y, &z 3]\n', same],
  ['anchors in brackets', 'a: [&x 1, *x, &y {b: &z 2}, *z]\nc: {&k d: *y}\n', same],
  ['an anchor of an item', '- &x\n  a: 1\n- *x\n', same],
  ['an anchor of nothing', 'a: &x\nb: *x\n', same],
  ['a tag', 'a: !!str 1\nb: !mine x\n', same],
  ['one scalar', 'x\n', same],
  ['comments before, behind and after', '# a\na: 1 # b\n# c\nb: 2\n# d\n', same],
  ['comments in a map', 'a: # one\n  # two\n  b: 1 # three\n  # four\n  c: 2\n', same],
  ['comments in a list', 'a:\n# one\n- 1 # two\n# three\n- 2\n', same],
  ['a comment before the map of an item', '# one\n- a: 1\n  # two\n  b: 2\n', same],
  ['a comment behind brackets', 'a: [1, 2] # one\nb: {c: 1} # two\n', same],
  ['only an end', 'a: 1\n# b\n# c\n', same],
  ['blank lines, which go', '# a\n\na: 1\n\n\nb: 2\n', '# a\na: 1\nb: 2\n'],
])('%s', (_what, text, expected) => {
  const result = printed(text);
  expect(result).toBe(expected ?? text);
  expect(printed(result)).toBe(result);
  if (!text.includes('!mine')) expect(parseYaml(result)).toEqual(parseYaml(text));
});
