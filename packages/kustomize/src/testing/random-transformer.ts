import type { Random } from './random.ts';
import { jsonPatchText, mergePatchText, patchTarget } from './random-patches.ts';
import { replacement } from './random-replacement.ts';
import { Raw, type Wild } from './wild-yaml.ts';

type Fields = { [key: string]: Wild };

/** The configuration of a builtin transformer. */
export function transformer(random: Random): Fields {
  const head = (kind: string): Fields => ({
    apiVersion: 'builtin',
    kind,
    metadata: { name: 'x', ...(random.chance(0.5) ? { namespace: 'moved' } : {}) },
  });
  return random.pick<() => Fields>([
    () => ({
      ...head('PrefixTransformer'),
      prefix: 'ext-',
      fieldSpecs: [{ path: 'metadata/name' }],
    }),
    () => ({
      ...head('SuffixTransformer'),
      suffix: '-ext',
      fieldSpecs: [{ path: 'metadata/name', kind: 'Service' }],
    }),
    () => ({
      ...head('NamespaceTransformer'),
      ...(random.chance(0.5) ? { unsetOnly: true } : {}),
      ...(random.chance(0.6)
        ? {
            setRoleBindingSubjects: random.pick([
              'defaultOnly',
              'allServiceAccounts',
              'none',
              'odd',
            ]),
          }
        : {}),
      fieldSpecs: [{ path: 'metadata/namespace', create: true }],
    }),
    () => ({
      ...head('LabelTransformer'),
      labels: { l: new Raw('"5"') },
      fieldSpecs: [
        { path: 'metadata/labels', create: true },
        { path: 'spec/selector', kind: 'Service', create: true },
      ],
    }),
    () => ({
      ...head('AnnotationsTransformer'),
      annotations: { l: 'a b' },
      fieldSpecs: [{ path: 'metadata/annotations', create: random.chance(0.7) }],
    }),
    () => ({
      ...head('ImageTagTransformer'),
      imageTag: { name: 'nginx', newTag: 'ext' },
      ...(random.chance(0.5) ? { fieldSpecs: [{ path: 'spec/image' }] } : {}),
    }),
    () => ({
      ...head('ReplicaCountTransformer'),
      replica: { name: 'web', count: 7 },
      fieldSpecs: [{ path: 'spec/replicas', create: random.chance(0.5), kind: 'Deployment' }],
    }),
    () => ({
      ...head('PatchTransformer'),
      patch: random.chance(0.5) ? jsonPatchText(random) : mergePatchText(random, false),
      target: patchTarget(random),
    }),
    () => ({ ...head('ReplacementTransformer'), replacements: [replacement(random)] }),
    () => ({ ...head('PatchStrategicMergeTransformer'), patches: mergePatchText(random, true) }),
    () => ({
      ...head('ValueAddTransformer'),
      value: 'added',
      targets: [
        {
          selector: { kind: 'Deployment' },
          fieldPath: random.pick([
            'metadata/name',
            'spec/template/spec/containers[name=web]/image',
            'metadata/annotations/q',
          ]),
          ...(random.chance(0.5) ? { filePathPosition: random.below(3) } : {}),
        },
      ],
    }),
    () => head('HashTransformer'),
    () => ({ ...head('SortOrderTransformer'), sortOptions: { order: 'fifo' } }),
    () => head('Unknown'),
  ])();
}
