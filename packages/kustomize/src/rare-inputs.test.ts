import { describe, expect, it } from 'vitest';
import { buildSync } from './build.ts';
import { memoryFileSystem } from './file-system/memory.ts';

/** What a kustomization of these files prints, or what is wrong with it. */
function built(kustomization: string, files: Readonly<Record<string, string>> = {}): string {
  const all = { 'kustomization.yaml': kustomization, ...files };
  const result = buildSync(memoryFileSystem(all), '/');
  const wrong = result.problems.map(({ message }) => message);
  const errors = wrong.filter((message) => !message.startsWith('# Warning'));
  return errors.length === 0 ? result.toYaml() : errors.join('\n');
}

const configMap = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n${more}  name: ${name}\n`;

describe('an image', () => {
  const pod = (image: string) =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - image: ${image}\n    name: c\n`;
  it.each([
    ['nginx', '{name: nginx, newTag: "2"}', 'nginx:2'],
    ['nginx:1', '{name: nginx, newTag: "2"}', 'nginx:2'],
    ['nginx:1', '{name: nginx, newName: other}', 'other:1'],
    ['nginx:1', '{name: nginx, digest: "sha256:ab"}', 'nginx@sha256:ab'],
    ['nginx@sha256:cd', '{name: nginx, digest: "sha256:ab"}', 'nginx@sha256:ab'],
    ['nginx@sha256:cd', '{name: nginx, newTag: "2"}', 'nginx:2'],
    ['nginx@sha256:cd', '{name: nginx, newName: other}', 'other@sha256:cd'],
    ['nginx:1@sha256:cd', '{name: nginx, newName: other}', 'other:1@sha256:cd'],
    ['nginx:1@sha256:cd', '{name: nginx, newTag: "2"}', 'nginx:2'],
    ['nginx:1', '{name: nginx, newTag: "2", digest: "sha256:ab"}', 'nginx:2@sha256:ab'],
    // It comes twice, as in kustomize, which goes over containers in two ways (its issue 4814).
    ['nginx:1', '{name: nginx, tagSuffix: -x}', 'nginx:1-x-x'],
    ['nginx:1@sha256:cd', '{name: nginx, tagSuffix: -x}', 'nginx:1-x-x'],
    ['nginx:1', '{name: nginx, newTag: "2", tagSuffix: -x}', 'nginx:2'],
    ['host:5000/a', '{name: "host:5000/a", newTag: "2"}', 'host:5000/a:2'],
    ['host:5000/a:1', '{name: "host:5000/a", newTag: "2"}', 'host:5000/a:2'],
    ['nginx2:1', '{name: nginx, newTag: "2"}', 'nginx2:1'],
  ])('%s with %s is %s', (image, change, wanted) => {
    const text = built(`resources: [p.yaml]\nimages: [${change}]\n`, { 'p.yaml': pod(image) });
    expect(text).toBe(pod(wanted));
  });
});

describe('replacements of a file', () => {
  const one =
    'source: {kind: ConfigMap, name: a, fieldPath: metadata.name}\ntargets: [{select: {name: b}, fieldPaths: [data.x], options: {create: true}}]\n';
  const files = { 'r.yaml': configMap('a'), 'b.yaml': configMap('b') };
  const from = (replacements: string, more: Readonly<Record<string, string>>) =>
    built(`resources: [r.yaml, b.yaml]\nreplacements: ${replacements}\n`, { ...files, ...more });
  const wanted = `${configMap('a')}---\napiVersion: v1\ndata:\n  x: a\nkind: ConfigMap\nmetadata:\n  name: b\n`;

  it.each([
    ['one', one],
    ['a list', `- ${one.trimEnd().replaceAll('\n', '\n  ')}\n`],
  ])('are %s', (_, text) => {
    expect(from('[{path: x.yaml}]', { 'x.yaml': text })).toBe(wanted);
  });

  it.each([
    ['nothing', '', 'unsupported replacement type encountered within replacement path: invalid'],
    ['a text', 'abc\n', 'unsupported replacement type encountered within replacement path: string'],
  ])('are not %s', (_, text, problem) => {
    expect(from('[{path: x.yaml}]', { 'x.yaml': text })).toContain(problem);
  });

  it('stand alone', () => {
    expect(from('[{path: x.yaml, source: {kind: Pod}}]', { 'x.yaml': one })).toContain(
      'cannot specify both path and inline replacement',
    );
  });
});

describe('an account of a cloud', () => {
  const policy = (cloud: string, service: string) =>
    `apiVersion: builtin\nkind: IAMPolicyGenerator\nmetadata: {name: x}\ncloud: ${cloud}\nkubernetesService: ${service}\nserviceAccount: {name: sa, projectId: p}\n`;
  const of = (text: string) => built('generators: [g.yaml]\n', { 'g.yaml': text });
  it.each([
    ['{name: k}', ''],
    ['{name: k, namespace: shop}', '  namespace: shop\n'],
  ])('of %s', (service, namespace) => {
    expect(of(policy('gke', service))).toBe(
      `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:\n    iam.gke.io/gcp-service-account: sa@p.iam.gserviceaccount.com\n  name: k\n${namespace}`,
    );
  });

  it('is of one that is known', () => {
    expect(of(policy('other', '{name: k}'))).toContain('cloud provider other not supported yet');
  });
});

describe('a resource file', () => {
  const of = (text: string) => built('resources: [r.yaml]\n', { 'r.yaml': text });
  const [a, b] = [configMap('a'), configMap('b')];
  it.each([
    ['two documents', `${a}---\n${b}`, `${a}---\n${b}`],
    ['a remark behind the line between', `${a}--- # more\n${b}`, `${a}---\n${b}`],
    ['documents of nothing', `---\n---\n{}\n---\n${a}---\n# none\n`, a],
    [
      'a list',
      `apiVersion: v1\nkind: List\nitems:\n- ${a.trimEnd().replaceAll('\n', '\n  ')}\n- {}\n`,
      a,
    ],
    ['a list without items', `apiVersion: v1\nkind: List\nitems: null\n---\n${a}`, a],
    [
      'what only sounds like a list',
      'apiVersion: example.com/v1\nkind: AllowList\nmetadata:\n  name: a\n',
      'apiVersion: example.com/v1\nkind: AllowList\nmetadata:\n  name: a\n',
    ],
  ])('of %s', (_, text, wanted) => {
    expect(of(text)).toBe(wanted);
  });

  it.each([
    ['a line between with more', `${a}--- more\n${b}`, 'invalid document separator: --- more'],
    [
      'a list of a number',
      'kind: FooList\nitems: 5\n',
      'expected array in FooList/items, but found int',
    ],
    ['a list of a fraction', 'kind: FooList\nitems: 0.5\n', 'but found float64'],
    ['a list of yes', 'kind: FooList\nitems: true\n', 'but found bool'],
    ['a list of a text', 'kind: FooList\nitems: x\n', 'but found string'],
    ['a list of a map', 'kind: FooList\nitems: {a: b}\n', 'but found map[string]interface {}'],
    [
      'what has no name',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {b: c, a: d}}\n',
      'missing metadata.name in object {{v1 ConfigMap} {{ } map[a:d b:c] map[]}}',
    ],
    [
      'names without kinds',
      configMap('a', '  annotations: {internal.config.kubernetes.io/previousNames: b}\n'),
      'number of previous names, number of previous namespaces, number of previous kinds not equal',
    ],
  ])('of %s is refused', (_, text, problem) => {
    expect(of(text)).toContain(problem);
  });
});

describe('a name that may be of several', () => {
  const user = (name: string) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: user}\nspec: {volumes: [{name: v, configMap: {name: ${name}}}]}\n`;
  const layers = (top: string, more: Readonly<Record<string, string>> = {}) =>
    built(top, {
      'a/kustomization.yaml': 'resources: [r.yaml]\nnamePrefix: a-\n',
      'a/r.yaml': configMap('shared'),
      'b/kustomization.yaml': 'resources: [r.yaml]\nnamePrefix: b-\n',
      'b/r.yaml': configMap('shared'),
      ...more,
    });
  const volumeOf = (text: string) => /configMap:\n\s+name: (\S+)/.exec(text)?.[1];

  it('is of the one that came by the same way', () => {
    const text = layers('resources: [a, b]\nnamePrefix: top-\n', {
      'b/kustomization.yaml': 'resources: [r.yaml, user.yaml]\nnamePrefix: b-\n',
      'b/user.yaml': user('shared'),
    });
    expect(volumeOf(text)).toBe('top-b-shared');
  });

  /** A base whose only object is given another name, without a trace but that. */
  const renaming = (kind: string, to: string) =>
    `resources: [r.yaml]\npatches:\n- target: {kind: ${kind}}\n  options: {allowNameChange: true}\n  patch: '[{"op": "replace", "path": "/metadata/name", "value": "${to}"}]'\n`;

  it('is refused with all that it may be, from beside them', () => {
    const text = layers('resources: [a, b, user.yaml]\n', {
      'a/kustomization.yaml': renaming('ConfigMap', 'one'),
      'b/kustomization.yaml': renaming('ConfigMap', 'two'),
      'user.yaml': user('shared'),
    });
    expect(text).toContain(
      'found multiple possible referrals: ConfigMap.v1.[noGrp]/one.[noNs], ConfigMap.v1.[noGrp]/two.[noNs]',
    );
    expect(text).toContain('**** Too many possible referral targets to referrer:\napiVersion: v1');
    expect(text).toContain(`--- possible referral 1:\n${configMap('two')}`);
  });

  it('is of none of those that came by ways of their own', () => {
    const text = layers('resources: [a, b, user.yaml]\n', { 'user.yaml': user('shared') });
    expect(volumeOf(text)).toBe('shared');
  });

  it('shows no Secret', () => {
    const secret =
      'apiVersion: v1\nkind: Secret\nmetadata: {name: shared}\nstringData: {password: hidden}\n';
    const text = layers('resources: [a, b, user.yaml]\n', {
      'a/kustomization.yaml': renaming('Secret', 'one'),
      'a/r.yaml': secret,
      'b/kustomization.yaml': renaming('Secret', 'two'),
      'b/r.yaml': secret,
      'user.yaml':
        'apiVersion: v1\nkind: Pod\nmetadata: {name: user}\nspec: {volumes: [{name: v, secret: {secretName: shared}}]}\n',
    });
    expect(text).toContain('--- possible referral 0:\nSecret.v1.[noGrp]/one.[noNs] ***');
    expect(text).not.toContain('hidden');
  });
});

describe('old spellings of patches', () => {
  const of = (patches: string, more: Readonly<Record<string, string>> = {}) =>
    built(`resources: [r.yaml]\n${patches}\n`, { 'r.yaml': configMap('a'), ...more });
  const target = 'target: {version: v1, kind: ConfigMap, name: a}';
  const patched = `apiVersion: v1\ndata:\n  x: "1"\nkind: ConfigMap\nmetadata:\n  name: a\n`;
  const merge = `${configMap('a')}data: {x: "1"}\n`;
  it.each<[string, string, Record<string, string>]>([
    ['a merge in a file', 'patchesStrategicMerge: [p.yaml]', { 'p.yaml': merge }],
    ['a merge written out', `patchesStrategicMerge: [${JSON.stringify(merge)}]`, {}],
    [
      'operations in a file',
      `patchesJson6902: [{${target}, path: p.yaml}]`,
      { 'p.yaml': '- {op: add, path: /data, value: {x: "1"}}\n' },
    ],
    [
      'operations written out',
      `patchesJson6902: [{${target}, patch: '[{"op": "add", "path": "/data", "value": {"x": "1"}}]'}]`,
      {},
    ],
  ])('%s', (_, patches, more) => {
    expect(of(patches, more)).toBe(patched);
  });

  it.each<[string, string, Record<string, string>]>([
    ['empty file path and empty jsonOp', `patchesJson6902: [{${target}}]`, {}],
    [
      'must specify a file path or jsonOp, not both',
      `patchesJson6902: [{${target}, path: p.yaml, patch: '[]'}]`,
      { 'p.yaml': '[]' },
    ],
    [
      'must specify the target name',
      "patchesJson6902: [{target: {kind: ConfigMap}, patch: '[]'}]",
      {},
    ],
    [
      "patch file 'p.yaml' empty seems to be empty",
      `patchesJson6902: [{${target}, path: p.yaml}]`,
      { 'p.yaml': '' },
    ],
    [
      'patch appears to be empty; file=, JsonOp=[]',
      `patchesJson6902: [{${target}, patch: '[]'}]`,
      {},
    ],
    [
      'patch appears to be empty; files=[p.yaml], Patch=',
      'patchesStrategicMerge: [p.yaml]',
      { 'p.yaml': '# none\n' },
    ],
  ])('%s', (problem, patches, more) => {
    expect(of(patches, more)).toContain(problem);
  });
});
