import { describe, expect, test } from 'vitest';
import { buildSync } from './build.ts';
import { memoryFileSystem } from './file-system/memory.ts';

type Files = Record<string, string>;

function built(files: Files): string {
  const result = buildSync(memoryFileSystem(files), '/');
  const errors = result.problems.filter(({ severity }) => severity === 'error');
  return errors.map(({ message }) => message).join('\n') || result.toYaml();
}

const map = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`;

describe('replacements', () => {
  const source = map('src', 'data: {host: "a.b.c", port: "80"}\n');
  const target = map(
    'dst',
    'data: {url: "x-y-z", list: "1", whole: old}\nextra: {k: 5, l: [a, b]}\n',
  );
  const run = (replacement: string) =>
    built({
      'kustomization.yaml': `resources: [src.yaml, dst.yaml]\nreplacements:\n- ${replacement}\n`,
      'src.yaml': source,
      'dst.yaml': target,
    });
  const select = 'select: {kind: ConfigMap, name: dst}';
  const from = 'source: {kind: ConfigMap, name: src, fieldPath: data.host}';
  const to = (rest: string) => `{${from}, targets: [{${select}, ${rest}}]}`;

  test.each([
    ['a whole field', to('fieldPaths: [data.whole]'), 'whole: a.b.c'],
    ['several', to('fieldPaths: [data.whole, data.list]'), 'list: a.b.c'],
    ['a number stays one', to('fieldPaths: [extra.k]'), 'cannot decode !!str `a.b.c` as a !!int'],
    ['all items', to('fieldPaths: [extra.l.*]'), 'l:\n  - a.b.c\n  - a.b.c'],
    ['a new field', to('fieldPaths: [data.new], options: {create: true}'), 'new: a.b.c'],
    ['the name, when no field is said', `{${from}, targets: [{${select}}]}`, 'name: a.b.c'],
    [
      'a part at the front',
      to('fieldPaths: [data.url], options: {delimiter: "-"}'),
      'url: a.b.c-y-z',
    ],
    [
      'a part within',
      to('fieldPaths: [data.url], options: {delimiter: "-", index: 1}'),
      'url: x-a.b.c-z',
    ],
    [
      'a part before all',
      to('fieldPaths: [data.url], options: {delimiter: "-", index: -1}'),
      'url: a.b.c-x-y-z',
    ],
    [
      'a part behind all',
      to('fieldPaths: [data.url], options: {delimiter: "-", index: 3}'),
      'url: x-y-z-a.b.c',
    ],
    [
      'a part of the source',
      `{source: {name: src, fieldPath: data.host, options: {delimiter: ".", index: 1}}, targets: [{${select}, fieldPaths: [data.whole]}]}`,
      'whole: b\n',
    ],
    [
      'the first part of the source',
      `{source: {name: src, fieldPath: data.host, options: {delimiter: "."}}, targets: [{${select}, fieldPaths: [data.whole]}]}`,
      'whole: a\n',
    ],
    [
      'the name of the source',
      `{source: {name: src}, targets: [{${select}, fieldPaths: [data.whole]}]}`,
      'whole: src\n',
    ],
    [
      'a text',
      `{sourceValue: "v1", targets: [{${select}, fieldPaths: [data.whole]}]}`,
      'whole: v1',
    ],
    [
      'an expression selects',
      `{${from}, targets: [{select: {name: "d.t"}, fieldPaths: [data.whole]}]}`,
      'whole: a.b.c',
    ],
    [
      'an expression that matches a part selects nothing',
      `{${from}, targets: [{select: {name: "ds"}, fieldPaths: [data.whole]}]}`,
      'whole: old',
    ],
    [
      'what is rejected by its name is left',
      to('reject: [{name: dst}], fieldPaths: [data.whole]'),
      'whole: old',
    ],
    [
      'a rejection that says nothing rejects nothing',
      to('reject: [{}], fieldPaths: [data.whole]'),
      'whole: a.b.c',
    ],
    [
      'labels select, too',
      `{${from}, targets: [{select: {labelSelector: "app=x"}, fieldPaths: [data.whole]}]}`,
      'whole: old',
    ],
  ])('%s', (_name, replacement, wanted) => {
    expect(run(replacement)).toContain(wanted);
  });

  test.each([
    ['{targets: [{select: {name: dst}}]}', 'must specify a source and at least one target'],
    ['{source: {name: src}}', 'must specify a source and at least one target'],
    [
      '{source: {name: src}, sourceValue: x, targets: [{select: {name: dst}}]}',
      'value and resource selectors are mutually exclusive',
    ],
    [
      '{source: {name: absent}, targets: []}',
      'nothing selected by [noKind].[noVer].[noGrp]/absent.[noNs]',
    ],
    [
      '{source: {kind: ConfigMap, fieldPath: data.x, options: {delimiter: ".", index: 2, create: true}}, targets: []}',
      'multiple matches for selector ConfigMap.[noVer].[noGrp]/[noName].[noNs]:data.x:delimiter=".", index=2, create=true',
    ],
    ['{source: {name: src, fieldPath: data.no}, targets: []}', 'fieldPath `data.no` is missing'],
    [
      '{source: {name: src, fieldPath: data, options: {delimiter: "."}}, targets: []}',
      'delimiter option can only be used with scalar nodes',
    ],
    [
      '{source: {name: src, fieldPath: data.host, options: {delimiter: ".", index: 3}}, targets: []}',
      'options.index 3 is out of bounds for value a.b.c',
    ],
    [
      '{source: {name: src, fieldPath: data.host, options: {delimiter: ".", index: -1}}, targets: []}',
      'options.index -1 is out of bounds for value a.b.c',
    ],
    [
      '{source: {name: src}, targets: [{fieldPaths: [data.whole]}]}',
      'target must specify resources to select',
    ],
    [
      '{source: {name: src}, targets: [{select: {name: dst}, fieldPaths: [data.no]}]}',
      'unable to find field "data.no" in replacement target',
    ],
    [
      '{source: {name: src}, targets: [{select: {name: dst}, fieldPaths: [extra.l.9], options: {create: true}}]}',
      'unable to find or create field "extra.l.9" in replacement target',
    ],
    [
      '{source: {name: src}, targets: [{select: {name: dst}, fieldPaths: [extra], options: {delimiter: "-"}}]}',
      'delimiter option can only be used with scalar nodes',
    ],
  ])('%s is refused', (replacement, message) => {
    expect(run(replacement)).toContain(message);
  });
});

describe('names that follow what they refer to', () => {
  const account = (name: string, namespace: string) =>
    `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ${name}, namespace: ${namespace}}\n`;
  const binding = (subject: string, roleKind = 'Role') => `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: rb, namespace: one}
subjects: [${subject}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ${roleKind}, name: r}
`;
  const role = (kind: string) =>
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata: {name: r${kind === 'Role' ? ', namespace: one' : ''}}\n`;
  const run = (resources: string, more = 'namePrefix: p-\n') =>
    built({ 'kustomization.yaml': `resources: [all.yaml]\n${more}`, 'all.yaml': resources });

  test.each([
    [
      'an account of its namespace',
      '{kind: ServiceAccount, name: sa, namespace: one}',
      'name: p-sa\n  namespace: one',
    ],
    [
      'an account of another',
      '{kind: ServiceAccount, name: sa, namespace: two}',
      'name: p-sa\n  namespace: two',
    ],
    [
      'nobody',
      '{kind: ServiceAccount, name: absent, namespace: one}',
      'name: absent\n  namespace: one',
    ],
    [
      'somebody elsewhere',
      '{kind: ServiceAccount, name: sa, namespace: three}',
      'name: sa\n  namespace: three',
    ],
  ])('a binding names %s', (_name, subject, wanted) => {
    const all = [account('sa', 'one'), account('sa', 'two'), binding(subject), role('Role')];
    const text = run(all.join('---\n'));
    expect(text).toContain(`- kind: ServiceAccount\n  ${wanted}`);
    expect(text).toContain('kind: Role\n  name: p-r');
  });

  test('a role is of the kind that its reference says', () => {
    for (const kind of ['Role', 'ClusterRole']) {
      const text = run([role(kind), binding('', kind)].join('---\n'));
      expect(text).toContain(`kind: ${kind}\n  name: p-r`);
    }
    const other = run([role('ClusterRole'), binding('', 'Role')].join('---\n'));
    expect(other).toContain('kind: Role\n  name: r');
  });

  test('an account whose namespace is blank is refused', () => {
    const text = run(binding('{kind: ServiceAccount, name: sa, namespace: }'));
    expect(text).toContain('namespace is blank for resource');
  });

  test('namespaces move with the accounts', () => {
    const all = [
      account('default', 'one').replace(', namespace: one', ''),
      binding('{kind: ServiceAccount, name: default, namespace: one}').replace(
        ', namespace: one}',
        '}',
      ),
    ];
    expect(run(all.join('---\n'), 'namespace: new\n')).toContain(
      'kind: ServiceAccount\n  name: default\n  namespace: new',
    );
  });
});

describe('kinds of an OpenAPI document', () => {
  const custom =
    'apiVersion: x.example/v1\nkind: Thing\nmetadata: {name: t}\nspec:\n  parts: [{id: a, v: 1}, {id: b, v: 2}]\n';
  const patch =
    'apiVersion: x.example/v1\nkind: Thing\nmetadata: {name: t}\nspec:\n  parts: [{id: b, w: 3}]\n';
  const document = (part: object, more: object = {}) =>
    JSON.stringify({
      definitions: {
        Thing: {
          properties: { spec: { $ref: '#/definitions/Spec' } },
          'x-kubernetes-group-version-kind': [{ group: 'x.example', version: 'v1', kind: 'Thing' }],
        },
        Spec: { properties: { parts: { items: { type: 'object' }, ...part } } },
      },
      ...more,
    });
  const run = (openApi: string, more = '') =>
    built({
      'kustomization.yaml': `resources: [t.yaml]\npatches: [{path: p.yaml}]\nopenapi: {path: o.json}\n${more}`,
      't.yaml': custom,
      'p.yaml': patch,
      'o.json': openApi,
    });
  const merged = '- id: b\n    v: 2\n    w: 3\n  - id: a\n    v: 1\n';
  const replaced = 'parts:\n  - id: b\n    w: 3\n';

  test.each<[string, object, string]>([
    [
      'by one key',
      { 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': 'id' },
      merged,
    ],
    [
      'by a strategy among others',
      { 'x-kubernetes-patch-strategy': 'replace,merge', 'x-kubernetes-patch-merge-key': 'id' },
      merged,
    ],
    [
      'by a list of keys',
      { 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-list-map-keys': ['id'] },
      merged,
    ],
    ['not at all', {}, replaced],
    ['not without a strategy', { 'x-kubernetes-patch-merge-key': 'id' }, replaced],
    [
      'not by another strategy',
      { 'x-kubernetes-patch-strategy': 'replace', 'x-kubernetes-patch-merge-key': 'id' },
      replaced,
    ],
  ])('lists merge %s', (_name, part, wanted) => {
    expect(run(document(part))).toContain(wanted);
  });

  test('a document without definitions knows no kinds', () => {
    expect(run('{}')).toContain(replaced);
  });

  test('paths say which kinds have no namespace', () => {
    const kind = { group: 'x.example', version: 'v1', kind: 'Thing' };
    const get = { 'x-kubernetes-group-version-kind': kind };
    const at = (...paths: string[]) =>
      document({}, { paths: Object.fromEntries(paths.map((path) => [path, { get }])) });
    const below = '/apis/x.example/v1/namespaces/{namespace}/things';
    const above = '/apis/x.example/v1/things';
    expect(run(at(below), 'namespace: ns\n')).toContain('namespace: ns');
    expect(run(at(above), 'namespace: ns\n')).not.toContain('namespace: ns');
    expect(run(at(above, below), 'namespace: ns\n')).toContain('namespace: ns');
    expect(run(at(below, above), 'namespace: ns\n')).toContain('namespace: ns');
    expect(run(document({}, { paths: { [above]: { get: {} } } }), 'namespace: ns\n')).toContain(
      'namespace: ns',
    );
  });

  test('a version must be built in, and is not named beside a document', () => {
    const version = (field: string) =>
      built({
        'kustomization.yaml': `resources: [t.yaml]\nopenapi: {${field}}\n`,
        't.yaml': custom,
        'o.json': '{}',
      });
    expect(version('version: v1.21.2')).toContain('kind: Thing');
    expect(version('version: "1.21.2"')).toContain('kind: Thing');
    expect(version('version: ""')).toContain('kind: Thing');
    expect(version('version: v9')).toContain('the specified OpenAPI version is not built in');
    expect(version('version: v1.21.2, path: o.json')).toContain('cannot use both');
  });
});

describe('fields of custom kinds', () => {
  const document = JSON.stringify({
    'x.Thing': {
      Schema: {
        properties: {
          apiVersion: {},
          kind: {},
          metadata: {},
          spec: { $ref: 'x.Spec' },
          own: { 'x-kubernetes-identity': '' },
        },
      },
    },
    'x.Spec': {
      schema: {
        properties: {
          labels: { 'x-kubernetes-label-selector': '' },
          notes: { 'x-kubernetes-annotation': '' },
          again: { $ref: 'x.Spec' },
          ref: {
            'x-kubernetes-object-ref-api-version': 'v1',
            'x-kubernetes-object-ref-kind': 'ConfigMap',
          },
          key: {
            'x-kubernetes-object-ref-api-version': 'v1',
            'x-kubernetes-object-ref-kind': 'ConfigMap',
            'x-kubernetes-object-ref-name-key': 'map',
          },
          half: { 'x-kubernetes-object-ref-kind': 'ConfigMap' },
        },
      },
    },
    'x.NoKind': { Schema: { properties: { kind: {}, own: { 'x-kubernetes-identity': '' } } } },
    'x.Text': 'none',
  });
  const thing = `apiVersion: x/v1
kind: Thing
metadata: {name: t}
own: me
spec: {labels: {}, notes: {}, ref: {name: cm}, key: {map: cm, name: cm}, half: {name: cm}}
`;
  const run = (crd: string) =>
    built({
      'kustomization.yaml':
        'resources: [t.yaml, m.yaml]\ncrds: [c.json]\nnamePrefix: p-\ncommonLabels: {l: x}\ncommonAnnotations: {why: so}\n',
      't.yaml': thing,
      'm.yaml': map('cm'),
      'c.json': crd,
    });

  test('hold names, labels, annotations and references', () => {
    expect(run(document)).toContain(`spec:
  half:
    name: cm
  key:
    map: p-cm
    name: cm
  labels:
    l: x
  notes:
    why: so
  ref:
    name: p-cm
`);
    expect(run(document)).toContain('own: p-me');
  });

  test('what is no document is refused', () => {
    for (const text of ['[]', 'x', ''])
      expect(run(text)).toContain("unable to parse open API definition from 'c.json'");
  });
});
