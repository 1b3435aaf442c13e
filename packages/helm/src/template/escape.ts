import { encodeBytes } from '../go/bytes.ts';
import { isPrintable } from '../go/quote.ts';

const htmlEscapes: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

/** Go's HTMLEscapeString. */
export function escapeHtml(text: string): string {
  return text.replace(/[\0"'&<>]/g, (each) => htmlEscapes[each]!);
}

const jsEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

/** Go's JSEscapeString. */
export function escapeJs(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
  return text.replace(/[\0-\x1f\\'"<>&=]|[^\0-\x7f]/gu, (each) => {
    const known = jsEscapes[each];
    if (known !== undefined) return known;
    const given = each.codePointAt(0)!;
    if (given < 0x20) return `\\u00${hex(given, 2)}`;
    const code = given >= 0xd800 && given < 0xe000 ? 0xfffd : given;
    return isPrintable(code) ? each : `\\u${hex(code, 4)}`;
  });
}

/** Go's url.QueryEscape. */
export function escapeQuery(text: string): string {
  let out = '';
  for (const byte of encodeBytes(text)) {
    const each = String.fromCharCode(byte);
    out += each === ' ' ? '+' : /[\w.~-]/.test(each) ? each : `%${hex(byte, 2)}`;
  }
  return out;
}

function hex(value: number, width: number): string {
  return value.toString(16).toUpperCase().padStart(width, '0');
}
