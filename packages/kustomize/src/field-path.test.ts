import { newScalar, parseYamlNode, type YamlNode } from '@waygate/text';
import { describe, expect, test } from 'vitest';
import { lookUp, lookUpOrCreate, matchPath, splitEscaped, splitFieldPath } from './field-path.ts';
import { emitYaml } from './yaml/emit.ts';

const source =
  'a:\n  b: x\nlist:\n- name: one\n  v: 1\n- name: two\n  v: 2\nplain: [p, q]\nnone:\n';
const tree = () => parseYamlNode(source) as YamlNode;
const shown = (node: YamlNode | undefined) =>
  node === undefined ? undefined : emitYaml(node).trimEnd();

test.each([
  ['a.b', ['a', 'b']],
  ['a', ['a']],
  ['', ['']],
  ['a\\.b.c', ['a.b', 'c']],
  ['a.[name=x.y].c', ['a', '[name=x.y]', 'c']],
  ['a.[name=x]', ['a', '[name=x]']],
  ['a.[b.c].d', ['a', 'b.c', 'd']],
  ['a.[b.c', ['a', 'b.c']],
  ['a.[x=b.c', ['a', '[x=b.c']],
  ['a.b[c', ['a', 'b[c']],
])('%s is split at its dots', (path, parts) => {
  expect(splitFieldPath(path)).toEqual(parts);
});

test('another delimiter is escaped as well', () => {
  expect(splitEscaped('a/b\\/c/d', '/')).toEqual(['a', 'b/c', 'd']);
  expect(splitFieldPath('a/[x=b/c]', '/')).toEqual(['a', '[x=b/c]']);
});

describe('one node', () => {
  test.each([
    ['a.b', 'x'],
    ['a', 'b: x'],
    [' a . b ', 'x'],
    ['a..b', 'x'],
    ['list.0.v', '1'],
    ['list.1.name', 'two'],
    ['list.-.v', '2'],
    ['list.[name=two].v', '2'],
    ['plain.[=q]', 'q'],
    ['list.2', undefined],
    ['list.[name=no]', undefined],
    ['plain.[=r]', undefined],
    ['plain.[name=p]', undefined],
    ['no', undefined],
    ['a.no.deep', undefined],
    ['none.deep', undefined],
  ])('at %s', (path, wanted) => {
    expect(shown(lookUp(tree(), splitFieldPath(path)))).toBe(wanted);
  });

  test.each([
    ['list.[name]', 'list path element must contain fieldName=fieldValue'],
    ['list.-1', 'array index -1 cannot be negative'],
    ['a.0', 'wrong node kind: expected SequenceNode but got MappingNode'],
    ['a.-', 'wrong node kind'],
    ['a.[x=y]', 'wrong node kind'],
    ['list.name', 'wrong node kind'],
    ['a.b.c', 'wrong node kind'],
  ])('not at %s', (path, message) => {
    expect(() => lookUp(tree(), splitFieldPath(path))).toThrow(message);
  });
});

describe('one node that is made when it is missing', () => {
  test.each([
    ['a.b', 'a:\n  b: NEW'],
    ['a.c', 'a:\n  b: x\n  c: NEW'],
    ['x.y', 'x:\n  "y": NEW'],
    ['list.[name=two].v', 'v: NEW'],
    ['list.[name=three].v', '- name: three\n  v: NEW'],
    ['plain.[=r]', '- NEW'],
    ['x.[name=one].v', 'x:\n- name: one\n  v: NEW'],
    ['list.0.v', 'v: NEW'],
  ])('%s', (path, wanted) => {
    const root = tree();
    const node = lookUpOrCreate(root, splitFieldPath(path), 'scalar');
    node?.become(newScalar('NEW'));
    expect(emitYaml(root)).toContain(wanted);
  });

  test('below nothing and beyond the end there is none', () => {
    const make = (path: string) => lookUpOrCreate(tree(), splitFieldPath(path), 'map');
    expect(make('none.x')).toBeUndefined();
    expect(make('list.7')).toBeUndefined();
    expect(make('none')?.isNull()).toBe(true);
    expect(make('new')?.kind).toBe('map');
    expect(lookUpOrCreate(tree(), ['new'], 'sequence')?.kind).toBe('sequence');
    expect(() => make('list.x')).toThrow('wrong node kind');
  });
});

describe('all nodes', () => {
  test.each([
    ['list.*.v', ['1', '2']],
    ['list.[name=t.*].v', ['2']],
    ['list.[name=.*].v', ['1', '2']],
    ['list.[v=1].name', ['one']],
    ['list.1.v', ['2']],
    ['plain.[=p]', ['p']],
    ['plain.*', ['p', 'q']],
    ['list.[name=no].v', []],
    ['a.no.x', []],
    ['none.x', []],
  ])('at %s', (path, wanted) => {
    expect(matchPath(tree(), splitFieldPath(path), undefined).map(shown)).toEqual(wanted);
  });

  test.each([
    ['a.c', 'a:\n  b: x\n  c: NEW'],
    ['x.y.z', 'x:\n  "y":\n    z: NEW'],
    ['list.2.v', '- v: NEW'],
    ['plain.2', '- q\n- NEW'],
    ['list.[name=no].v', '- name: "no"\n  v: NEW'],
    ['plain.[=r]', '- NEW'],
    ['x.[name=one].v', 'x:\n- name: one\n  v: NEW'],
    ['x.0', 'x:\n- NEW'],
  ])('made at %s', (path, wanted) => {
    const root = tree();
    for (const node of matchPath(root, splitFieldPath(path), 'scalar'))
      node.become(newScalar('NEW'));
    expect(emitYaml(root)).toContain(wanted);
  });

  test.each([
    ['list.2', 'index 2 specified but only 2 elements found'],
    ['list.3', 'index 3 specified but only 2 elements found'],
    ['a.*', 'wrong node kind'],
    ['a.0', 'wrong node kind'],
    ['a.[x=y]', 'wrong node kind'],
    ['list.name', 'wrong node kind'],
    ['a.b.c', 'wrong node kind'],
  ])('not at %s', (path, message) => {
    expect(() => matchPath(tree(), splitFieldPath(path), undefined)).toThrow(message);
  });
});
