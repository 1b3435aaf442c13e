import { describe, expect, it } from 'vitest';
import { mergeYaml } from './merge-yaml.ts';

const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n';

function spec(merged: string): string {
  return merged.slice(merged.indexOf('spec:')).replaceAll(/\s+/g, ' ').trim();
}

describe('mergeYaml', () => {
  it.each([
    [
      'new items come first, matched ones in the order of the patch',
      'spec: {containers: [{name: a, x: 1}, {name: b}]}',
      'spec: {containers: [{name: c}, {name: a, y: 2}]}',
      'spec: containers: - name: c - name: a x: 1 "y": 2 - name: b',
    ],
    [
      'ports merge by port and protocol',
      'spec: {containers: [{name: a, ports: [{containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: UDP}]}]}',
      'spec: {containers: [{name: a, ports: [{containerPort: 53, protocol: UDP, name: dns}]}]}',
      'spec: containers: - name: a ports: - containerPort: 53 protocol: TCP - containerPort: 53 name: dns protocol: UDP',
    ],
    ['null removes', 'spec: {a: 1, b: {c: 2}}', 'spec: {a: null, b: {c: null}}', 'spec: b: {}'],
    [
      'an item is deleted by directive',
      'spec: {containers: [{name: a}, {name: b}]}',
      'spec: {containers: [{name: a, $patch: delete}]}',
      'spec: containers: - name: b',
    ],
    [
      'a map is replaced by directive',
      'spec: {securityContext: {a: 1}}',
      'spec: {securityContext: {$patch: replace, b: 2}}',
      'spec: securityContext: b: 2',
    ],
    [
      'a list is replaced by directive',
      'spec: {containers: [{name: a}]}',
      'spec: {containers: [{$patch: replace}, {name: b}]}',
      'spec: containers: - name: b',
    ],
    [
      'lists without a key are replaced',
      'spec: {tolerations: [{key: a}]}',
      'spec: {tolerations: [{key: b}]}',
      'spec: tolerations: - key: b',
    ],
    [
      'an empty list changes nothing where items merge',
      'spec: {containers: [{name: a}]}',
      'spec: {containers: []}',
      'spec: containers: - name: a',
    ],
    [
      'explicit nulls stay, empty ones go',
      'spec:\n  a: null\n  b:\n  c: 1',
      'spec: {c: 2}',
      'spec: a: null c: 2',
    ],
    ['a quoted field stays a string', 'spec: {a: "80"}', 'spec: {a: 8080}', 'spec: a: "8080"'],
  ])('%s', (_title, target, patch, expected) => {
    expect(spec(mergeYaml(pod + target, pod + patch))).toBe(expected);
  });

  it('replaces lists of unknown kinds, unless told to infer', () => {
    const target = 'kind: X\napiVersion: y/v1\nlist: [{name: a, v: 1}]\n';
    const patch = 'kind: X\napiVersion: y/v1\nlist: [{name: b}]\n';
    expect(mergeYaml(target, patch)).toBe('apiVersion: y/v1\nkind: X\nlist:\n- name: b\n');
    expect(mergeYaml(target, patch, { infersLists: true, newItems: 'append' })).toBe(
      'apiVersion: y/v1\nkind: X\nlist:\n- name: a\n  v: 1\n- name: b\n',
    );
  });

  it('refuses to merge a map into a scalar', () => {
    expect(() => mergeYaml('a: 1', 'a: {b: 1}')).toThrow('expected ScalarNode but got MappingNode');
  });
});

describe('a schema in a comment', () => {
  it('says how a field merges', () => {
    const merged = mergeYaml(
      'list:\n- b\n- c\n',
      'list: # {"type": "array", "x-kubernetes-patch-strategy": "merge"}\n- a\n- b\n',
    );
    expect(merged).toBe('list:\n- a\n- b\n- c\n');
  });
});
