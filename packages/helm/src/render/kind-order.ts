import type { HelmMajor } from '../engine/values-type.ts';

const installOrder = [
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
];

const webhooks = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** The order in which kinds are created; Helm 4 knows two more. */
export function kindsToInstall(helm: HelmMajor): readonly string[] {
  return helm === 3 ? installOrder : [...installOrder, ...webhooks];
}

/** The order in which kinds are removed: the reverse, but Services go early. */
export function kindsToUninstall(helm: HelmMajor): readonly string[] {
  const reversed = kindsToInstall(helm).toReversed();
  const others = reversed.filter((kind) => kind !== 'Service');
  return others.toSpliced(others.indexOf('CronJob'), 0, 'Service');
}

/**
 * Sorts by kind, and keeps the order within one. Kinds that are not in the order come last, by name.
 *
 * ```ts
 * sortByKind([{ kind: 'Service' }, { kind: 'Secret' }], (one) => one.kind, kindsToInstall(4));
 * ```
 */
export function sortByKind<T>(
  items: readonly T[],
  kindOf: (item: T) => string,
  order: readonly string[],
): T[] {
  const places = new Map(order.map((kind, place) => [kind, place]));
  const last = order.length;
  return items
    .map((item) => {
      const kind = kindOf(item);
      return { item, kind, place: places.get(kind) ?? last };
    })
    .sort((left, right) => {
      if (left.place !== right.place || left.place < last) return left.place - right.place;
      return left.kind < right.kind ? -1 : left.kind > right.kind ? 1 : 0;
    })
    .map(({ item }) => item);
}
