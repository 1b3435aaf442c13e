import { type KubeObject, parseApiVersion } from '@waygate/schema';
import { type ObjectId, objectIdOf } from './object-id.ts';

/** What others are defined by, or live in, comes first. Matched by kind alone. */
const firstKinds = [
  'CustomResourceDefinition',
  'Namespace',
  'ClusterRole',
  'ClusterClass',
  'RuntimeClass',
  'PriorityClass',
  'StorageClass',
  'VolumeSnapshotClass',
  'IngressClass',
  'GatewayClass',
  'ClusterRoleBinding',
  'ResourceQuota',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ConfigMap',
  'Secret',
  'Service',
  'LimitRange',
  'Deployment',
  'StatefulSet',
  'CronJob',
  'PodDisruptionBudget',
];

/** A webhook that is there before what serves it refuses everything else. */
const lastKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

const ranks: ReadonlyMap<string, number> = new Map([
  ...firstKinds.map((kind, index): [string, number] => [kind, index - firstKinds.length]),
  ...lastKinds.map((kind, index): [string, number] => [kind, index + 1]),
]);

/**
 * The order in which objects are applied; its reverse is the order of deletion.
 *
 * ```ts
 * const namespace = { group: '', kind: 'Namespace', namespace: '', name: 'shop' };
 * const pod = { group: '', kind: 'Pod', namespace: 'shop', name: 'web' };
 * compareApplyOrder(namespace, pod) < 0; // true
 * ```
 */
export function compareApplyOrder(left: ObjectId, right: ObjectId): number {
  return (
    (ranks.get(left.kind) ?? 0) - (ranks.get(right.kind) ?? 0) ||
    compareText(left.group, right.group) ||
    compareText(left.kind, right.kind) ||
    compareText(left.namespace, right.namespace) ||
    compareText(left.name, right.name)
  );
}

/**
 * Objects in the order in which they can be applied: what others need comes first.
 *
 * ```ts
 * const texts = ['{apiVersion: v1, kind: Pod, metadata: {name: a}}', '{apiVersion: v1, kind: Namespace, metadata: {name: a}}'];
 * sortForApply(readObjects(texts.join('\n---\n')))[0]?.kind; // 'Namespace'
 * ```
 */
export function sortForApply<T extends KubeObject>(objects: readonly T[]): T[] {
  return sortBy(objects, objectIdOf);
}

/**
 * The other way round.
 *
 * ```ts
 * const objects = [
 *   { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
 *   { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } },
 * ];
 * sortForDelete(objects).map(({ kind }) => kind); // ['ConfigMap', 'Namespace']
 * ```
 */
export function sortForDelete<T extends KubeObject>(objects: readonly T[]): T[] {
  return sortForApply(objects).reverse();
}

/** Sorts anything that has an id, computing each id once. */
export function sortBy<T>(items: readonly T[], idOf: (item: T) => ObjectId): T[] {
  return items
    .map((item) => ({ item, id: idOf(item) }))
    .sort((left, right) => compareApplyOrder(left.id, right.id))
    .map(({ item }) => item);
}

/** One round of applying: the next starts when the objects of this are there. */
export type ApplyStage = 'definitions' | 'classes' | 'custom' | 'resources';

/** The stages in order; each is whole in the API before the next begins. */
export const applyStages: readonly ApplyStage[] = ['definitions', 'classes', 'custom', 'resources'];

/** A kind that its users want applied before the rest, such as an operator's configuration. */
export interface StageKind {
  readonly group: string;
  readonly kind: string;
}

/**
 * Reads `group/Kind` or `Kind`, with commas between.
 *
 * ```ts
 * parseStageKinds('example.com/Widget').length; // 1
 * ```
 */
export function parseStageKinds(text: string): StageKind[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map((word) => {
      const parts = word.split('/');
      const kind = parts.pop() ?? '';
      return { group: parts[0] ?? '', kind };
    });
}

/**
 * The stage in which an object is applied: one is whole in the API before the next begins.
 *
 * ```ts
 * stageOf({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }); // 'definitions'
 * stageOf({ apiVersion: 'apps/v1', kind: 'Deployment' }); // 'resources'
 * ```
 */
export function stageOf(
  object: { readonly apiVersion?: string; readonly kind?: string },
  customKinds: readonly StageKind[] = [],
): ApplyStage {
  const { group, version } = parseApiVersion(object.apiVersion ?? '');
  const kind = object.kind ?? '';
  if (isDefinition(group, version, kind)) return 'definitions';
  if (kind.endsWith('Class')) return 'classes';
  if (customKinds.some((one) => one.group === group && one.kind === kind)) return 'custom';
  return 'resources';
}

function isDefinition(group: string, version: string, kind: string): boolean {
  switch (kind.toLowerCase()) {
    case 'customresourcedefinition':
      return group === 'apiextensions.k8s.io';
    case 'namespace':
      return group === '' && version === 'v1';
    default:
      return kind.toLowerCase() === 'clusterrole' && group === 'rbac.authorization.k8s.io';
  }
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
