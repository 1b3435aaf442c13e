import type { Problem } from '@waygate/ingress';

/** A problem of a translation for people: which object, which field, and what about it. */
export function problemLine({ object, field, message }: Problem): string {
  const name = object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
  return `${object.kind} ${name}${field === undefined ? '' : ` (${field})`}: ${message}`;
}
