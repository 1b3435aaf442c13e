import { describe, expect, it } from 'vitest';
import { buildSync } from './build.ts';
import { memoryFileSystem } from './file-system/memory.ts';

/** Builds one Thing; what is printed, or the message. */
function built(kustomization: string, rest: string): string {
  const result = buildSync(
    memoryFileSystem({
      'kustomization.yaml': `resources: [thing.yaml]\n${kustomization}`,
      'thing.yaml': `apiVersion: v1\nkind: Thing\nmetadata: {name: t}\n${rest}`,
    }),
    '/',
  );
  return result.problems.find(({ severity }) => severity === 'error')?.message ?? result.toYaml();
}

const merge = (patch: string): string =>
  `patches:\n- target: {kind: Thing}\n  patch: |-\n    {apiVersion: v1, kind: Thing, metadata: {name: t}, ${patch}}\n`;

const json = (operation: string): string =>
  `patches:\n- target: {kind: Thing}\n  patch: |-\n    - {${operation}}\n`;

// Found by comparing random builds with the real program; the texts are its own.
describe('as kustomize does, a build', () => {
  it('keeps a null that a merge says nothing of, however often it merges', () => {
    const twice = merge('x: 1') + merge('y: 2').replace('patches:\n', '');
    expect(built(twice, 'spec: {a: ~}\n')).toContain('spec:\n  a: null\n');
    expect(built(merge('spec: {a: {b: c}}'), 'spec: {a: ~}\n')).toContain('  a:\n    b: c\n');
    expect(built(merge('spec: {l: [{n: null, k: v}]}'), '')).toContain('  - k: v\n');
  });

  it('takes labels of patchesStrategicMerge for strings', () => {
    const patch =
      'patchesStrategicMerge:\n- |-\n  {apiVersion: v1, kind: Thing, metadata: {name: t, labels: {a: ~}}}\n';
    expect(built(patch, '')).toContain('  labels:\n    a: "~"\n');
  });

  it('writes numbers of patched objects as floats where their text counts', () => {
    const patch = json('op: add, path: /metadata/annotations, value: {num: 1234567}');
    expect(built(patch, 'spec: {n: 1234567}\n')).toContain('num: "1.234567e+06"\n');
    expect(built(patch, 'spec: {n: 1234567}\n')).toContain('spec:\n  "n": 1234567\n');
  });

  it.each([
    [
      'op: add, path: "", value: {}',
      'add operation does not apply: doc is missing path: "": missing value',
    ],
    [
      'op: move, from: /a, path: /b',
      "error in move for path: 'a': Unable to remove nonexistent key: a: missing value",
    ],
    [
      'op: copy, from: /l/7, path: /b',
      "error in copy for from: '/l/7': Unable to access invalid index: 7",
    ],
    ['op: test, path: /x, value: 1', 'testing value /x failed: test failed'],
    ['op: remove, path: /kind', 'missing kind in object'],
    ['op: replace, path: "", value: []', 'json: cannot unmarshal array'],
  ])('refuses {%s}', (operation, message) => {
    expect(built(json(operation), 'l: [1]\n')).toContain(message);
  });

  it('loses what JSON allows in a string and YAML does not', () => {
    expect(built('', 'spec: {a: "x\\x7f"}\n')).toContain('control characters are not allowed');
    expect(built('', 'spec: {a: "x\\Ny"}\n')).toContain('  a: x y\n');
  });

  it('reads a time inside of brackets as text', () => {
    expect(built('', 'spec: {a: 2001-12-14t21:59:43.10-05:00}\n')).toContain(
      '"2001-12-14t21:59:43.10-05:00"',
    );
    expect(built('', 'spec:\n  a: 2001-12-14t21:59:43.10-05:00\n')).toContain(
      '"2001-12-14T21:59:43.1-05:00"',
    );
  });

  it('leaves out a general rule where a configuration has a particular one', () => {
    const result = buildSync(
      memoryFileSystem({
        'kustomization.yaml': 'resources: [all.yaml]\nnamePrefix: p-\nconfigurations: [c.yaml]\n',
        'c.yaml': 'namePrefix: [{path: metadata/name, kind: Thing}]\n',
        'all.yaml':
          'apiVersion: v1\nkind: Thing\nmetadata: {name: t}\n---\napiVersion: v1\nkind: Other\nmetadata: {name: o}\n',
      }),
      '/',
    );
    expect(result.resources.map(({ name }) => name).sort()).toEqual(['o', 'p-t']);
  });

  it('replaces with a given value, in targets named by expressions', () => {
    const replacement = (rest: string): string =>
      `replacements:\n- ${rest}\n  targets: [{select: {kind: Th.*}, fieldPaths: [spec.a]}]\n`;
    expect(built(replacement('sourceValue: new'), 'spec: {a: old}\n')).toContain('  a: new\n');
    expect(
      built(
        replacement('{source: {kind: Thing}, sourceValue: new,')
          .replace('\n  targets:', ' targets:')
          .replace(']}]\n', ']}]}\n'),
        'spec: {a: old}\n',
      ),
    ).toContain('mutually exclusive');
    expect(
      built(replacement('source: {kind: Thing, fieldPath: spec.e}'), 'spec: {a: old, e: ""}\n'),
    ).toContain('  a: ""\n');
  });

  it('replaces inside of text that is JSON or YAML itself', () => {
    const replacement =
      "replacements:\n- sourceValue: '2'\n  targets: [{select: {kind: Thing}, fieldPaths: [data.conf.a.b]}]\n";
    expect(built(replacement, 'data: {conf: \'{"a":{"b":1}}\'}\n')).toContain(
      '  conf: \'{"a":{"b":2}}\'\n',
    );
    expect(built(replacement, 'data:\n  conf: |\n    x: y\n    a:\n      b: 1\n')).toContain(
      '  conf: |-\n    x: y\n    a:\n      b: 2\n',
    );
    expect(built(replacement, 'data: {conf: mere text}\n')).toContain(
      'unable to find field "data.conf.a.b" in replacement target: wrong node kind',
    );
  });

  it('takes a namespace that is null for none', () => {
    const text = 'configMapGenerator: [{name: c, literals: [a=b]}]\n';
    const pod =
      '---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ~}\nspec: {volumes: [{configMap: {name: c}}]}\n';
    expect(built(text, pod)).toContain('- configMap:\n      name: c-4h2mbtbbt6\n');
    const patched = `${json('op: add, path: /metadata/namespace, value: null')}${merge('x: 1').replace('patches:\n', '')}`;
    expect(built(patched, '')).toBe('apiVersion: v1\nkind: Thing\nmetadata:\n  name: t\nx: 1\n');
  });

  it('refuses an empty key in what a merge looks at', () => {
    const message = 'wrong node kind: expected ScalarNode but got MappingNode';
    expect(built(merge('spec: {"": x}'), 'spec: {a: b}\n')).toContain(message);
    expect(built(merge('spec: {b: x}'), 'spec: {"": b}\n')).toContain(message);
    expect(built('', 'spec: {"": b}\n')).toContain('spec:\n  "": b\n');
  });

  it('refuses annotations that are a list', () => {
    const patch = json('op: add, path: /metadata/annotations, value: [a]');
    expect(built(patch, '')).toContain('expected MappingNode but got SequenceNode');
  });

  it('refuses a reference through what is no map, whether or not anything was renamed', () => {
    const rest = '---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: x\n';
    expect(built('', rest)).toContain("updating name reference in 'spec/volumes/");
  });

  it('forgets former names when a patch takes all annotations away', () => {
    const overlay = (patch: string): string => {
      const result = buildSync(
        memoryFileSystem({
          'base/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: x-\n',
          'base/a.yaml':
            'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{configMap: {name: c}}]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n',
          'kustomization.yaml': `resources: [base]\nnamePrefix: y-\n${patch}`,
        }),
        '/',
      );
      return /configMap:\n {6}name: (.*)/.exec(result.toYaml())?.[1] ?? '';
    };
    const merged = (annotations: string): string =>
      `patches:\n- target: {kind: ConfigMap}\n  patch: |-\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: c, annotations: ${annotations}}}\n`;
    expect(overlay('')).toBe('y-x-c');
    expect(overlay(merged('{a: b}'))).toBe('y-x-c');
    expect(overlay(merged('{$patch: replace, a: b}'))).toBe('c');
    expect(overlay(merged('{$patch: delete}'))).toBe('c');
    const operation = '- {op: replace, path: /metadata/annotations, value: {a: b}}';
    expect(overlay(`patches:\n- target: {kind: ConfigMap}\n  patch: |-\n    ${operation}\n`)).toBe(
      'y-x-c',
    );
    expect(
      overlay(
        `patchesJson6902:\n- target: {version: v1, kind: ConfigMap, name: c}\n  patch: |-\n    ${operation}\n`,
      ),
    ).toBe('y-x-c');
  });

  it('puts a Namespace first among its own kind only, where the order is given', () => {
    const order =
      'sortOptions: {order: legacy, legacySortOptions: {orderFirst: [], orderLast: []}}\n';
    const rest =
      '---\napiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n---\napiVersion: x/v1\nkind: Namespace\nmetadata: {name: n}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n';
    expect(built(order, rest).match(/^apiVersion: .*\nkind: .*/gm)).toEqual([
      'apiVersion: apps/v1\nkind: Deployment',
      'apiVersion: v1\nkind: Namespace',
      'apiVersion: x/v1\nkind: Namespace',
      'apiVersion: v1\nkind: Thing',
    ]);
  });

  it('leaves a namespace that is null in writing alone, where only unset ones are set', () => {
    const transformer =
      'transformers:\n- |-\n  apiVersion: builtin\n  kind: NamespaceTransformer\n  metadata: {name: t, namespace: n1}\n  unsetOnly: true\n';
    const rest = (namespace: string): string =>
      `---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ${namespace}}\n`;
    expect(built(transformer, rest('~'))).toContain('  name: p\n  namespace: null\n');
    expect(built(transformer, rest('""'))).toContain('  name: p\n  namespace: n1\n');
  });

  it('refuses two resources of one name when a merge takes all in anew', () => {
    const rename = json('op: replace, path: /metadata/name, value: same');
    const rest = '---\napiVersion: v1\nkind: Thing\nmetadata: {name: other}\n';
    const message =
      'may not add resource with an already registered id: Thing.v1.[noGrp]/same.[noNs]';
    expect(built(rename + merge('x: 1').replace('patches:\n', ''), rest)).toBe(message);
  });

  it('loses what has a key to items without one', () => {
    const build = (env: string, target: string): string =>
      built(
        `patches:\n- target: {kind: Pod}\n  patch: |-\n    {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, env: ${env}}]}}\n`,
        `---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c${target}}]}\n`,
      );
    const only = (text: string): string => `- env:\n${text}    name: c\n`;
    expect(build('[{$patch: replace}, {name: Z}]', '')).toContain(only('    - $patch: replace\n'));
    expect(build('[{x: a}, {name: Z}]', ', env: [{name: A}]')).toContain(only('    - name: Z\n'));
    expect(build('[{x: a}]', ', env: [{name: A}, {q: r}]')).toContain(only('    - q: r\n'));
    expect(build('[{name: B}]', ', env: [{name: A}]')).toContain(
      only('    - name: B\n    - name: A\n'),
    );
  });

  it('quotes a number that a replacement made, once a merge has seen it', () => {
    const replacement =
      'replacements:\n- source: {kind: Thing, fieldPath: spec.n}\n  targets: [{select: {kind: Thing}, fieldPaths: [spec.m], options: {create: true}}]\n';
    expect(built(replacement, 'spec: {n: 80}\n')).toContain('spec:\n  m: 80\n');
    const result = buildSync(
      memoryFileSystem({
        'base/kustomization.yaml': `resources: [a.yaml]\n${replacement}`,
        'base/a.yaml': 'apiVersion: v1\nkind: Thing\nmetadata: {name: t}\nspec: {n: 80}\n',
        'kustomization.yaml': `resources: [base]\n${merge('x: 1')}`,
      }),
      '/',
    );
    expect(result.toYaml()).toContain('spec:\n  m: "80"\n  "n": 80\n');
  });
});
