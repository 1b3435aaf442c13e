import type { Budget } from '../go/budget.ts';
import { byteLength, sliceBytes } from '../go/bytes.ts';
import { any, type FunctionTable, fn, int, str, variadic } from '../go/define.ts';
import { sprint } from '../go/format.ts';
import { GoError } from '../go/function.ts';
import { quoteString } from '../go/quote.ts';
import { stringMap, stringSlice } from '../go/type.ts';
import { GoMap, GoSlice } from '../go/value.ts';
import { abbreviate, initials, withoutSpaces, wrapText } from './byte-text.ts';
import { trimSpace } from './runes.ts';
import { textOf } from './text-of.ts';

/** Sprig's functions of strings, but for those of letter case. Positions and lengths count bytes. */
export const stringFunctions: FunctionTable = {
  hello: fn([], () => 'Hello!'),
  trim: fn([str], (_, text) => trimSpace(text)),
  trimAll: fn([str, str], (_, set, text) => trimSet(text, set)),
  trimall: fn([str, str], (_, set, text) => trimSet(text, set)),
  trimPrefix: fn([str, str], (_, prefix, text) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  trimSuffix: fn([str, str], (_, suffix, text) =>
    suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  ),
  contains: fn([str, str], (_, part, text) => text.includes(part)),
  hasPrefix: fn([str, str], (_, prefix, text) => text.startsWith(prefix)),
  hasSuffix: fn([str, str], (_, suffix, text) => text.endsWith(suffix)),
  repeat: fn([int, str], ({ budget }, count, text) => repeated(text, count, budget)),
  replace: fn([str, str, str], ({ budget }, old, next, text) => replaced(text, old, next, budget)),
  substr: fn([int, int, str], (_, start, end, text) => substring(text, start, end)),
  trunc: fn([int, str], (_, count, text) => truncated(text, count)),
  indent: fn([int, str], ({ budget }, spaces, text) => indented(text, spaces, budget)),
  nindent: fn([int, str], ({ budget }, spaces, text) => `\n${indented(text, spaces, budget)}`),
  plural: fn([str, str, int], (_, one, many, count) => (count === 1 ? one : many)),
  nospace: fn([str], (_, text) => withoutSpaces(text)),
  initials: fn([str], (_, text) => initials(text)),
  abbrev: fn([int, str], (_, width, text) => (width < 4 ? text : abbreviate(text, 0, width))),
  abbrevboth: fn([int, int, str], (_, left, right, text) =>
    right < 4 || (left > 0 && right < 7) ? text : abbreviate(text, left, right),
  ),
  wrap: fn([int, str], ({ budget }, width, text) => wrapText(text, width, '', false, budget)),
  wrapWith: fn([int, str, str], ({ budget }, width, separator, text) =>
    wrapText(text, width, separator, true, budget),
  ),
  quote: variadic([], any, ({ budget }, values) =>
    values
      .filter((value) => value !== null)
      .map((value) => quoteString(textOf(value, budget)))
      .join(' '),
  ),
  squote: variadic([], any, ({ budget }, values) =>
    values
      .filter((value) => value !== null)
      .map((value) => `'${sprint([value], budget)}'`)
      .join(' '),
  ),
  cat: variadic([], any, ({ budget }, values) =>
    values
      .filter((value) => value !== null)
      .map((value) => sprint([value], budget))
      .join(' '),
  ),
  toString: fn([any], ({ budget }, value) => textOf(value, budget)),
  split: fn([str, str], ({ budget }, separator, text) =>
    numbered(splitText(text, separator, -1), budget),
  ),
  splitn: fn([str, int, str], ({ budget }, separator, count, text) =>
    numbered(splitText(text, separator, count), budget),
  ),
  splitList: fn([str, str], ({ budget }, separator, text) => {
    const parts = splitText(text, separator, -1);
    budget.make(parts.length * 8);
    return new GoSlice(stringSlice, parts);
  }),
};

function trimSet(text: string, set: string): string {
  const members = new Set(set);
  const runes = Array.from(text);
  let start = 0;
  let end = runes.length;
  while (start < end && members.has(runes[start]!)) start++;
  while (end > start && members.has(runes[end - 1]!)) end--;
  return runes.slice(start, end).join('');
}

function repeated(text: string, count: number, budget: Budget): string {
  if (count < 0) throw new GoError('strings: negative Repeat count');
  budget.make(text.length * count);
  return text.repeat(count);
}

function replaced(text: string, old: string, next: string, budget: Budget): string {
  const parts = splitText(text, old, -1);
  budget.make(parts.length * next.length);
  // Nothing is found between all runes, and at both ends.
  return old === '' ? next + parts.map((rune) => rune + next).join('') : parts.join(next);
}

function indented(text: string, spaces: number, budget: Budget): string {
  if (spaces < 0) throw new GoError('strings: negative Repeat count');
  const lines = text.split('\n');
  budget.make(lines.length * (spaces + 16));
  const margin = ' '.repeat(spaces);
  return margin + lines.join(`\n${margin}`);
}

function truncated(text: string, count: number): string {
  const length = byteLength(text);
  if (count < 0 && length + count > 0) return sliceBytes(text, length + count);
  return count >= 0 && length > count ? sliceBytes(text, 0, count) : text;
}

function substring(text: string, start: number, end: number): string {
  const length = byteLength(text);
  if (start < 0) {
    if (end < 0) throw outOfRange(`[:${end}]`);
    if (end > length) throw outOfRange(`[:${end}] with length ${length}`);
    return sliceBytes(text, 0, end);
  }
  if (end < 0 || end > length) {
    if (start > length) throw outOfRange(`[${start}:${length}]`);
    return sliceBytes(text, start);
  }
  if (start > end) throw outOfRange(`[${start}:${end}]`);
  return sliceBytes(text, start, end);
}

function outOfRange(range: string): GoError {
  return new GoError(`runtime error: slice bounds out of range ${range}`);
}

/** Go's strings.SplitN: a count below 0 has no limit, the last part holds the rest. */
function splitText(text: string, separator: string, count: number): string[] {
  if (count === 0) return [];
  const all = separator === '' ? Array.from(text) : text.split(separator);
  if (count < 0 || all.length <= count) return all;
  return [...all.slice(0, count - 1), all.slice(count - 1).join(separator)];
}

function numbered(parts: readonly string[], budget: Budget): GoMap {
  budget.make(parts.length * 16);
  return new GoMap(
    parts.map((part, at): [string, string] => [`_${at}`, part]),
    stringMap,
  );
}
