import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { plainScalar } from './plain-scalar.ts';

/**
 * Writes YAML as Go programs do, so that files of decK and ours are the same byte for byte: lists
 * not indented, texts plain where they can be, numbers of any size as Go prints floats.
 */

const ambiguous =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const numeric =
  /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*|(?:[0-9][0-9_]*)?\.[0-9_]+(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*\.?(?:[eE][-+]?[0-9]+)?)$/;
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:$|[Tt ]\d)/;

function looksLikeOtherType(text: string): boolean {
  if (text === '' || ambiguous.test(text) || timestamp.test(text)) return true;
  return numeric.test(text) || sexagesimal.test(text) || plainScalar(text) !== text;
}

/** Whether a text reads as itself without quotes. */
function isPlain(text: string): boolean {
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[-?:](?:\s|$)/.test(text)) return false;
  if (/^(?:---|\.\.\.)/.test(text)) return false;
  return !(/^\s|\s$/.test(text) || /:(?:\s|$)/.test(text) || /\s#/.test(text));
}

/** Whether every character may stand in a file as it is: Go escapes what is beyond the first plane. */
function isPrintable(text: string): boolean {
  return !/(?!\n)\p{Cc}|\p{Cs}|[\ufeff\ufffe\uffff]|[\u{10000}-\u{10ffff}]/u.test(text);
}

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
};

function escaped(character: string): string {
  const known = escapes[character];
  if (known !== undefined) return known;
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase();
  if (code.length > 4) return `\\U${code.padStart(8, '0')}`;
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
}

function doubleQuoted(text: string): string {
  const special = /\p{Cc}|\p{Cs}|["\\\ufeff\ufffe\uffff]|[\u{10000}-\u{10ffff}]/gu;
  return `"${text.replace(special, escaped)}"`;
}

/** A text of several lines as it is, with a sign for how it begins and how it ends. */
function literalBlock(text: string, indent: string): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const chomping = text.endsWith('\n\n') ? '+' : text.endsWith('\n') ? '' : '-';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${indent}${line}`));
  return `|${hint}${chomping}\n${lines.join('\n')}`;
}

/** Where Go breaks lines. */
const lineWidth = 80;

/** Breaks a text at spaces once a line is full; where the line starts is given. */
function folded(text: string, column: number, indent: string): string {
  if (column + text.length <= lineWidth) return text;
  let result = '';
  let position = column;
  for (let index = 0; index < text.length; index += 1) {
    const isSpace = text[index] === ' ' && text[index - 1] !== ' ' && text[index + 1] !== ' ';
    if (isSpace && position > lineWidth && index > 0 && index < text.length - 1) {
      result += `\n${indent}`;
      position = indent.length;
    } else {
      result += text[index];
      position += 1;
    }
  }
  return result;
}

/** Texts that are plain at a glance, which most are; the longest word with a meaning has 5 letters. */
function isSimple(text: string): boolean {
  return /^[A-Za-z/][A-Za-z0-9_./-]*$/.test(text) && (text.length > 5 || !ambiguous.test(text));
}

function writeText(text: string, indent: string, column: number): string {
  if (isSimple(text)) return text;
  if (looksLikeOtherType(text) || !isPrintable(text)) return doubleQuoted(text);
  if (text.includes('\n')) {
    const isLiteral = !/^\n+$| \n| $/.test(text);
    return isLiteral ? literalBlock(text, indent) : doubleQuoted(text);
  }
  const shown = isPlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
  return folded(shown, column, indent);
}

/** A key stands on one line, and never means a merge. */
function writeKey(key: string): string {
  if (key.includes('\n') || key === '<<') return doubleQuoted(key);
  return writeText(key, '', Number.NEGATIVE_INFINITY);
}

/** A number as Go's shortest form has it: an exponent from a million on, unless it is an integer field. */
function writeNumber(value: number, isFloat: boolean): string {
  if (!isFloat || value === 0) return Object.is(value, -0) ? '-0' : String(value);
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 21 && (exponent < 6 || digits.length === 0))
    return String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

interface Place {
  readonly indent: string;
  /** Inside `config` all numbers are floats to Go. */
  readonly isConfig: boolean;
}

function writeScalar(value: JsonValue, place: Place, column: number): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return writeText(value, place.indent, column);
  if (typeof value === 'number') return writeNumber(value, place.isConfig);
  return String(value);
}

function isEmpty(value: JsonValue): boolean {
  return value !== null && typeof value === 'object' && Object.keys(value).length === 0;
}

function writeMember(key: string, value: JsonValue, place: Place): string {
  const name = writeKey(key);
  const inner: Place = {
    indent: `${place.indent}  `,
    isConfig: place.isConfig || key === 'config' || key === '_plugin_configs',
  };
  if (value !== null && typeof value === 'object') {
    if (isEmpty(value)) return `${name}: ${Array.isArray(value) ? '[]' : '{}'}`;
    if (Array.isArray(value))
      return `${name}:\n${writeList(value, { ...inner, indent: place.indent })}`;
    return `${name}:\n${writeObject(value as JsonObject, inner)}`;
  }
  return `${name}: ${writeScalar(value, inner, place.indent.length + name.length + 2)}`;
}

function writeObject(object: JsonObject, place: Place): string {
  return Object.entries(object)
    .filter((entry): entry is [string, JsonValue] => entry[1] !== undefined)
    .map(([key, value]) => `${place.indent}${writeMember(key, value, place)}`)
    .join('\n');
}

function writeList(list: readonly JsonValue[], place: Place): string {
  const inner: Place = { indent: `${place.indent}  `, isConfig: place.isConfig };
  return list
    .map((value) => {
      if (value === null || typeof value !== 'object') {
        return `${place.indent}- ${writeScalar(value, inner, place.indent.length + 2)}`;
      }
      if (isEmpty(value)) return `${place.indent}- ${Array.isArray(value) ? '[]' : '{}'}`;
      const body = Array.isArray(value)
        ? writeList(value, inner)
        : writeObject(value as JsonObject, inner);
      return `${place.indent}- ${body.slice(inner.indent.length)}`;
    })
    .join('\n');
}

/**
 * A configuration as YAML text.
 *
 * ```ts
 * writeYaml({ _format_version: '3.0', services: [{ host: 'shop' }] }); // '_format_version: "3.0"\nservices:\n- host: shop\n'
 * ```
 */
export function writeYaml(config: DeclarativeConfig | JsonObject): string {
  return `${writeObject(config as JsonObject, { indent: '', isConfig: false })}\n`;
}

/** A configuration as JSON text, indented and escaped as decK does. */
export function writeJson(config: DeclarativeConfig | JsonObject): string {
  return JSON.stringify(config, undefined, 2).replace(
    /[&<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
