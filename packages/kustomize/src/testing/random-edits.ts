import { Random } from './random.ts';

/** A kustomization file and the commands that are given on it, one after the other. */
export interface EditScript {
  readonly text: string;
  readonly commands: readonly (readonly string[])[];
}

/** The files that lie beside the kustomization file of every script. */
export const editedFiles: Readonly<Record<string, string>> = {
  'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
  'b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n',
  'settings.env': 'color=blue\nsize=3\n',
  'base/kustomization.yaml': 'resources: [c.yaml]\n',
  'base/c.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n',
};

const fragments: readonly string[] = [
  'resources:\n- a.yaml\n# between\n- base\n',
  'resources: [base, ./b.yaml]\n',
  'bases:\n- base\n',
  'namePrefix: acme- # at the end\n',
  'namespace: "1234"\n',
  'commonLabels:\n  team: web\n  tier: "5"\n',
  'labels:\n- pairs: {a: b, on: "off"}\n- includeTemplates: true\n  pairs: {c: d}\n',
  'commonAnnotations: {note: "a: b", long: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"}\n',
  'images:\n- name: web\n  newTag: "1.10"\n- {name: db, newName: postgres, digest: "sha256:abc"}\n',
  'imageTags:\n- name: old\n  newTag: v1\n',
  'replicas:\n- name: web\n  count: 2\n',
  'patches:\n- path: a.yaml\n- target: {kind: A}\n  patch: |-\n    - op: remove\n      path: /a\n\n      # in the text\n',
  'patchesStrategicMerge:\n- |-\n  a: b\n- a.yaml\n',
  'patchesJson6902:\n- path: a.yaml\n  target: {version: v1, kind: ConfigMap, name: a}\n',
  'configMapGenerator:\n- name: settings\n  literals: [color=blue, size=3]\n- name: other\n  namespace: stage\n  env: settings.env\n',
  'secretGenerator:\n- name: token\n  type: Opaque\n  files: [a.yaml]\n  options: {disableNameSuffixHash: true}\n',
  'generatorOptions:\n  labels: {x: "true"}\n',
  'vars:\n- name: V\n  objref: {kind: ConfigMap, name: a, apiVersion: v1}\n',
  'transformers: [t.yaml]\n',
  'buildMetadata: [managedByLabel]\n',
  'helmCharts:\n- name: c\n  valuesInline: {b: 1.0, a: [1, null, "2"], n: 1e3}\n',
  'replacements:\n- source: {kind: A, fieldPath: x}\n  targets:\n  - select: {kind: B}\n    fieldPaths: [y]\n',
  'crds:\n- crd.json\n',
  'sortOptions: {order: legacy}\n',
  'kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n',
  'openapi:\n  path: schema.json\n',
];

const comments: readonly string[] = [
  '',
  '',
  '# words\n',
  '\n',
  '\n# one\n\n#two\n',
  '  # set in\n',
];

/** A file and commands that follow from the seed. */
export function randomEdits(seed: number): EditScript {
  const random = new Random(seed);
  const count = random.below(7);
  const chosen = new Map<string, string>();
  for (let index = 0; index < count; index += 1) {
    const fragment = random.pick(fragments);
    chosen.set(fragment.slice(0, fragment.indexOf(':')), fragment);
  }
  let text = '';
  for (const fragment of chosen.values()) text += random.pick(comments) + fragment;
  text += random.pick(['', '', '# the end\n', '# no end']);
  if (random.chance(0.05)) text = text.trimEnd();
  const commands = Array.from({ length: random.below(4) + 1 }, () => randomCommand(random));
  return { text, commands };
}

const paths = [
  'a.yaml',
  'b.yaml',
  '*.yaml',
  'base',
  './base/',
  'nope.yaml',
  '[ab].yaml',
  'base/*',
  '[',
  'kustomization.yaml',
  '?.yaml',
  'no*',
];
const pairs = [
  'team:web',
  'tier:5',
  'a:b',
  'c',
  ':x',
  'url:http://x/y',
  'q:"in quotes"',
  'on:off',
  'x.y/z:1',
  'a b:c',
  'c:yes',
];
const images = [
  'web:2',
  'web=*:3',
  'db=x/y',
  'db:*',
  'new=r:5000/a/b:1@sha256:12',
  'x',
  'r:5000/a',
  'old@sha256:9',
  '=b:1',
  'q=a:b@c',
  'web=',
  'z:',
  'a=b=c:1',
  'a@b@c',
];
const literals = ['color=red', 'size=4', 'new=value', 'quoted="a b"', 'bad', '=x', 'empty='];

function randomCommand(random: Random): string[] {
  const some = (values: readonly string[], most = 3): string[] => random.some(values, most);
  const name = random.pick(['settings', 'other', 'token', 'fresh']);
  const word = random.pick(['configmap', 'secret']);
  const namespace = random.chance(0.3)
    ? ['--namespace', random.pick(['stage', 'default', 'x'])]
    : [];
  const target = [
    ...(random.chance(0.4) ? ['--kind', random.pick(['A', 'B'])] : []),
    ...(random.chance(0.2) ? ['--name=x'] : []),
    ...(random.chance(0.2) ? ['--label-selector', 'a=b'] : []),
  ];
  const patch = random.pick([
    ['--path', random.pick(paths)],
    ['--patch', 'a: b'],
    [],
    ['--path', 'a.yaml'],
  ]);
  const options = random.pick([
    'originAnnotations',
    'managedByLabel',
    'originAnnotations,managedByLabel',
    'x',
    '',
  ]);
  const force = random.chance(0.3) ? ['-f'] : [];
  const ignore = random.chance(0.3) ? ['-i'] : [];
  const noun = random.pick(['resource', 'component', 'generator', 'transformer']);
  const metadata = random.pick(['label', 'annotation']);
  return random.pick([
    () => ['fix', ...(random.chance(0.4) ? ['--vars'] : [])],
    () => ['set', 'image', ...some(images)],
    () => [
      'set',
      random.pick(['namespace', 'nameprefix', 'namesuffix']),
      ...some(['x', '', '12', 'on', 'a-'], 2),
    ],
    () => ['set', metadata, ...some(pairs)],
    () => ['add', metadata, ...some(pairs), ...force],
    () => [
      'add',
      'label',
      ...some(pairs),
      ...force,
      '--without-selector',
      ...(random.chance(0.5) ? ['--include-templates'] : []),
    ],
    () => [
      'remove',
      metadata,
      random.pick(['team', 'a,tier', 'note', 'x,y', 'a b', '']),
      ...ignore,
    ],
    () => [
      'set',
      'replicas',
      ...some(['web=3', 'new=0', 'x', 'a=-1', 'b=+2', 'c=1e3', '=4', 'd=007']),
    ],
    () => [random.pick(['set', 'add', 'remove']), 'buildmetadata', options],
    () => ['add', noun, ...some(paths)],
    () => ['add', 'resource', '--no-verify', ...some(paths)],
    () => ['remove', random.pick(['resource', 'transformer']), ...some([...paths, 't.yaml', '*'])],
    () => ['add', 'base', ...some(['base', 'base,a.yaml', 'nope', ''], 2)],
    () => ['add', 'patch', ...patch, ...target],
    () => ['remove', 'patch', ...patch, ...target],
    () => [
      'set',
      word,
      name,
      ...namespace,
      ...some(literals, 2).map((each) => `--from-literal=${each}`),
    ],
    () => ['set', word, name, ...namespace, '--new-namespace', random.pick(['y', 'stage'])],
    () => [
      'add',
      word,
      name,
      ...namespace,
      ...some(literals, 2).map((each) => `--from-literal=${each}`),
    ],
    () => [
      'add',
      word,
      name,
      ...namespace,
      '--from-file',
      random.pick([...paths, 'k=a.yaml', 'k=*.yaml', '=b.yaml', 'a.yaml,b.yaml', 'a"b']),
    ],
    () => ['add', word, name, '--from-env-file', random.pick(['settings.env', 'nope'])],
    () => [
      'add',
      'configmap',
      name,
      '--from-literal=z=1',
      '--behavior',
      random.pick(['merge', 'replace', 'odd']),
    ],
    () => [
      'add',
      'secret',
      name,
      '--from-literal=z=1',
      '--type',
      'kubernetes.io/tls',
      '--disableNameSuffixHash',
    ],
    () => ['remove', word, random.pick([name, `${name},gone`, 'gone', '']), ...namespace],
    () => ['set', 'image', random.pick(['--nope', '-x', '--', '--stack-trace']), 'web:1'],
    () => [
      'add',
      'label',
      random.pick(['--force=maybe', '--force=0', '-fq', '--without-selector=T']),
      'n:m',
    ],
  ])();
}
