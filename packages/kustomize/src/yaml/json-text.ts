import { formatJsonNumber } from '@waygate/text';
import type { JsonValue } from './json-value.ts';

/**
 * JSON text as Go's encoder writes it: keys sorted, no blanks, and `<`, `>`, `&` escaped. Hashes
 * of generated names are taken over this text, so every character counts.
 */
export function jsonText(value: JsonValue): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return jsonString(value);
    case 'number':
      return formatJsonNumber(value);
    case 'boolean':
    case 'bigint':
      return String(value);
  }
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  const keys = [...value.keys()].sort(compareBytes);
  return `{${keys.map((key) => `${jsonString(key)}:${jsonText(value.get(key)!)}`).join(',')}}`;
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
      .sort(compareBytes)
      .map((key) => `${deeper}${jsonString(key)}: ${indentedJsonText(value.get(key)!, deeper)}`);
    return `{\n${fields.join(',\n')}\n${margin}}`;
  }
  return jsonText(value);
}

/** What JSON must escape, what Go escapes besides, and halves of characters. */
const ESCAPED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /["\\\u0000-\u001f<>&\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

function jsonString(text: string): string {
  return `"${text.replace(ESCAPED, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.charCodeAt(0);
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Orders strings as their UTF-8 bytes do, which UTF-16 does not for what lies beyond the BMP. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    let x = a.charCodeAt(index);
    let y = b.charCodeAt(index);
    if (x === y) continue;
    if (x >= 0xd800 && x <= 0xdfff) x += 0x10000;
    if (y >= 0xd800 && y <= 0xdfff) y += 0x10000;
    return x - y;
  }
  return a.length - b.length;
}
