import { globReader } from '../ignore/glob.ts';
import { SubstitutionError } from './expression.ts';

type StringFunction = (value: string, args: readonly string[]) => string;

/** Bytes of a value times signs of the pattern that trims it. */
const maxWork = 10_000_000;

const byteLength: StringFunction = (value) => String(Buffer.byteLength(value));

const orDefault: StringFunction = (value, args) => (value === '' ? args.join('') : value);

/** Counts bytes, as the length function does. */
const substring: StringFunction = (value, [from = '', length]) => {
  const bytes = Buffer.from(value);
  const start = wholeNumber(from);
  if (start === undefined) return value;
  const position = start < 0 ? Math.max(bytes.length + start, 0) : start;
  if (length === undefined) return bytes.subarray(position).toString();
  const count = wholeNumber(length);
  if (count === undefined) return value;
  if (count < 0) throw new SubstitutionError(`a length of ${count} is below zero`);
  return bytes.subarray(position, position + count).toString();
};

function wholeNumber(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

const upperFirst: StringFunction = (value) => onFirst(value, (one) => one.toUpperCase());
const lowerFirst: StringFunction = (value) => onFirst(value, (one) => one.toLowerCase());

function onFirst(value: string, change: (character: string) => string): string {
  const [first = '', ...rest] = value;
  return change(first) + rest.join('');
}

/** Prefixes end at any byte, also within a character, which then counts as one that is unknown. */
function trimPrefix(value: string, pattern: string, isLongest: boolean): string {
  const bytes = Buffer.from(value);
  const glob = globReader(pattern);
  if (glob === undefined) return value;
  if (bytes.length * glob.tokenCount > maxWork) {
    throw new SubstitutionError(`a value of ${bytes.length} bytes is too long to be trimmed`);
  }
  let found: number | undefined;
  let length = 0;
  for (const character of value) {
    const width = Buffer.byteLength(character);
    for (let part = 1; part <= width; part++) {
      const isMatch = part < width ? glob.wouldMatch('\ufffd') : glob.read(character);
      if (!isMatch) continue;
      found = length + part;
      if (!isLongest) return bytes.toString('utf8', found);
    }
    length += width;
  }
  return found === undefined ? value : bytes.toString('utf8', found);
}

const reversed = (text: string) => [...text].reverse().join('');

const trimming =
  (isSuffix: boolean, isLongest: boolean): StringFunction =>
  (value, [pattern]) => {
    if (pattern === undefined) return value;
    if (!isSuffix) return trimPrefix(value, pattern, isLongest);
    return reversed(trimPrefix(reversed(value), reversed(pattern), isLongest));
  };

const replaceAll: StringFunction = (value, [pattern = '', replacement = '']) => {
  if (pattern !== '') return value.split(pattern).join(replacement);
  // An empty pattern is found before each character and at the end.
  return [...value].map((one) => replacement + one).join('') + replacement;
};

const replaceFirst: StringFunction = (value, [pattern = '', replacement = '']) => {
  const at = value.indexOf(pattern);
  if (at < 0) return value;
  return value.slice(0, at) + replacement + value.slice(at + pattern.length);
};

const replacePrefix: StringFunction = (value, [pattern = '', replacement]) => {
  if (replacement === undefined || !value.startsWith(pattern)) return value;
  return replacement + value.slice(pattern.length);
};

const replaceSuffix: StringFunction = (value, [pattern = '', replacement]) => {
  if (replacement === undefined || !value.endsWith(pattern)) return value;
  return value.slice(0, value.length - pattern.length) + replacement;
};

/** The function of an operator. All that give another value give it when there is none. */
export function functionOf(name: string, argumentCount: number): StringFunction {
  switch (name) {
    case ',':
      return lowerFirst;
    case ',,':
      return (value) => value.toLowerCase();
    case '^':
      return upperFirst;
    case '^^':
      return (value) => value.toUpperCase();
    case '#':
      return argumentCount === 0 ? byteLength : trimming(false, false);
    case '##':
      return trimming(false, true);
    case '%':
      return trimming(true, false);
    case '%%':
      return trimming(true, true);
    case ':':
      return substring;
    case '/':
      return replaceFirst;
    case '//':
      return replaceAll;
    case '/#':
      return replacePrefix;
    case '/%':
      return replaceSuffix;
    default:
      return orDefault;
  }
}
