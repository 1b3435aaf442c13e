import type { KubeObject } from '@waygate/schema';
import { isClusterScoped, type KindId, kindIdOf } from './kind-id.ts';
import { namespacedKey, type ObjectReference } from './reference.ts';

/** Which object is meant, whether there is one or not. */
export interface ObjectName {
  readonly kind: KindId;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** An object by kind, namespace and name, as text. */
export type ObjectId = string;

function objectId(kind: KindId, namespace: string, name: string): ObjectId {
  return `${kind} ${namespacedKey(namespace, name)}`;
}

/** Cluster-scoped objects are known by name alone, also when a manifest gives them a namespace. */
export function nameOfObject(kind: KindId, { metadata }: KubeObject): ObjectName {
  const namespace = isClusterScoped(kind) ? '' : (metadata.namespace ?? '');
  return { kind, namespace, name: metadata.name ?? '' };
}

export function idOf(object: KubeObject): ObjectId | undefined {
  const kind = kindIdOf(object);
  if (kind === undefined) return undefined;
  const { namespace, name } = nameOfObject(kind, object);
  return objectId(kind, namespace, name);
}

export function idOfReference(reference: ObjectReference): ObjectId {
  const { apiVersion, kind, namespace, name } = reference;
  const metadata = { namespace, name };
  return idOf({ apiVersion, kind, metadata }) ?? objectId(kind as KindId, namespace, name);
}
