import { describe, expect, it } from 'vitest';
import { build, buildSync } from './build.ts';
import { memoryFileSystem } from './file-system/memory.ts';

describe('explain', () => {
  const files = memoryFileSystem({
    'base/kustomization.yaml': 'resources: [web.yaml]\n',
    'base/web.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n',
    'top/kustomization.yaml':
      'resources: [../base]\nnamePrefix: p-\nimages: [{name: nginx, newTag: "2"}]\npatches: [{path: patch.yaml}]\nsecretGenerator: [{name: s, literals: [a=b]}]\n',
    'top/patch.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n',
  });
  const result = buildSync(files, '/top', { explain: true });

  function field(resource: string, path: string) {
    return result.explain(resource)?.find((each) => each.path === path);
  }

  it('follows fields to the line, the patch or the transformer that set them', () => {
    expect(result.problems).toEqual([]);
    expect(field('Deployment/p-web', 'kind')).toMatchObject({
      file: '/base/web.yaml',
      line: 2,
      by: 'resource',
    });
    expect(field('Deployment/p-web', 'spec.replicas')).toMatchObject({
      value: '3',
      file: '/top/patch.yaml',
      line: 5,
      by: 'PatchTransformer',
    });
    expect(field('p-web', 'metadata.name')).toMatchObject({
      by: 'PrefixTransformer',
      file: '/top/kustomization.yaml',
    });
    expect(field('p-web', 'spec.template.spec.containers[name=web].image')).toMatchObject({
      value: 'nginx:2',
      by: 'ImageTagTransformer',
    });
  });

  it('names what touched a resource, and hides what a Secret holds', () => {
    const web = result.resources.find((resource) => resource.kind === 'Deployment');
    expect(web?.origin.transformers).toEqual([
      'PatchTransformer',
      'PrefixTransformer',
      'ImageTagTransformer',
    ]);
    const secret = result.resources.find((resource) => resource.kind === 'Secret')!;
    expect(field(`Secret/${secret.name}`, 'data.a')?.value).toBe('***');
  });

  it('knows nothing of a resource that is not there', () => {
    expect(result.explain('Deployment/nope')).toBeUndefined();
  });
});

describe('explain, of patches and generators', () => {
  const files = memoryFileSystem({
    'base/kustomization.yaml':
      'resources: [list.yaml]\nconfigMapGenerator:\n- name: c\n  literals: [a=1, b=2]\n',
    'base/list.yaml':
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n    name: web\n  spec:\n    replicas: 1\n    paused: false\n    minReadySeconds: 1\n',
    'top/kustomization.yaml': `resources: [../base]
configMapGenerator:
- name: c
  behavior: merge
  literals: [b=3]
patches:
- path: ops.yaml
  target: {kind: Deployment}
- target: {kind: Deployment}
  patch: |-
    - op: replace
      path: /spec/paused
      value: true
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      minReadySeconds: 5
replicas: [{name: web, count: 4}]
`,
    'top/ops.yaml':
      '- op: test\n  path: /spec/replicas\n  value: 1\n- op: replace\n  path: /spec/replicas\n  value: 2\n',
  });
  const result = buildSync(files, '/top', { explain: true });
  const field = (resource: string, path: string) =>
    result.explain(resource)?.find((each) => each.path === path);
  const map = result.resources.find(({ kind }) => kind === 'ConfigMap')!.name;

  it('names the line of an item of a List', () => {
    expect(result.problems).toEqual([]);
    expect(field('web', 'kind')).toMatchObject({
      file: '/base/list.yaml',
      line: 5,
      by: 'resource',
    });
  });

  it('names the operation of a JSON patch, in its file and in place', () => {
    expect(field('web', 'spec.replicas')?.history).toMatchObject([
      { value: '1', file: '/base/list.yaml', line: 9, by: 'resource' },
      { value: '2', file: '/top/ops.yaml', line: 6, by: 'PatchTransformer' },
    ]);
    expect(field('web', 'spec.replicas')).toMatchObject({
      value: '4',
      by: 'ReplicaCountTransformer',
    });
    expect(field('web', 'spec.paused')).toMatchObject({
      value: 'true',
      file: '/top/kustomization.yaml',
      line: 13,
    });
  });

  it('names the line of a merge that is written in place', () => {
    expect(field('web', 'spec.minReadySeconds')).toMatchObject({
      value: '5',
      file: '/top/kustomization.yaml',
      line: 20,
      by: 'PatchTransformer',
    });
  });

  it('tells what was merged into a generated map from what it had', () => {
    expect(field(map, 'data.a')).toMatchObject({ value: '1', file: '/base/kustomization.yaml' });
    expect(field(map, 'data.b')).toMatchObject({
      value: '3',
      file: '/top/kustomization.yaml',
      history: [{ value: '2', file: '/base/kustomization.yaml' }],
    });
  });
});

describe('explain, of charts', () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: b\n';
  /** Line for line, as the text is printed; the second came of no template. */
  const placesOf = (printed: string) =>
    printed
      .split('\n')
      .map((line, index) =>
        line.startsWith('kind:') ? undefined : { file: 'mine/templates/c.yaml', line: 100 + index },
      );
  const explained = async (printed: string, hasPlaces: boolean) => {
    const files = memoryFileSystem({
      'kustomization.yaml': 'helmCharts: [{name: web}]\n',
      'charts/web/values.yaml': '',
    });
    const output = { text: printed, ...(hasPlaces && { places: placesOf(printed) }) };
    const result = await build(files, '/', { explain: true, helm: async () => output });
    expect(result.problems).toEqual([]);
    return result.explain('ConfigMap/c')?.map(({ path, file, line }) => `${path} ${file}:${line}`);
  };
  const template = '/charts/web/templates/c.yaml';

  it.each([
    ['all that is printed', text, 100, 2],
    ['what comes after a message', `Pulled: web\n---\n${text}`, 102, 3],
  ])('names templates, of %s', async (_what, printed, first, kindAt) => {
    expect(await explained(printed, true)).toEqual([
      `apiVersion ${template}:${first}`,
      `data.a ${template}:${first + 5}`,
      `kind helm chart web:${kindAt}`,
      `metadata.name ${template}:${first + 3}`,
    ]);
  });

  it('names the chart where the places are not known', async () => {
    expect(await explained(text, false)).toContain('data.a helm chart web:6');
  });
});
