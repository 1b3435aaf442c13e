import { type CelLibrary, member, overload } from '../declaration.ts';
import { dynType, intType, listOf, stringType } from '../types/type.ts';
import { maxSize, tooLarge, ValueList } from '../values/collections.ts';
import {
  CelFailure,
  type CelList,
  type CelResult,
  type CelValue,
  lengthOf,
} from '../values/value.ts';
import { formatText } from './text-format.ts';

const s = stringType;
const i = intType;

const bounded = (text: string): CelResult => (text.length > maxSize ? tooLarge : text);
const outOfRange = (index: bigint) => new CelFailure(`index out of range: ${index}`);

/** Where text is within ASCII, characters and UTF-16 units are the same. */
const isPlain = (text: string) => lengthOf(text) === text.length;

function charAt(value: CelValue, at: CelValue): CelResult {
  const text = [...(value as string)];
  const index = at as bigint;
  return index < 0n || index > BigInt(text.length)
    ? outOfRange(index)
    : (text[Number(index)] ?? '');
}

/** The index in characters of an index in UTF-16 units, and the other way. */
const toCharacters = (text: string, units: number) =>
  units < 0 ? -1n : BigInt(lengthOf(text.slice(0, units)));

function toUnits(text: string, characters: number): number {
  if (isPlain(text)) return characters;
  return [...text].slice(0, characters).join('').length;
}

function indexOf(value: CelValue, part: CelValue, from: CelValue = 0n): CelResult {
  const [text, wanted, offset] = [value as string, part as string, from as bigint];
  if (wanted === '') return offset;
  if (offset < 0n) return outOfRange(offset);
  if (offset >= BigInt(lengthOf(text))) return -1n;
  return toCharacters(text, text.indexOf(wanted, toUnits(text, Number(offset))));
}

function lastIndexOf(value: CelValue, part: CelValue, from?: CelValue): CelResult {
  const [text, wanted] = [value as string, part as string];
  const length = BigInt(lengthOf(text));
  if (wanted === '') return from === undefined ? length : (from as bigint);
  if (from === undefined) return toCharacters(text, text.lastIndexOf(wanted));
  const offset = from as bigint;
  if (offset < 0n) return outOfRange(offset);
  if (offset >= length) return -1n;
  return toCharacters(text, text.lastIndexOf(wanted, toUnits(text, Number(offset))));
}

function replace(value: CelValue, from: CelValue, to: CelValue, limit: CelValue = -1n): CelResult {
  const [text, wanted, instead, count] = [
    value as string,
    from as string,
    to as string,
    limit as bigint,
  ];
  // An empty text is before, between and after all characters.
  const parts = wanted === '' ? ['', ...text, ''] : text.split(wanted);
  const changes = count < 0n ? parts.length - 1 : Math.min(Number(count), parts.length - 1);
  const size = text.length + changes * Math.max(0, instead.length - wanted.length);
  if (size > maxSize) return tooLarge;
  const head = parts.slice(0, changes).map((part) => part + instead);
  return head.join('') + parts.slice(changes).join(wanted);
}

function split(value: CelValue, by: CelValue, limit: CelValue = -1n): CelResult {
  const [text, separator, count] = [value as string, by as string, limit as bigint];
  if (count === 0n) return new ValueList([]);
  const parts: string[] = separator === '' ? [...text] : text.split(separator);
  if (count > 0n && BigInt(parts.length) > count) {
    const kept = Number(count) - 1;
    parts.splice(kept, parts.length, parts.slice(kept).join(separator));
  }
  return new ValueList(parts);
}

function substring(value: CelValue, from: CelValue, to?: CelValue): CelResult {
  const text = value as string;
  const length = BigInt(lengthOf(text));
  const start = from as bigint;
  const end = (to ?? length) as bigint;
  if (to !== undefined && start > end) {
    return new CelFailure(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > length) return outOfRange(start);
  if (end < 0n || end > length) return outOfRange(end);
  if (isPlain(text)) return text.slice(Number(start), Number(end));
  return [...text].slice(Number(start), Number(end)).join('');
}

function join(list: CelValue, by: CelValue = ''): CelResult {
  const parts: string[] = [];
  let size = 0;
  for (const part of list as CelList) {
    if (part instanceof CelFailure) return part;
    if (typeof part !== 'string') return new CelFailure(`join: invalid input: ${String(part)}`);
    size += part.length + (by as string).length;
    if (size > maxSize) return tooLarge;
    parts.push(part);
  }
  return parts.join(by as string);
}

const escapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(value: CelValue): CelResult {
  const text = Buffer.from(value as string, 'utf8').toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that have an escape of their own
  return bounded(`"${text.replaceAll(/[\u0007-\r\\"]/g, (letter) => escapes[letter] ?? letter)}"`);
}

const goSpace =
  /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

/** The functions on texts of Kubernetes' expressions. */
export const strings: CelLibrary = {
  functions: {
    charAt: [member('string_char_at_int', [s, i], s, charAt)],
    indexOf: [
      member('string_index_of_string', [s, s], i, indexOf),
      member('string_index_of_string_int', [s, s, i], i, indexOf),
    ],
    lastIndexOf: [
      member('string_last_index_of_string', [s, s], i, lastIndexOf),
      member('string_last_index_of_string_int', [s, s, i], i, lastIndexOf),
    ],
    lowerAscii: [
      member('string_lower_ascii', [s], s, (text) =>
        (text as string).replaceAll(/[A-Z]+/g, (part) => part.toLowerCase()),
      ),
    ],
    upperAscii: [
      member('string_upper_ascii', [s], s, (text) =>
        (text as string).replaceAll(/[a-z]+/g, (part) => part.toUpperCase()),
      ),
    ],
    replace: [
      member('string_replace_string_string', [s, s, s], s, replace),
      member('string_replace_string_string_int', [s, s, s, i], s, replace),
    ],
    split: [
      member('string_split_string', [s, s], listOf(s), split),
      member('string_split_string_int', [s, s, i], listOf(s), split),
    ],
    substring: [
      member('string_substring_int', [s, i], s, substring),
      member('string_substring_int_int', [s, i, i], s, substring),
    ],
    trim: [member('string_trim', [s], s, (text) => (text as string).replaceAll(goSpace, ''))],
    format: [
      member('string_format', [s, listOf(dynType)], s, (text, list) => {
        const formatted = formatText(text as string, [...(list as CelList)]);
        return typeof formatted === 'string' ? bounded(formatted) : formatted;
      }),
    ],
    'strings.quote': [overload('strings_quote', [s], s, quote)],
    join: [
      member('list_join', [listOf(s)], s, join),
      member('list_join_string', [listOf(s), s], s, join),
    ],
  },
};
