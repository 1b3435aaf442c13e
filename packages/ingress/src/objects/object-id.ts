import type { KubeObject } from '@waygate/schema';
import { isClusterScoped, type KindId, kindIdOf } from './kind-id.ts';
import { namespacedKey, type ObjectReference } from './reference.ts';

/** An object by kind, namespace and name, as text. */
export type ObjectId = string;

export function objectId(kind: KindId, namespace: string, name: string): ObjectId {
  return `${kind} ${namespacedKey(namespace, name)}`;
}

export function idOf(object: KubeObject): ObjectId | undefined {
  const kind = kindIdOf(object);
  if (kind === undefined) return undefined;
  const namespace = isClusterScoped(kind) ? '' : (object.metadata.namespace ?? '');
  return objectId(kind, namespace, object.metadata.name ?? '');
}

export function idOfReference(reference: ObjectReference): ObjectId {
  const { apiVersion, kind, namespace, name } = reference;
  const metadata = { namespace, name };
  return idOf({ apiVersion, kind, metadata }) ?? objectId(kind as KindId, namespace, name);
}

/** A reference to an object that a list of tags names by group and version. */
export function referenceOf(object: {
  readonly name: string;
  readonly namespace: string;
  readonly kind: string;
  readonly uid: string;
  readonly group: string;
  readonly version: string;
}): ObjectReference {
  const { group, version, kind, name, namespace, uid } = object;
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, namespace, name, uid };
}
