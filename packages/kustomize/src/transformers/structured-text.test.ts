import { newMap, newScalar, newString, type YamlNode } from '@waygate/text';
import { describe, expect, it } from 'vitest';
import { splitFieldPath } from '../field-path.ts';
import { setInStructuredText } from './structured-text.ts';

/** The text after a value was set in it; undefined when it was left alone. */
function changed(text: string, path: string, value: string | YamlNode, creates = false) {
  const field = newString(text);
  const root = newMap();
  root.set('data', field);
  const node = typeof value === 'string' ? newScalar(value) : value;
  const parts = splitFieldPath(`data.${path}`);
  const isSet = setInStructuredText(root, parts, node, creates ? node.kind : undefined);
  return isSet ? field.value : undefined;
}

describe('setInStructuredText', () => {
  it.each([
    ['json on one line', '{"b":{"c":1},"a":"x"}', 'b.c', '2', '{"a":"x","b":{"c":2}}'],
    [
      'json over lines',
      '{\n  "b": [],\n  "a": {"x": "1"}\n}',
      'a.x',
      'two',
      '{\n  "a": {\n    "x": "two"\n  },\n  "b": []\n}',
    ],
    ['an item by key', '[{"name":"a","v":"1"}]', '[name=a].v', '<', '[{"name":"a","v":"\\u003c"}]'],
    ['yaml, in its order', 'z: 1\na:\n    b: old\n', 'a.b', 'new', 'z: 1\na:\n  b: new'],
    ['a number as a number', 'a: 1', 'a', '3', 'a: 3'],
    ['quotes as they were', 'a: "1"\nb: \'2\'\n', 'b', 'x', 'a: "1"\nb: \'x\''],
    ['text that looks like a number', 'a: x', 'a', '8080', 'a: "8080"'],
    ['text that needs quotes', 'a: x', 'a', 'b: c', "a: 'b: c'"],
    ['a type that no longer fits', 'a: 1', 'a', 'x', 'a: !!int x'],
    ['brackets', 'a: {\n  b: "x",\n  c: [1, d e],\n}', 'a.b', 'y', 'a: {b: "y", c: [1, d e]}'],
    [
      'lists',
      'a:\n    - b: 1\n      c:\n      - x\n    - - y\n',
      'a.0.b',
      '2',
      'a:\n- b: 2\n  c:\n  - x\n- - y',
    ],
    ['all items', 'a: [{b: 1}, {b: 2}]', 'a.*.b', '0', 'a: [{b: 0}, {b: 0}]'],
    [
      'blocks',
      'a: 1\nb: |\n  one\n  two\nc: >-\n  x\n  y\n\n  z',
      'a',
      '2',
      'a: 2\nb: |\n  one\n  two\nc: >-\n  x y\n\n  z',
    ],
    [
      'comments',
      '# top\na: 1 # first\n# about b\nb:\n  # inside\n  c: 2\nd:\n# item\n- x\n# end\n',
      'b.c',
      '3',
      '# top\na: 1 # first\n# about b\nb:\n  # inside\n  c: 3\nd:\n# item\n- x\n# end',
    ],
    ['empty values', 'a:\nb: x', 'b', 'y', 'a:\nb: y'],
    ['anchors', 'a: &x {b: 1}\nc: *x\nd: 1', 'd', '2', 'a: &x {b: 1}\nc: *x\nd: 2'],
  ])('changes %s', (_, text, path, value, expected) => {
    expect(changed(text, path, value)).toBe(expected);
  });

  it('makes what is missing, where it may', () => {
    expect(changed('a: 1', 'b.c', 'x', true)).toBe('a: 1\nb:\n  c: x');
    expect(changed('{"a":1}', 'b', 'x', true)).toBe('{"a":1,"b":"x"}');
  });

  it('puts a map in the place of a map', () => {
    const map = newMap();
    map.set('x', newScalar('1'));
    expect(changed('a: {b: 1}', 'a', map)).toBe('a:\n  x: 1');
  });

  it.each([
    ['mere text', 'a'],
    ['', 'a'],
    ['a: 1', 'b'],
    ['a: 1', 'a.b'],
    ['a: [', 'a'],
    ['{"a":1}', 'a.b'],
  ])('leaves %j alone when asked for %j', (text, path) => {
    expect(changed(text, path, 'x')).toBeUndefined();
  });

  it('stops at a bomb of aliases', () => {
    const levels = Array.from(
      { length: 40 },
      (_, index) => `&l${index + 1} [*l${index}, *l${index}]`,
    );
    const bomb = `{b: 1, a: [&l0 [x], ${levels.join(', ')}]}`;
    expect(changed(bomb, 'b', '2')).toBeUndefined();
    expect(changed('{b: 1, c: &x [1], d: *x}', 'b', '2')).toBe('{"b":2,"c":[1],"d":[1]}');
  });
});
