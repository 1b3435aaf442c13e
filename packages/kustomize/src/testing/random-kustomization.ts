import { Random } from './random.ts';
import { randomResources } from './random-resources.ts';

/** Files by path, of a kustomization that a seed decides; the directory to build is `top`. */
export function randomKustomization(seed: number): Record<string, string> {
  const random = new Random(seed);
  const files: Record<string, string> = {};
  const bases = random.chance(0.3) ? ['base', 'other'] : ['base'];
  for (const base of bases) addLayer(random, files, base, [], randomResources(random, base));
  const middle = random.chance(0.3) ? ['middle'] : [];
  if (middle.length > 0) {
    addLayer(
      random,
      files,
      'middle',
      bases.map((base) => `../${base}`),
      [],
    );
  }
  const below = middle.length > 0 ? ['../middle'] : bases.map((base) => `../${base}`);
  if (random.chance(0.3)) addLayer(random, files, 'part', [], [], true);
  const components = files['part/kustomization.yaml'] === undefined ? [] : ['../part'];
  addLayer(random, files, 'top', below, random.chance(0.3) ? randomResources(random, 'top') : []);
  if (components.length > 0) files['top/kustomization.yaml'] += 'components: [../part]\n';
  return files;
}

function addLayer(
  random: Random,
  files: Record<string, string>,
  directory: string,
  resources: readonly string[],
  documents: readonly string[],
  isComponent = false,
): void {
  const lines: string[] = [];
  if (isComponent) lines.push('apiVersion: kustomize.config.k8s.io/v1alpha1', 'kind: Component');
  const paths = [...resources];
  documents.forEach((document, index) => {
    const name = `r${Math.floor(index / 2)}.yaml`;
    const path = `${directory}/${name}`;
    files[path] = files[path] === undefined ? document : `${files[path]}---\n${document}`;
    if (!paths.includes(name)) paths.push(name);
  });
  if (paths.length > 0) lines.push('resources:', ...paths.map((path) => `- ${path}`));
  addFields(random, files, directory, lines);
  if (lines.length === 0 || (isComponent && lines.length === 2)) lines.push('namePrefix: q-');
  files[`${directory}/kustomization.yaml`] = `${lines.join('\n')}\n`;
}

function addFields(
  random: Random,
  files: Record<string, string>,
  directory: string,
  lines: string[],
): void {
  const fields: readonly (() => string[])[] = [
    () => [`namePrefix: ${random.pick(['a-', 'zz-', 'p1-'])}`],
    () => [`nameSuffix: ${random.pick(['-x', '-v2'])}`],
    () => [`namespace: ${random.pick(['shop', 'default', 'prod'])}`],
    () => [`commonLabels: {team: ${random.pick(['red', '"1"', 'blue'])}}`],
    () => [
      'labels:',
      `- pairs: {tier: ${random.pick(['web', '"true"'])}, "a.b/c": d}`,
      `  includeSelectors: ${random.chance(0.3)}`,
      `  includeTemplates: ${random.chance(0.5)}`,
    ],
    () => [`commonAnnotations: {note: ${random.pick(['plain', '"2"', "'quo: ted'"])}}`],
    () => [
      'images:',
      `- name: ${random.pick(['nginx', 'app', 'registry.io:5000/team/app'])}`,
      random.pick(['  newTag: "3"', '  newName: other', '  digest: sha256:abc']),
    ],
    () => settings(random, directory),
    () => generatorFromFile(random, files, directory),
    () => [
      'generatorOptions:',
      `  disableNameSuffixHash: ${random.chance(0.3)}`,
      `  labels: {gen: ${random.pick(['x', '"y"'])}}`,
    ],
    () => ['patches:', ...mergePatch(random), ...jsonPatch(random)],
    () => ['patches:', ...jsonPatch(random)],
    () => ['patches:', ...mergePatch(random)],
    () => (directory === 'other' ? ['namePrefix: o-'] : replacement(random)),
    () => external(random),
  ];
  const chosen = new Set<string>();
  if (directory === 'base') {
    lines.push(...settings(random, directory));
    chosen.add('configMapGenerator');
  }
  for (const make of random.some(fields, 5)) {
    const made = make();
    const name = made[0]!.split(':')[0]!;
    if (chosen.has(name)) continue;
    chosen.add(name);
    lines.push(...made);
  }
}

function settings(random: Random, directory: string): string[] {
  const behaviors: Readonly<Record<string, string>> = { base: 'create', other: 'create' };
  return [
    'configMapGenerator:',
    `- name: ${directory === 'other' ? 'other-settings' : 'settings'}`,
    `  behavior: ${behaviors[directory] ?? random.pick(['merge', 'replace'])}`,
    `  literals: [a=${random.pick(['b', '1', '"d"', 'x y', 'true', 'a:b:c'])}, n=2]`,
  ];
}

/** A transformer in a configuration of its own. */
function external(random: Random): string[] {
  const configs = [
    ['kind: PrefixTransformer', 'prefix: ext-', 'fieldSpecs: [{path: metadata/name}]'],
    [
      'kind: AnnotationsTransformer',
      'annotations: {ext: 5}',
      'fieldSpecs: [{path: metadata/annotations, create: true}]',
    ],
    [
      'kind: LabelTransformer',
      'labels: {ext: y}',
      'fieldSpecs: [{path: spec/selector, kind: Service}, {path: metadata/labels, create: true}]',
    ],
    [
      'kind: ReplicaCountTransformer',
      'replica: {name: web, count: 9}',
      'fieldSpecs: [{path: spec/replicas, create: true, kind: Deployment}]',
    ],
    ['kind: ImageTagTransformer', 'imageTag: {name: nginx, newTag: ext}'],
  ];
  return [
    'transformers:',
    '- |-',
    '  apiVersion: builtin',
    '  metadata: {name: x}',
    ...random.pick(configs).map((line) => `  ${line}`),
  ];
}

function generatorFromFile(
  random: Random,
  files: Record<string, string>,
  directory: string,
): string[] {
  files[`${directory}/data.txt`] = random.pick([
    'one line',
    'two\nlines\n',
    'tab\there\n',
    '',
    ' x\n\n',
  ]);
  files[`${directory}/vars.env`] = random.pick([
    'A=1\n# no\nB=x y\n',
    '\ufeffA=b\r\nC\n',
    '  D="q"\n',
  ]);
  return [
    'secretGenerator:',
    `- name: ${directory}-keys`,
    '  files: [data.txt, other=data.txt]',
    '  envs: [vars.env]',
    ...(random.chance(0.3) ? ['  type: kubernetes.io/tls'] : []),
  ];
}

const targets = [
  '{kind: Deployment}',
  '{kind: Service}',
  '{name: web}',
  '{name: w.*}',
  '{kind: StatefulSet|Deployment, labelSelector: app=web}',
  '{version: v1, kind: ConfigMap}',
];

function mergePatch(random: Random): string[] {
  const bodies = [
    '{apiVersion: v1, kind: Any, metadata: {name: any, annotations: {patched: "yes", n: null}}}',
    '{apiVersion: v1, kind: Any, metadata: {name: any, labels: {patched: y}}, spec: {extra: [1, 2], replicas: 7}}',
    '{apiVersion: v1, kind: Any, metadata: {name: any}, spec: {template: {spec: {containers: [{name: web, env: [{name: NEW, value: "1"}], ports: [{containerPort: 81}]}, {name: side, image: side:1}]}}}}',
    '{apiVersion: v1, kind: Any, metadata: {name: any}, spec: {template: {spec: {$patch: replace, containers: [{name: only}]}}}}',
    '{apiVersion: v1, kind: Any, metadata: {name: any}, spec: {ports: [{port: 80, name: changed}, {port: 9000, protocol: UDP}], selector: null}}',
    '{apiVersion: v1, kind: Any, metadata: {name: any}, spec: {template: {spec: {volumes: [{name: new, emptyDir: {}}], containers: [{name: web, $patch: delete}]}}}}',
    '{apiVersion: v1, kind: Any, metadata: {name: any}, data: {added: "x", key: null}}',
  ];
  return [`- target: ${random.pick(targets)}`, `  patch: '${random.pick(bodies)}'`];
}

function jsonPatch(random: Random): string[] {
  const operations = [
    '{op: add, path: /metadata/annotations/json, value: "1"}',
    '{op: add, path: /spec, value: {a: [1, 2.50, yes, "no", null]}}',
    '{op: replace, path: /metadata/name, value: renamed}',
    '{op: add, path: /metadata/labels, value: {x: y}}',
    '{op: add, path: /metadata/annotations, value: {only: this, n: 1}}',
    '{op: copy, from: /metadata/name, path: /metadata/generateName}',
  ];
  return [
    `- target: ${random.pick(targets)}`,
    '  patch: |-',
    ...random
      .some(operations, 2)
      .concat(random.pick(operations))
      .map((each) => `    - ${each}`),
  ];
}

function replacement(random: Random): string[] {
  return [
    'replacements:',
    `- source: {kind: ConfigMap, name: settings, fieldPath: ${random.pick(['data.a', 'metadata.name'])}}`,
    '  targets:',
    `  - select: ${random.pick(['{kind: Deployment}', '{kind: Service}'])}`,
    `    fieldPaths: [${random.pick(['metadata.annotations.copied', 'metadata.labels.copied', 'spec.template.spec.containers.*.image', '"spec.template.spec.containers.[name=web].image"'])}]`,
    `    options: {create: ${random.chance(0.6)}${random.chance(0.3) ? ", delimiter: ':', index: 1" : ''}}`,
  ];
}
