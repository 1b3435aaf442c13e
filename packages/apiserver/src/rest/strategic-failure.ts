import type { PatchSchema } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { goText } from '../decode/go-text.ts';

/** Why a strategic merge patch cannot be applied, in the API's words; undefined when not known. */
export function explainStrategicFailure(
  patch: Record<string, unknown>,
  schema: PatchSchema | undefined,
): string | undefined {
  const directive = patch.$patch;
  if (directive !== undefined && !['replace', 'delete', 'merge'].includes(String(directive))) {
    return `unknown patch type: ${goText(directive)} in map: ${goText(patch)}`;
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    const field = schema?.field(key);
    const found = isObject(value)
      ? explainStrategicFailure(value, field?.schema)
      : Array.isArray(value) && field?.strategies.includes('merge')
        ? explainList(value, field.mergeKey, field.schema)
        : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function explainList(
  items: readonly unknown[],
  mergeKey: string | undefined,
  schema: PatchSchema | undefined,
): string | undefined {
  for (const item of items) {
    if (!isObject(item)) continue;
    const found = explainStrategicFailure(item, schema);
    if (found !== undefined) return found;
    if (mergeKey === undefined || item.$patch === 'replace') continue;
    if (item[mergeKey] === undefined) {
      return item.$patch === undefined
        ? `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`
        : `delete patch type with no merge key defined`;
    }
  }
  return undefined;
}

/** Why a list cannot be merged with what is there: elements of two types have no order in common. */
export function mixedLists(
  current: Record<string, unknown>,
  patch: Record<string, unknown>,
  schema: PatchSchema | undefined,
): string | undefined {
  for (const [key, value] of Object.entries(patch)) {
    const field = schema?.field(key);
    const before = current[key];
    const found =
      isObject(value) && isObject(before)
        ? mixedLists(before, value, field?.schema)
        : Array.isArray(value) && Array.isArray(before) && field?.strategies.includes('merge')
          ? mixedList(before, value, field.mergeKey, field.schema)
          : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function mixedList(
  before: readonly unknown[],
  items: readonly unknown[],
  mergeKey: string | undefined,
  schema: PatchSchema | undefined,
): string | undefined {
  const types = new Set([...before, ...items].map(elementType));
  if (types.size > 1 && before.length > 0 && items.length > 0)
    return `list element types are not identical: [${goText(before)} ${goText(items)}]`;
  if (mergeKey === undefined) return undefined;
  for (const item of items) {
    if (!isObject(item)) continue;
    const same = before.find((each) => isObject(each) && each[mergeKey] === item[mergeKey]);
    const found = isObject(same) ? mixedLists(same, item, schema) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function elementType(item: unknown): string {
  if (item === null) return 'nil';
  if (Array.isArray(item)) return 'list';
  if (typeof item === 'bigint') return 'int64';
  return typeof item === 'number' ? (Number.isInteger(item) ? 'int64' : 'float64') : typeof item;
}
