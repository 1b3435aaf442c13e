import type { Random } from './random.ts';
import { mergeBodies, operations, patchTargets } from './random-estate-patches.ts';

/** Some of the items, none twice. */
export function distinct<T>(random: Random, items: readonly T[], count: number): T[] {
  const left = [...items];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(random.below(left.length), 1));
  }
  return taken;
}

type Maker = (random: Random, files: Record<string, string>, directory: string) => string;

/** A few fields of a kustomization, as text; `without` names those that must not be there. */
export function estateFields(
  random: Random,
  files: Record<string, string>,
  directory: string,
  without: readonly string[],
): string {
  const taken = new Set(without);
  let text = '';
  for (const make of distinct(random, makers, 2 + random.below(4))) {
    const made = make(random, files, directory);
    const names = [...made.matchAll(/^([a-zA-Z0-9]+):/gm)].map((match) => match[1]!);
    if (names.some((name) => taken.has(name))) continue;
    for (const name of names) taken.add(name);
    text += made;
  }
  return text === '' ? 'namePrefix: q-\n' : text;
}

const makers: readonly Maker[] = [
  (random) => `namePrefix: ${random.pick(['a-', 'dev-', 'x.'])}\n`,
  (random) => `nameSuffix: ${random.pick(['-v1', '-s'])}\n`,
  (random) => `namespace: ${random.pick(['shop', 'prod', 'default'])}\n`,
  (random) => `commonLabels: {${random.pick(['team: red', 'app: new', '"x.y/z": "1"'])}}\n`,
  (random) =>
    [
      `labels:\n- pairs: {${random.pick(['l: one', 'app: lab', 'l: "true", m: two'])}}\n`,
      random.chance(0.5) ? `  includeSelectors: ${random.chance(0.5)}\n` : '',
      random.chance(0.5) ? '  includeTemplates: true\n' : '',
      random.chance(0.3)
        ? '- pairs: {second: x}\n  fields: [{path: spec/extra/labels, create: true, kind: Thing}]\n'
        : '',
    ].join(''),
  (random) =>
    `commonAnnotations: {${random.pick(['ann: x', 'num: "1"', `long: "${'a b c d e f g h i j '.repeat(5)}z"`])}}\n`,
  (random) =>
    `images:\n- name: ${random.pick(['nginx', 'app', 'reg.io:5000/team/app', 'reg.io/app'])}\n  ${random.pick(['newTag: v9', 'newTag: "9"', 'newName: other/img', 'digest: sha256:ffff'])}\n${random.chance(0.3) ? '- {name: nginx, newName: ng}\n' : ''}`,
  (random) => `replicas:\n- {name: web, count: ${random.below(9)}}\n`,
  generators,
  patches,
  patches,
  (random) =>
    `replacements:\n${replacement(random)}${random.chance(0.3) ? replacement(random) : ''}`,
  (random, files, directory) => {
    files[`${directory}/repl.yaml`] = replacement(random).slice(2).replaceAll('\n  ', '\n');
    return 'replacements:\n- path: repl.yaml\n';
  },
  (random) =>
    `vars:\n- name: VAR\n  objref: {apiVersion: v1, ${random.pick(['kind: Service, name: web', 'kind: ConfigMap, name: conf'])}}\n`,
  (random) =>
    `patchesStrategicMerge:\n- |-\n  apiVersion: apps/v1\n  kind: Deployment\n  ${random.pick(mergeBodies).replaceAll('name: x', 'name: web').replaceAll('\n    ', '\n  ')}\n`,
  (random) =>
    `patchesJson6902:\n- target: {version: v1, kind: ConfigMap, name: conf}\n  patch: |-\n    - ${random.pick(operations)}\n`,
  (random, files, directory) => {
    files[`${directory}/config.yaml`] = random.pick([
      'nameReference:\n- kind: ConfigMap\n  fieldSpecs: [{path: spec/ref/name, kind: Thing}]\n',
      'images: [{path: spec/image, kind: Thing}]\nreplicas: [{path: spec/replicas, kind: Thing}]\n',
      'varReference: [{path: data, kind: ConfigMap}]\n',
      'commonLabels: [{path: spec/more, create: true, kind: Thing}]\n',
      'commonAnnotations: [{path: spec/ann, create: true, kind: Thing}]\n',
      'namespace: [{path: spec/ns, create: true, kind: Thing}]\n',
    ]);
    return 'configurations: [config.yaml]\n';
  },
  (random) =>
    `buildMetadata: [${random.pick(['originAnnotations', 'transformerAnnotations', 'managedByLabel', 'originAnnotations, transformerAnnotations'])}]\n`,
  (random) =>
    `sortOptions: {${random.pick(['order: fifo', 'order: legacy', 'order: legacy, legacySortOptions: {orderFirst: [Service, Thing], orderLast: [ConfigMap, Namespace]}'])}}\n`,
  (random) =>
    `transformers:\n- |-\n  apiVersion: builtin\n  metadata: {name: t, namespace: tns}\n  ${random.pick(
      [
        'kind: PrefixTransformer\n  prefix: tp-\n  fieldSpecs: [{path: metadata/name, kind: Deployment}]',
        'kind: LabelTransformer\n  labels: {tl: x}\n  fieldSpecs: [{path: metadata/labels, create: true}]',
        'kind: NamespaceTransformer\n  unsetOnly: true\n  fieldSpecs: [{path: metadata/namespace, create: true}]',
        'kind: ImageTagTransformer\n  imageTag: {name: nginx, newTag: tt}',
        'kind: AnnotationsTransformer\n  annotations: {ta: "1"}\n  fieldSpecs: [{path: metadata/annotations, create: true}]',
      ],
    )}\n`,
];

function patches(random: Random, files: Record<string, string>, directory: string): string {
  const entries = Array.from({ length: 1 + random.below(3) }, (_each, index) => {
    const target = `  target: {${random.pick(patchTargets)}}\n`;
    if (random.chance(0.5)) {
      const more = random.chance(0.4) ? `    - ${random.pick(operations)}\n` : '';
      return `- patch: |-\n    - ${random.pick(operations)}\n${more}${target}`;
    }
    const body = `apiVersion: v1\n    kind: Any\n    ${random.pick(mergeBodies)}`;
    const options = random.chance(0.1) ? '  options: {allowNameChange: true}\n' : '';
    if (random.chance(0.7)) return `- patch: |-\n    ${body}\n${target}${options}`;
    files[`${directory}/p${index}.yaml`] = `${body.replaceAll('\n    ', '\n')}\n`;
    return `- path: p${index}.yaml\n${target}${options}`;
  });
  return `patches:\n${entries.join('')}`;
}

const literals = [
  'a=b', 'c="d"', "e='f'", 'g=', 'h=a=b', '"i=x y"', 'j=1', 'l=true', 'n=é', '"o= x "', '"m=a: b"',
  'q="a', '"r=multi\\nline"', 's=null', 't=0x1', '"u={\\"j\\":1}"', 'host=example.com',
]; // biome-ignore format: a table

function generators(random: Random, files: Record<string, string>, directory: string): string {
  files[`${directory}/file.txt`] = random.pick([
    'one\n', 'two\nlines\n', '', 'no newline', 'tab\there\n', ' lead\n', 'trail \n', 'é\n',
    'a\r\nb\r\n', '\u0001bin', `${'x'.repeat(200)}\n`, 'key: value\n- a\n', '---\n# c\n',
  ]); // biome-ignore format: a table
  files[`${directory}/app.env`] = random.pick([
    'A=1\nB=two words\n# c\n\nC="q"\n', "D='s'\nE=a=b\n", '  F=1\n', 'G=\n', '\ufeffH=1\n',
    'I=1\r\nJ=2\r\n', 'K= sp \n',
  ]); // biome-ignore format: a table
  const options = ['disableNameSuffixHash: true', 'immutable: true', 'labels: {gl: "1"}'];
  const one = (name: string, behavior: string): string =>
    [
      `- name: ${name}\n${behavior}`,
      `  literals: [${distinct(random, literals, 1 + random.below(4)).join(', ')}]\n`,
      random.chance(0.3) ? `  files: [${random.pick(['file.txt', 'k=file.txt'])}]\n` : '',
      random.chance(0.3) ? '  envs: [app.env]\n' : '',
      random.chance(0.25) ? `  options: {${random.pick(options)}}\n` : '',
    ].join('');
  const behavior = directory === 'base' ? '' : `  behavior: ${random.pick(['merge', 'replace'])}\n`;
  const secret = random.chance(0.5) ? `secretGenerator:\n${one(`${directory}-sec`, '')}` : '';
  const general = random.chance(0.25) ? `generatorOptions: {${random.pick(options)}}\n` : '';
  return `configMapGenerator:\n${one('settings', behavior)}${secret}${general}`;
}

const sources = [
  '{kind: ConfigMap, name: conf, fieldPath: data.a}',
  '{kind: ConfigMap, name: conf}',
  '{kind: Service, name: web, fieldPath: spec.ports.0.port}',
  '{kind: Deployment, name: web, fieldPath: spec.template.spec.containers.0.image, options: {delimiter: ":"}}',
  '{kind: Deployment, name: web, fieldPath: metadata.name}',
  '{kind: Deployment, name: web, fieldPath: spec.selector.matchLabels}',
];

const fieldPaths = [
  'metadata.annotations.copied',
  'metadata.labels.app',
  'spec.template.spec.containers.*.image',
  '"spec.template.spec.containers.[name=web].image"',
  '"spec.template.spec.containers.[name=web].env.[name=A].value"',
  'spec.replicas',
  'spec.image',
  '"spec.list.[name=a].value"',
  '"metadata.annotations.[x.y/z]"',
  'data.new',
  'spec.rules.0.host',
  '"metadata.annotations.q\\\\.r/s"',
  'spec.template.metadata.labels',
];

function replacement(random: Random): string {
  const target = (): string =>
    [
      `  - select: {${random.pick(['kind: Deployment', 'kind: Service', 'kind: Thing', 'kind: ConfigMap, name: conf', 'kind: Ingress'])}}\n`,
      random.chance(0.2) ? '    reject: [{labelSelector: tier}]\n' : '',
      `    fieldPaths: [${distinct(random, fieldPaths, 1 + random.below(2)).join(', ')}]\n`,
      `    options: {create: ${random.chance(0.85)}${random.chance(0.25) ? `, delimiter: "${random.pick([':', '.', '/'])}", index: ${random.pick([0, 1, -1, 9])}` : ''}}\n`,
    ].join('');
  const second = random.chance(0.4) ? target() : '';
  return `- source: ${random.pick(sources)}\n  targets:\n${target()}${second}`;
}
