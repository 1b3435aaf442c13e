import { compareUtf8, formatJsonNumber, goJsonString } from '@waygate/text';
import type { JsonValue } from './json-value.ts';

/**
 * JSON text as Go's encoder writes it: keys sorted, no blanks, and `<`, `>`, `&` escaped. Hashes
 * of generated names are taken over this text, so every character counts.
 */
export function jsonText(value: JsonValue): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return goJsonString(value);
    case 'number':
      return formatJsonNumber(value);
    case 'boolean':
    case 'bigint':
      return String(value);
  }
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  const keys = [...value.keys()].sort(compareUtf8);
  return `{${keys.map((key) => `${goJsonString(key)}:${jsonText(value.get(key)!)}`).join(',')}}`;
}

/** The same over several lines, two spaces for each level. */
export function indentedJsonText(value: JsonValue, margin = ''): string {
  const deeper = `${margin}  `;
  if (Array.isArray(value) && value.length > 0) {
    const items = value.map((item) => `${deeper}${indentedJsonText(item, deeper)}`);
    return `[\n${items.join(',\n')}\n${margin}]`;
  }
  if (value instanceof Map && value.size > 0) {
    const fields = [...value.keys()]
      .sort(compareUtf8)
      .map((key) => `${deeper}${goJsonString(key)}: ${indentedJsonText(value.get(key)!, deeper)}`);
    return `{\n${fields.join(',\n')}\n${margin}}`;
  }
  return jsonText(value);
}
