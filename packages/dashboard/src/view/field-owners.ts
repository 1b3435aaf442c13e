import type { ManagedFieldsEntry } from '@waygate/schema';
import { isObject } from '@waygate/text';
import type { FieldOwner } from '../protocol/pages.ts';
import { timeOf } from './seen-object.ts';

/** More are not named. */
const mostFields = 500;

/** Who owns which fields, as dotted paths: `spec.replicas`, `spec.ports[port=80].name`. */
export function fieldOwners(managed: readonly ManagedFieldsEntry[] = []): readonly FieldOwner[] {
  return managed.map(({ manager = '', operation = '', time, fieldsV1, subresource }) => {
    const at = timeOf(time);
    const fields: string[] = [];
    collect(fieldsV1, '', fields);
    return {
      manager: subresource ? `${manager} (${subresource})` : manager,
      operation,
      ...(at === undefined ? {} : { at }),
      fields,
    };
  });
}

function collect(node: unknown, path: string, found: string[]): void {
  if (!isObject(node)) return;
  const children = Object.entries(node).filter(([key]) => key !== '.');
  if (children.length === 0) {
    if (path !== '' && found.length < mostFields) found.push(path);
    return;
  }
  for (const [key, child] of children) collect(child, `${path}${stepOf(key, path)}`, found);
}

/** `f:name` is a field, `k:{…}` an item by its keys, `v:…` one of a set. */
function stepOf(key: string, path: string): string {
  if (key.startsWith('f:')) return path === '' ? key.slice(2) : `.${key.slice(2)}`;
  if (!key.startsWith('k:')) return `[${key.slice(2)}]`;
  try {
    const keys: unknown = JSON.parse(key.slice(2));
    const parts = Object.entries(isObject(keys) ? keys : {}).map(
      ([name, value]) => `${name}=${value}`,
    );
    return `[${parts.join(',')}]`;
  } catch {
    return `[${key.slice(2)}]`;
  }
}
