import { expect, test } from 'vitest';
import { isMissingOrEmpty, isMissingOrNull, isPresent, newKey, type YamlNode } from './node.ts';
import { parseYamlNode } from './parser.ts';

const node = (text: string): YamlNode => parseYamlNode(text)!;

test('fields are found, replaced, added and taken away, where there are any', () => {
  const map = node('a: 1\nb: {c: 2}\na: 3\n');
  expect(map.get('a')?.value).toBe('1');
  expect(map.at('b', 'c')?.value).toBe('2');
  expect(map.at()).toBe(map);
  for (const path of [['x'], ['b', 'x'], ['a', 'x'], ['x', 'y']])
    expect(map.at(...path)).toBeUndefined();
  map.set('b', newKey('new'));
  map.set('d', newKey('last'));
  expect(map.content.map(({ value }) => value)).toEqual([
    'a',
    '1',
    'b',
    'new',
    'a',
    '3',
    'd',
    'last',
  ]);
  // The first of two.
  expect(map.remove('a')?.value).toBe('1');
  expect(map.get('a')?.value).toBe('3');
  expect(map.remove('x')).toBeUndefined();
  expect(map.content).toHaveLength(6);
  const list = node('[a, b]');
  expect([list.get('a'), list.remove('a'), list.content.length]).toEqual([undefined, undefined, 2]);
});

test('a copy shares nothing, and has all that the original has', () => {
  const map = node('a: &x !!str "1"\nb: [2, {c: 3}]\nd: *x\n');
  const copy = map.copy();
  expect(copy).toEqual(map);
  copy.at('b')!.content[1]!.set('c', newKey('other'));
  copy.remove('d');
  expect(map.at('b')!.content[1]!.get('c')?.value).toBe('3');
  expect(map.get('d')?.target?.value).toBe('1');
  expect(copy.get('a')?.anchor).toBe('x');
  expect(copy.get('b')?.line).toBe(map.get('b')?.line);
});

test('a node becomes another where it stands', () => {
  const map = node('a: 1\nb: &x !!str {c: 2}\n');
  const [a, b] = [map.get('a')!, map.get('b')!];
  a.become(b);
  expect({ ...a }).toEqual({ ...b });
  expect(map.at('a', 'c')?.value).toBe('2');
  expect(a.content).toBe(b.content);
});

test('what is rare is kept beside what is rare', () => {
  const one = newKey('one');
  expect([one.anchor, one.target, one.schemaComment]).toEqual([undefined, undefined, undefined]);
  one.setRare({ anchor: 'x' });
  one.setRare({ schemaComment: '{}' });
  expect([one.anchor, one.schemaComment]).toEqual(['x', '{}']);
});

test.each<[string, boolean, boolean, boolean]>([
  ['b: 1', true, false, true],
  ['a: ~', true, false, true],
  ['a:', true, false, true],
  ['a: []', false, true, true],
  ['a: {}', false, true, true],
  ['a: ""', false, true, false],
  ['a: [1]', false, true, false],
  ['a: {b: 1}', false, true, false],
])('of %s: is it missing or null, there, missing or empty?', (text, isNull, isThere, isEmpty) => {
  const found = node(text).get('a');
  expect([isMissingOrNull(found), isPresent(found), isMissingOrEmpty(found)]).toEqual([
    isNull,
    isThere,
    isEmpty,
  ]);
  expect(found?.isNull() ?? true).toBe(isNull);
});

test('a key that no file had has no line', () => {
  expect(newKey('x')).toMatchObject({ kind: 'scalar', value: 'x', line: -1 });
});
