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
