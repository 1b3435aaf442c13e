import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import {
  type DynamicObject,
  type Kind,
  type KubeObject,
  kinds,
  parseApiVersion,
} from '@waygate/schema';
import { isObject, selectorFromLabelSelector } from '@waygate/text';
import type { ShownObject } from '../protocol/reference.ts';

/**
 * What the cluster's own controllers make of each kind. The API cannot be asked for what an object owns, so these kinds
 * are listed, and those with a reference to it are its own.
 */
const madeOf: Readonly<Record<string, readonly Kind<KubeObject>[]>> = {
  'apps/Deployment': [kinds.ReplicaSet],
  'apps/ReplicaSet': [kinds.Pod],
  'apps/StatefulSet': [kinds.Pod],
  'apps/DaemonSet': [kinds.Pod],
  'batch/CronJob': [kinds.Job],
  'batch/Job': [kinds.Pod],
  '/Service': [kinds.EndpointSlice],
};

/** What controllers made of an object, of what the person may list, by name. */
export async function madeFrom(
  client: KubeClient,
  owner: DynamicObject,
  signal: AbortSignal,
): Promise<readonly ShownObject[]> {
  const { uid, namespace = '' } = owner.metadata;
  const { group: ofGroup } = parseApiVersion(owner.apiVersion ?? '');
  const scope = { namespace, labelSelector: labelsOfMade(owner) };
  const made: ShownObject[] = [];
  for (const child of madeOf[`${ofGroup}/${owner.kind}`] ?? []) {
    const { group, version, kind } = child;
    for (const { metadata } of await listed(client, child, scope, signal)) {
      const isOwn = metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
      if (isOwn) made.push({ group, version, kind, namespace, name: metadata.name ?? '' });
    }
  }
  return made.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** What a controller makes has labels that it looks for: others of a large namespace need not be read. */
function labelsOfMade({ kind, metadata, spec }: DynamicObject): string {
  if (kind === 'Service') return `kubernetes.io/service-name=${metadata.name}`;
  const selector = isObject(spec) ? spec.selector : undefined;
  return isObject(selector) ? selectorFromLabelSelector(selector).toString() : '';
}

async function listed(
  client: KubeClient,
  kind: Kind<KubeObject>,
  scope: { readonly namespace: string; readonly labelSelector: string },
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    return (await client.resource(kind).list(scope, { signal })).items;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return [];
    throw error;
  }
}

/** Who an object belongs to. An owner is in the same namespace, or is of a kind that is in none. */
export async function ownersOf(
  client: KubeClient,
  { metadata }: DynamicObject,
  signal: AbortSignal,
): Promise<readonly ShownObject[]> {
  return Promise.all(
    (metadata.ownerReferences ?? []).map(async ({ apiVersion, kind, name }) => {
      const { group, version } = parseApiVersion(apiVersion);
      // An owner of a kind that is gone is still said to be one.
      const resource = await client.mapper
        .resourceOf({ group, version, kind }, { signal })
        .catch(() => undefined);
      const namespace = resource?.scope === 'Cluster' ? '' : (metadata.namespace ?? '');
      return { group, version, kind, namespace, name };
    }),
  );
}
