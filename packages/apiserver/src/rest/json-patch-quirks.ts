import { type JsonPatchOperation, parseJsonPointer } from '@waygate/schema';
import { isPlainObject } from '../typed-schema/type-node.ts';

/**
 * The API's patch library is laxer than the RFC in one place: `replace` of a key that an
 * object does not have adds it.
 */
export function relaxJsonPatch(
  document: unknown,
  operation: JsonPatchOperation,
): JsonPatchOperation {
  if (!isPlainObject(operation) || operation.op !== 'replace') return operation;
  if (typeof operation.path !== 'string') return operation;
  const path = parseJsonPointer(operation.path);
  let parent: unknown = document;
  for (const key of path.slice(0, -1)) {
    if (Array.isArray(parent)) parent = parent[Number(key)];
    else parent = isPlainObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
  }
  const last = path.at(-1);
  if (!isPlainObject(parent) || last === undefined || Object.hasOwn(parent, last)) return operation;
  return { op: 'add', path: operation.path, value: operation.value };
}
