import { compareUtf8 } from './compare-utf8.ts';
import { isObject } from './json.ts';
import { formatJsonNumber } from './yaml/go-number.ts';

/** What JSON must escape, what Go escapes besides for pages, and halves of characters. */
const escaped =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /["\\\0-\x1f\u2028\u2029<>&]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** How a string is written as JSON. */
export interface GoJsonStringOptions {
  /** `<`, `>` and `&` as they are: Go's `SetEscapeHTML(false)`. */
  readonly isRaw?: boolean | undefined;
}

/**
 * A string as Go's encoding/json writes it: safe to put into a page, and half a character is the
 * character that stands for a broken one.
 *
 * ```ts
 * goJsonString('a < "b"'); // '"a \\u003c \\"b\\""'
 * ```
 */
export function goJsonString(text: string, { isRaw = false }: GoJsonStringOptions = {}): string {
  return `"${text.replace(escaped, (character) => {
    if (isRaw && /[<>&]/.test(character)) return character;
    return short[character] ?? unicodeEscape(character);
  })}"`;
}

function unicodeEscape(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** How plain data is written as JSON. */
export interface GoJsonOptions {
  /** Blanks for each level; without it all is on one line. */
  readonly indent?: number | undefined;
  /**
   * Keys in the order of Go's maps, by their bytes: everywhere, or below the fields of these names. Elsewhere
   * they come as given, as the fields of Go's structs do.
   */
  readonly sortsKeys?: boolean | readonly string[] | undefined;
}

/**
 * Plain data as Go's encoding/json writes it: what a page could take amiss is escaped.
 *
 * ```ts
 * goJson({ if: 'a && b' }); // '{"if":"a \\u0026\\u0026 b"}'
 * goJson({ 9: 1, 10: 2 }, { sortsKeys: true }); // '{"10":2,"9":1}'
 * ```
 */
export function goJson(
  value: unknown,
  { indent = 0, sortsKeys = false }: GoJsonOptions = {},
): string {
  const step = ' '.repeat(indent);
  const colon = indent > 0 ? ': ' : ':';
  const sorted = typeof sortsKeys === 'boolean' ? [] : sortsKeys;

  const enclosed = (open: string, parts: readonly string[], close: string, margin: string) => {
    if (indent === 0 || parts.length === 0) return open + parts.join(',') + close;
    const deeper = margin + step;
    return `${open}${deeper}${parts.join(`,${deeper}`)}${margin}${close}`;
  };
  const write = (each: unknown, isSorted: boolean, margin: string): string => {
    if (typeof each === 'string') return goJsonString(each);
    if (typeof each === 'number' && Number.isFinite(each)) return formatJsonNumber(each);
    if (typeof each === 'boolean' || typeof each === 'bigint') return String(each);
    const deeper = margin + step;
    if (Array.isArray(each)) {
      const items = each.map((item: unknown) => write(item, isSorted, deeper));
      return enclosed('[', items, ']', margin);
    }
    if (!isObject(each)) return 'null';
    const keys = Object.keys(each).filter((key) => each[key] !== undefined);
    const fields = (isSorted ? keys.sort(compareUtf8) : keys).map(
      (key) =>
        goJsonString(key) + colon + write(each[key], isSorted || sorted.includes(key), deeper),
    );
    return enclosed('{', fields, '}', margin);
  };
  return write(value, sortsKeys === true, '\n');
}
