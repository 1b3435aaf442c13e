import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject, JsonValue } from '../entity/entities.ts';

/**
 * Writes YAML as Go programs do, so that files of decK and ours are the same byte for byte: lists
 * not indented, texts plain where they can be, numbers of any size as Go prints floats.
 */

const ambiguous =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF|<<|=|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const numeric =
  /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*|(?:[0-9][0-9_]*)?\.[0-9_]+(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*\.?(?:[eE][-+]?[0-9]+)?)$/;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:$|[Tt ]\d)/;

function looksLikeOtherType(text: string): boolean {
  return text === '' || ambiguous.test(text) || numeric.test(text) || timestamp.test(text);
}

/** Whether a text reads as itself without quotes. */
function isPlain(text: string): boolean {
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[-?:](?:\s|$)/.test(text)) return false;
  if (/^(?:---|\.\.\.)/.test(text)) return false;
  return !(/^\s|\s$/.test(text) || /:(?:\s|$)/.test(text) || /\s#/.test(text));
}

/** Whether every character may stand in a file as it is. */
function isPrintable(text: string): boolean {
  return !/(?![\t\n])\p{Cc}|\p{Cs}|[\ufeff\ufffe\uffff]/u.test(text);
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
};

function doubleQuoted(text: string): string {
  const escaped = text.replace(/\p{Cc}|\p{Cs}|["\\\ufeff\ufffe\uffff]/gu, (character) => {
    const known = escapes[character];
    if (known !== undefined) return known;
    const code = character.charCodeAt(0);
    return code > 0xff
      ? `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`
      : `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}

function literalBlock(text: string, indent: string): string {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${indent}${line}`));
  return `|${text.endsWith('\n') ? '' : '-'}\n${lines.join('\n')}`;
}

function writeText(text: string, indent: string): string {
  if (looksLikeOtherType(text) || !isPrintable(text)) return doubleQuoted(text);
  if (text.includes('\n')) {
    const isLiteral = !/^[ \n]|[ \t]\n|[ \t]$|\n\n$/.test(text);
    return isLiteral ? literalBlock(text, indent) : doubleQuoted(text);
  }
  if (/\t/.test(text) && !isPlain(text)) return doubleQuoted(text);
  return isPlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
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

function writeScalar(value: JsonValue, place: Place): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return writeText(value, place.indent);
  if (typeof value === 'number') return writeNumber(value, place.isConfig);
  return String(value);
}

function isEmpty(value: JsonValue): boolean {
  return value !== null && typeof value === 'object' && Object.keys(value).length === 0;
}

function writeMember(key: string, value: JsonValue, place: Place): string {
  const name = key.includes('\n') ? doubleQuoted(key) : writeText(key, place.indent);
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
  return `${name}: ${writeScalar(value, inner)}`;
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
        return `${place.indent}- ${writeScalar(value, inner)}`;
      }
      if (isEmpty(value)) return `${place.indent}- ${Array.isArray(value) ? '[]' : '{}'}`;
      const body = Array.isArray(value)
        ? writeList(value, inner)
        : writeObject(value as JsonObject, inner);
      return `${place.indent}- ${body.slice(inner.indent.length)}`;
    })
    .join('\n');
}

/** A configuration as YAML text. */
export function writeYaml(config: DeclarativeConfig | JsonObject): string {
  return `${writeObject(config as JsonObject, { indent: '', isConfig: false })}\n`;
}

/** A configuration as JSON text, indented as decK does. */
export function writeJson(config: DeclarativeConfig | JsonObject): string {
  return JSON.stringify(config, undefined, 2);
}
