import type { KubeObject } from '@waygate/schema';

/** What names one object in a cluster: enough to find it, to print it and to write an Event on it. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function referenceTo(object: KubeObject): ObjectReference {
  return {
    apiVersion: object.apiVersion ?? '',
    kind: object.kind ?? '',
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    uid: object.metadata.uid ?? '',
  };
}

/** `namespace/name`, or the bare name of a cluster-scoped object. */
export function keyOf(object: KubeObject): string {
  return namespacedKey(object.metadata.namespace ?? '', object.metadata.name ?? '');
}

export function namespacedKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * The order in which objects of one kind win over each other: oldest first, then by namespace and
 * name, so that the outcome never depends on the order in which a watch delivered them.
 */
export function compareByAge(left: KubeObject, right: KubeObject): number {
  const byTime = compareText(creationOf(left), creationOf(right));
  if (byTime !== 0) return byTime;
  const byNamespace = compareText(left.metadata.namespace ?? '', right.metadata.namespace ?? '');
  if (byNamespace !== 0) return byNamespace;
  return compareText(left.metadata.name ?? '', right.metadata.name ?? '');
}

/** RFC 3339 times of the API have one length and end in Z, so that text order is time order. */
export function creationOf(object: KubeObject): string {
  return object.metadata.creationTimestamp ?? '';
}

export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
