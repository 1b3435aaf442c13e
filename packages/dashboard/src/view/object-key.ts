import type { ShownObject } from '../protocol/reference.ts';

/** What tells one object from all others: `networking.k8s.io/Ingress/shop/web`. Versions of an API are one. */
export function objectKey({ group, kind, namespace, name }: Omit<ShownObject, 'version'>): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** `Ingress shop/web`, as people say it. */
export function objectName({ kind, namespace, name }: ShownObject): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
