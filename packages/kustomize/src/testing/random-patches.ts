import type { Random } from './random.ts';
import { wildScalar, wildValue } from './wild-values.ts';
import { Raw, type Wild, wildYaml } from './wild-yaml.ts';

const targets: readonly { [key: string]: Wild }[] = [
  { kind: 'Deployment' },
  { kind: 'Service' },
  { name: 'web' },
  { name: 'w.*' },
  { name: 'web|db' },
  { kind: 'StatefulSet|Deployment' },
  { version: 'v1', kind: 'ConfigMap' },
  { group: 'apps' },
  { labelSelector: 'app=web' },
  { labelSelector: 'app in (web, db), tier!=back' },
  { labelSelector: '!tier' },
  { labelSelector: 'app,tier notin (front)' },
  { annotationSelector: 'note' },
  { namespace: 'shop' },
  { namespace: 'default', kind: 'Deployment' },
  { kind: 'Thing' },
  { kind: 'None' },
  { name: 'p-web' },
  { kind: '.*', name: '^(web|conf)$' },
  { group: '', version: 'v1', kind: 'Service' },
  { labelSelector: 'app==' },
  { name: '[' },
];

export function patchTarget(random: Random): Wild {
  return random.pick(targets);
}

const pointers = [
  '/metadata/annotations',
  '/metadata/annotations/x',
  '/metadata/labels/app',
  '/metadata/annotations/a.b~1c',
  '/metadata/name',
  '/spec',
  '/spec/replicas',
  '/spec/template/spec/containers/0/image',
  '/spec/template/spec/containers/-',
  '/spec/template/spec/containers/1',
  '/spec/ports/0',
  '/spec/ports/0/port',
  '/spec/ports/-',
  '/data',
  '/data/a',
  '/data/new',
  '/spec/list/0/value',
  '/spec/list/-1',
  '/spec/list/01',
  '/none/there',
  '/spec/set/1',
  '/metadata/namespace',
  '/kind',
  '',
  '/',
  'spec/x',
  '/spec/template/metadata/labels/x~0y',
];

/** A JSON patch, as YAML or as JSON. */
export function jsonPatchText(random: Random): string {
  const value = (): Wild =>
    random.chance(0.6)
      ? random.pick<Wild>([
          'v',
          '1',
          'true',
          7,
          true,
          null,
          { k: 'v' },
          ['a', 1],
          { name: 'new', image: 'i' },
        ])
      : wildValue(random, 1);
  const operation = (): { [key: string]: Wild } => {
    const path = random.pick(pointers);
    switch (random.below(9)) {
      case 0:
        return { op: 'remove', path };
      case 1:
        return { op: 'copy', from: random.pick(pointers), path };
      case 2:
        return { op: 'move', from: random.pick(pointers), path };
      case 3:
        return {
          op: 'test',
          path: random.pick(['/kind', '/metadata/name', '/spec/replicas']),
          value: random.pick<Wild>(['Deployment', 'web', 3]),
        };
      case 4:
      case 5:
        return { op: 'replace', path, value: value() };
      default:
        return { op: 'add', path, value: value() };
    }
  };
  const operations = Array.from({ length: 1 + random.below(2) }, operation);
  if (random.chance(0.05))
    return random.pick(['[]', '', '- op: odd\n  path: /x\n', '{}', '- op: add\n']);
  return wildYaml(random, operations).replace(/^# .*\n/gm, '');
}

/** A merge patch; it names its target where nothing else does. */
export function mergePatchText(random: Random, isNamed: boolean): string {
  const [apiVersion, kind, name] = isNamed
    ? random.pick([
        ['apps/v1', 'Deployment', 'web'],
        ['v1', 'Service', 'web'],
        ['v1', 'ConfigMap', 'conf'],
        ['example.com/v1', 'Thing', 'thing'],
        ['v1', 'Service', 'none'],
      ])
    : ['apps/v1', random.pick(['Deployment', 'Any']), random.pick(['any', 'web'])];
  const patch = {
    apiVersion: apiVersion!,
    kind: kind!,
    metadata: { name: name!, ...metadata(random) },
    ...body(random, kind!),
  };
  const text = wildYaml(random, patch);
  return random.chance(0.06)
    ? `${text}---\n${wildYaml(random, { ...patch, metadata: { name: name!, annotations: { second: 'x' } } })}`
    : text;
}

function metadata(random: Random): { [key: string]: Wild } {
  return {
    ...(random.chance(0.3)
      ? { labels: random.pick<Wild>([{ app: 'patched' }, { app: null, more: 'x' }, null, {}]) }
      : {}),
    ...(random.chance(0.3)
      ? {
          annotations: random.pick<Wild>([
            { note: 'patched' },
            { note: null },
            { $patch: 'replace', only: 'this' },
            { $patch: 'delete' },
            { n: wildScalar(random) },
          ]),
        }
      : {}),
    ...(random.chance(0.08)
      ? { finalizers: random.pick<Wild>([['e/f'], ['a/b', 'e/f'], null, [], { $patch: 'delete' }]) }
      : {}),
  };
}

function body(random: Random, kind: string): { [key: string]: Wild } {
  if (random.chance(0.04)) return { $patch: random.pick(['delete', 'replace', 'merge', 'odd']) };
  if (kind === 'ConfigMap')
    return {
      data: random.pick<Wild>([
        { a: 'patched' },
        { a: null },
        { b: 'x\ny\n', c: wildScalar(random) },
        null,
        { $patch: 'replace', z: '1' },
      ]),
    };
  if (kind === 'Service')
    return {
      spec: {
        ...(random.chance(0.7)
          ? {
              ports: list(random, [
                { port: 80, name: 'p' },
                { port: 53, protocol: 'UDP', nodePort: 1 },
                { port: 9000 },
                { port: 443, $patch: 'delete' },
                { name: 'x' },
                { $patch: 'replace' },
              ]),
            }
          : {}),
        ...(random.chance(0.4)
          ? { selector: random.pick<Wild>([null, { app: 'z' }, { $patch: 'replace', q: 'r' }]) }
          : {}),
      },
    };
  if (kind === 'Thing')
    return {
      spec: random.pick<Wild>([
        { list: [{ name: 'c' }] },
        { ref: { extra: 1 } },
        { set: ['z'] },
        { nested: null },
        { list: null, replicas: new Raw('"5"') },
        wildValue(random, 1),
      ]),
    };
  return {
    spec: random.pick<() => Wild>([
      () => ({ replicas: random.pick<Wild>([5, null, new Raw('"6"')]) }),
      () => ({ template: { spec: podPatch(random) } }),
      () => ({ template: { spec: podPatch(random) } }),
      () => ({
        selector: { matchLabels: { app: 'q' } },
        template: { metadata: { labels: { q: 'r' } } },
      }),
      () => ({ strategy: { $retainKeys: ['type'], type: 'Recreate' } }),
      () => ({ template: null }),
      () => null,
    ])(),
  };
}

function list(random: Random, items: readonly Wild[]): Wild {
  return Array.from({ length: random.below(4) }, () => random.pick(items));
}

function podPatch(random: Random): Wild {
  const container = (): Wild => ({
    name: random.pick(['web', 'side', 'new', 'init']),
    ...(random.chance(0.3) ? { image: random.pick<Wild>(['patched:1', null]) } : {}),
    ...(random.chance(0.3)
      ? {
          env: list(random, [
            { name: 'A', value: 'patched' },
            { name: 'N', value: '1' },
            { name: 'C', $patch: 'delete' },
            { name: 'D', valueFrom: null },
            { $patch: 'replace' },
            { name: 'E' },
          ]),
        }
      : {}),
    ...(random.chance(0.3)
      ? {
          ports: list(random, [
            { containerPort: 80, name: 'q' },
            { containerPort: 80, protocol: 'UDP' },
            { containerPort: 90 },
            { containerPort: 81, $patch: 'delete' },
          ]),
        }
      : {}),
    ...(random.chance(0.2) ? { command: random.pick<Wild>([['new'], null, []]) } : {}),
    ...(random.chance(0.2)
      ? {
          volumeMounts: list(random, [
            { mountPath: '/v', name: 'z' },
            { mountPath: '/n', name: 'v' },
            { mountPath: '/w', $patch: 'delete' },
          ]),
        }
      : {}),
    ...(random.chance(0.1) ? { resources: { limits: { cpu: '1' }, requests: null } } : {}),
    ...(random.chance(0.1) ? { $patch: random.pick(['delete', 'replace', 'merge']) } : {}),
  });
  return {
    ...(random.chance(0.7)
      ? { containers: Array.from({ length: random.below(3) }, container) }
      : {}),
    ...(random.chance(0.2) ? { initContainers: [container()] } : {}),
    ...(random.chance(0.3)
      ? {
          volumes: list(random, [
            { name: 'v', emptyDir: {} },
            { name: 'v', configMap: null, emptyDir: {} },
            { name: 'n', secret: { secretName: 'keys' } },
            { name: 'w', $patch: 'delete' },
            { name: 'p', $patch: 'replace', hostPath: { path: '/' } },
          ]),
        }
      : {}),
    ...(random.chance(0.15) ? { tolerations: [{ key: 'z' }] } : {}),
    ...(random.chance(0.15)
      ? {
          imagePullSecrets: list(random, [
            { name: 'keys' },
            { name: 'n' },
            { name: 'z', $patch: 'delete' },
          ]),
        }
      : {}),
    ...(random.chance(0.15)
      ? { hostAliases: [{ ip: '1.2.3.4', hostnames: ['c'] }, { ip: '5.6.7.8' }] }
      : {}),
    ...(random.chance(0.1)
      ? {
          topologySpreadConstraints: [
            { topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', maxSkew: 2 },
            { topologyKey: 'host' },
          ],
        }
      : {}),
    ...(random.chance(0.1) ? { $setElementOrder: [] } : {}),
    ...(random.chance(0.05)
      ? { '$setElementOrder/containers': [{ name: 'side' }, { name: 'web' }] }
      : {}),
    ...(random.chance(0.05) ? { '$deleteFromPrimitiveList/args': ['b'] } : {}),
    ...(random.chance(0.05) ? { $patch: random.pick(['replace', 'delete', 'merge']) } : {}),
    ...(random.chance(0.1)
      ? {
          nodeSelector: random.pick<Wild>([{ disk: null }, { a: 'b' }, null]),
          serviceAccountName: random.pick<Wild>(['robot', null]),
        }
      : {}),
  };
}
