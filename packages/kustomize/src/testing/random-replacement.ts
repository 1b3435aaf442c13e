import type { Random } from './random.ts';
import type { Wild } from './wild-yaml.ts';

type Fields = { [key: string]: Wild };

const paths = [
  'spec.template.spec.containers.[name=web].image',
  'spec.template.spec.containers.*.image',
  'spec.template.spec.containers.0.env.0.value',
  'metadata.annotations.copied',
  'metadata.labels.app',
  'metadata.annotations.[a.b/c]',
  'spec.replicas',
  'spec.ports.0.port',
  'spec.rules.*.host',
  'data.a',
  'data.new',
  'metadata.name',
  'metadata.namespace',
  'spec.template.spec.containers.[name=side].env.[name=X].value',
  'spec.list.[name=b].value',
  'spec.selector',
  'spec.nothing.here',
  'metadata.annotations.x\\.y/z',
  'spec.set.1',
  'spec.set.2',
  'spec.set.-',
];

/** A replacement that may find what it names, or not. */
export function replacement(random: Random): Wild {
  const source: Fields = random.pick<Fields>([
    { kind: 'ConfigMap', name: 'conf', fieldPath: 'data.a' },
    { kind: 'ConfigMap', name: 'conf', fieldPath: 'data.host' },
    { kind: 'ConfigMap', name: 'conf' },
    { kind: 'Service', name: 'web', fieldPath: 'spec.ports.0.port' },
    { kind: 'Deployment', name: 'web', fieldPath: 'spec.template.spec.containers.0.image' },
    { kind: 'Deployment', fieldPath: 'metadata.labels' },
    { kind: 'Service', name: 'web', fieldPath: 'spec.selector' },
    { name: 'web', fieldPath: 'metadata.name' },
    { kind: 'Deployment', name: 'web', fieldPath: 'spec.replicas' },
    { kind: 'Service', fieldPath: 'spec.ports' },
  ]);
  const part = random.chance(0.25)
    ? { options: { delimiter: ':', index: random.pick([0, 1, 5, -1]) } }
    : {};
  const target = (): Fields => ({
    select: random.pick<Fields>([
      { kind: 'Deployment' },
      { kind: 'Service' },
      { name: 'web' },
      { kind: 'Thing' },
      { kind: 'ConfigMap', name: 'conf' },
      { labelSelector: 'app=web' },
      { kind: 'Ingress' },
      { namespace: 'default' },
    ]),
    ...(random.chance(0.2)
      ? {
          reject: [
            random.pick<Fields>([
              { kind: 'Service' },
              { name: 'web', kind: 'Deployment' },
              { labelSelector: 'tier=front' },
            ]),
          ],
        }
      : {}),
    ...(random.chance(0.95)
      ? { fieldPaths: random.some(paths, 1).concat(random.pick(paths)) }
      : {}),
    ...(random.chance(0.6)
      ? {
          options: {
            ...(random.chance(0.7) ? { create: random.chance(0.7) } : {}),
            ...(random.chance(0.3)
              ? { delimiter: random.pick([':', '.', '/']), index: random.pick([0, 1, 9, -1]) }
              : {}),
          },
        }
      : {}),
  });
  return {
    source: { ...source, ...part },
    targets: Array.from({ length: 1 + random.below(2) }, target),
  };
}
