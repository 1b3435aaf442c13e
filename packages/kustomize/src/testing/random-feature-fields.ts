import type { Random } from './random.ts';
import { jsonPatchText, mergePatchText, patchTarget } from './random-patches.ts';
import { replacement } from './random-replacement.ts';
import { transformer } from './random-transformer.ts';
import { wildText } from './wild-values.ts';
import { type Wild, wildYaml } from './wild-yaml.ts';

type Fields = { [key: string]: Wild };
type Maker = (random: Random, files: Record<string, string>, directory: string) => Fields;

/** A few fields of a kustomization, each in one of its many uses. */
export function featureFields(
  random: Random,
  files: Record<string, string>,
  directory: string,
): Fields {
  const fields: Fields = {};
  const count = 1 + random.below(4);
  for (let turn = 0; turn < count; turn += 1) {
    Object.assign(fields, random.pick(makers)(random, files, directory));
  }
  return fields;
}

const pairs = (random: Random): Fields =>
  random.pick<Fields>([
    { team: 'red' },
    { team: '1', 'a.b/c': 'true' },
    { app: 'changed' },
    { x: '' },
    { y: 'a: b', tier: 'x' },
  ]);

const makers: readonly Maker[] = [
  (random) => ({
    namePrefix: random.pick(['p-', 'a.', 'P']),
    ...(random.chance(0.4) ? { nameSuffix: '-s' } : {}),
  }),
  (random) => ({ nameSuffix: random.pick(['-x', '.y']) }),
  (random) => ({ namespace: random.pick(['shop', 'default', 'prod']) }),
  (random) => ({ commonLabels: pairs(random) }),
  (random) => ({
    labels: [
      {
        pairs: pairs(random),
        ...(random.chance(0.5) ? { includeSelectors: random.chance(0.5) } : {}),
        ...(random.chance(0.5) ? { includeTemplates: random.chance(0.6) } : {}),
      },
      ...(random.chance(0.3)
        ? [
            {
              pairs: { z: 'z' },
              fields: [
                {
                  path: random.pick([
                    'spec/extra',
                    'spec/template/metadata/labels',
                    'metadata/labels',
                  ]),
                  kind: random.pick(['Deployment', '', 'Thing']),
                  create: random.chance(0.6),
                },
              ],
            },
          ]
        : []),
    ],
  }),
  (random) => ({
    commonAnnotations: random.pick<Fields>([{ note: 'n' }, { n1: '1', n2: 'a\nb' }, { e: '' }]),
  }),
  (random) => ({
    images: Array.from({ length: 1 + random.below(2) }, () => ({
      name: random.pick([
        'nginx',
        'app',
        'reg.io:5000/team/app',
        'reg.io/app',
        'n.*x',
        'nginx:1.2',
      ]),
      ...random.pick<Fields>([
        { newTag: 'v2' },
        { newName: 'other' },
        { digest: 'sha256:abcd' },
        { newName: 'o.io:5/x', newTag: '3' },
        { newTag: '1', digest: 'sha256:ff' },
        { tagSuffix: '-x' },
        { newName: 'n', tagSuffix: '-y' },
        {},
      ]),
    })),
  }),
  (random) => ({
    replicas: [{ name: random.pick(['web', 'db', 'thing', 'none']), count: random.below(9) }],
  }),
  (random, files, directory) => generators(random, files, directory),
  (random) => ({
    generatorOptions: {
      ...(random.chance(0.4) ? { disableNameSuffixHash: random.chance(0.7) } : {}),
      ...(random.chance(0.4) ? { labels: { g: '1' } } : {}),
      ...(random.chance(0.4) ? { annotations: { ga: 'x y' } } : {}),
      ...(random.chance(0.3) ? { immutable: true } : {}),
    },
    configMapGenerator: [{ name: 'opts', literals: ['a=b'] }],
  }),
  (random, files, directory) => ({ patches: patches(random, files, directory) }),
  (random, files, directory) => ({ patches: patches(random, files, directory) }),
  (random) => ({ patchesStrategicMerge: [mergePatchText(random, true)] }),
  (random, files, directory) => {
    files[`${directory}/json.yaml`] = jsonPatchText(random);
    return {
      patchesJson6902: [
        {
          target: { version: 'v1', kind: 'Deployment', name: 'web', group: 'apps' },
          path: 'json.yaml',
        },
      ],
    };
  },
  (random) => ({ replacements: [replacement(random)] }),
  (random) => ({ replacements: [replacement(random), replacement(random)] }),
  (random) => vars(random),
  (random, files, directory) => {
    files[`${directory}/config.yaml`] = wildYaml(random, configuration(random));
    return { configurations: ['config.yaml'], namePrefix: 'c-' };
  },
  (random) => ({
    sortOptions: random.pick<Fields>([
      { order: 'fifo' },
      { order: 'legacy' },
      {
        order: 'legacy',
        legacySortOptions: { orderFirst: ['Service', 'Thing'], orderLast: ['ConfigMap'] },
      },
      { order: 'x' },
    ]),
  }),
  (random) => ({
    buildMetadata: random.pick<Wild>([
      ['originAnnotations'],
      ['transformerAnnotations'],
      ['managedByLabel'],
      ['originAnnotations', 'transformerAnnotations'],
    ]),
    namePrefix: 'm-',
  }),
  (random) => ({ transformers: [wildYaml(random, transformer(random))] }),
  (random, files, directory) => {
    files[`${directory}/t.yaml`] = wildYaml(random, transformer(random));
    return { transformers: ['t.yaml'] };
  },
  (random) => ({
    generators: [
      wildYaml(random, {
        apiVersion: 'builtin',
        kind: 'ConfigMapGenerator',
        metadata: { name: 'by-plugin' },
        literals: ['a=1', `b=${wildText(random).replaceAll('\n', ' ')}`],
      }),
    ],
  }),
  (random, files) => {
    files['part/kustomization.yaml'] = wildYaml(random, {
      apiVersion: 'kustomize.config.k8s.io/v1alpha1',
      kind: 'Component',
      ...random.pick<Fields>([
        { namePrefix: 'part-' },
        { commonAnnotations: { part: 'x' } },
        { configMapGenerator: [{ name: 'part', literals: ['p=q'] }] },
        {
          patches: [
            {
              target: { kind: 'Service' },
              patch: '- {op: add, path: /spec/type, value: NodePort}',
            },
          ],
        },
        { replacements: [replacement(random)] },
      ]),
    });
    return { components: ['../part'] };
  },
];

function generators(random: Random, files: Record<string, string>, directory: string): Fields {
  files[`${directory}/data.txt`] = random.pick([
    'one',
    'two\nlines\n',
    '',
    ' x\n\n',
    'tab\there\n',
    'é\n',
    '\ufeffbom',
    'a\r\nb\r\n',
    'x'.repeat(100),
    '%',
  ]);
  files[`${directory}/vars.env`] = random.pick([
    'A=1\n# no\nB=x y\n',
    '\ufeffA=b\r\nC\n',
    '  D="q"\n',
    'E=\n',
    'F=a=b\n',
    '\n\nG=1',
    'H = x\n',
    'export I=1\n',
    "J='q'  \n",
  ]);
  const args = (name: string): Fields => ({
    name,
    ...(random.chance(0.5)
      ? {
          literals: random.some(
            [
              'a=b',
              'c="d"',
              "e='f'",
              'g=',
              'h=a=b',
              'i=x y',
              'j=1',
              'k="a',
              'l=true',
              'm=a\nb',
              'n=é',
              'o= x ',
            ],
            3,
          ),
        }
      : { literals: ['z=1'] }),
    ...(random.chance(0.4)
      ? { files: random.pick([['data.txt'], ['k=data.txt', 'data.txt'], ['sub.key=data.txt']]) }
      : {}),
    ...(random.chance(0.3) ? { envs: ['vars.env'] } : {}),
    ...(random.chance(0.2) ? { env: 'vars.env' } : {}),
    ...(random.chance(0.2) ? { namespace: random.pick(['shop', 'other']) } : {}),
    ...(random.chance(0.3)
      ? {
          options: {
            ...(random.chance(0.5) ? { disableNameSuffixHash: random.chance(0.6) } : {}),
            ...(random.chance(0.3) ? { immutable: true } : {}),
            ...(random.chance(0.4) ? { labels: { l: 'x' }, annotations: { a: '1' } } : {}),
          },
        }
      : {}),
    ...(random.chance(0.25)
      ? { behavior: random.pick(['create', 'merge', 'replace', 'odd']) }
      : {}),
  });
  return {
    configMapGenerator: [args(random.pick(['settings', 'conf']))],
    ...(random.chance(0.5)
      ? {
          secretGenerator: [
            {
              ...args('keys'),
              ...(random.chance(0.3)
                ? { type: random.pick(['Opaque', 'kubernetes.io/tls', 'x']) }
                : {}),
            },
          ],
        }
      : {}),
  };
}

function patches(random: Random, files: Record<string, string>, directory: string): Wild {
  return Array.from({ length: 1 + random.below(2) }, (_each, index) => {
    const isJson = random.chance(0.5);
    const hasTarget = isJson || random.chance(0.6);
    const text = isJson ? jsonPatchText(random) : mergePatchText(random, !hasTarget);
    const target = hasTarget ? { target: patchTarget(random) } : {};
    const options = random.chance(0.15)
      ? { options: { allowNameChange: true, allowKindChange: random.chance(0.5) } }
      : {};
    if (random.chance(0.3)) {
      const name = `patch${index}.yaml`;
      files[`${directory}/${name}`] = text;
      return { path: name, ...target, ...options };
    }
    return { patch: text, ...target, ...options };
  });
}

function vars(random: Random): Fields {
  return {
    vars: [
      {
        name: 'SERVICE',
        objref: { kind: 'Service', name: 'web', apiVersion: 'v1' },
        ...(random.chance(0.4)
          ? {
              fieldref: {
                fieldpath: random.pick([
                  'metadata.name',
                  'spec.ports[0].port',
                  'metadata.labels.app',
                  'spec.selector',
                ]),
              },
            }
          : {}),
      },
      ...(random.chance(0.5)
        ? [
            {
              name: 'B',
              objref: {
                kind: random.pick(['ConfigMap', 'Nothing']),
                name: 'conf',
                apiVersion: 'v1',
              },
              fieldref: { fieldpath: random.pick(['data.a', 'data.host', 'data.none']) },
            },
          ]
        : []),
    ],
  };
}

function configuration(random: Random): Fields {
  return {
    ...(random.chance(0.5)
      ? {
          nameReference: [
            {
              kind: 'ConfigMap',
              version: 'v1',
              fieldSpecs: [{ path: 'spec/ref/name', kind: 'Thing' }],
            },
          ],
        }
      : {}),
    ...(random.chance(0.4)
      ? {
          namePrefix: [
            {
              path: random.pick(['metadata/name', 'spec/image']),
              kind: random.pick(['Thing', 'Service']),
            },
          ],
        }
      : {}),
    ...(random.chance(0.4)
      ? { commonLabels: [{ path: 'spec/more', create: true, kind: 'Thing' }] }
      : {}),
    ...(random.chance(0.4) ? { images: [{ path: 'spec/image', kind: 'Thing' }] } : {}),
    ...(random.chance(0.4)
      ? { replicas: [{ path: 'spec/replicas', kind: 'Thing', create: true }] }
      : {}),
    ...(random.chance(0.3)
      ? { varReference: [{ path: 'data', kind: 'ConfigMap' }, { path: 'metadata/annotations' }] }
      : {}),
    ...(random.chance(0.3)
      ? { namespace: [{ path: 'spec/namespace', kind: 'Thing', create: true }] }
      : {}),
  };
}
