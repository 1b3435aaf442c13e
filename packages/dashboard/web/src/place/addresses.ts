import type { ShownObject } from '../../../src/protocol/reference.ts';

/** The address of an object's page, and of what it shows below `/api`. */
export function objectAddress(object: ShownObject): string {
  const { group, version, kind, namespace, name } = object;
  const parts = [group || 'core', version, kind, namespace || '-', name];
  return `/objects/${parts.map(encodeURIComponent).join('/')}`;
}

/** Back from the address; undefined where it is none. */
export function objectOfAddress(path: string): ShownObject | undefined {
  const [, page, ...parts] = path.split('/');
  if (page !== 'objects' || parts.length !== 5) return undefined;
  const [group, version, kind, namespace, name] = parts.map(readPart);
  if (!version || !kind || !name) return undefined;
  return {
    group: group === 'core' || group === undefined ? '' : group,
    version,
    kind,
    namespace: namespace === '-' || namespace === undefined ? '' : namespace,
    name,
  };
}

/** One word that is the same for the same object. */
export function objectKey(object: ShownObject): string {
  return `${object.group}/${object.kind}/${object.namespace}/${object.name}`;
}

export function sameObject(one: ShownObject | undefined, other: ShownObject | undefined): boolean {
  return one !== undefined && other !== undefined && objectKey(one) === objectKey(other);
}

export function commitAddress(commit: string): string {
  return `/commits/${encodeURIComponent(commit)}`;
}

export function changeAddress(id: string): string {
  return `/changes/${encodeURIComponent(id)}`;
}

/** `shop/cart`, or only the name of what is cluster-scoped. */
export function objectTitle(object: ShownObject): string {
  return object.namespace ? `${object.namespace}/${object.name}` : object.name;
}

/** Somebody may have cut a link in the middle of an escape. */
export function readPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
