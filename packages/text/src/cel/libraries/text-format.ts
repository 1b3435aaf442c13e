import { plainDecimal, showDouble, showFixed } from '../values/number.ts';
import {
  CelDuration,
  CelFailure,
  CelList,
  CelMap,
  type CelResult,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  encodeText,
  typeNameOf,
} from '../values/value.ts';
import { toText } from './conversions.ts';

/** One `%…` of a format: its verb, and the digits after its point. */
interface FormatClause {
  readonly verb: string;
  readonly precision: number | undefined;
}

/** What is said of a value that a verb cannot write. */
export const clauseProblems: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given',
  d: 'decimal clause can only be used on integers, was given',
  f: 'fixed-point clause can only be used on doubles, was given',
  e: 'scientific clause can only be used on doubles, was given',
  b: 'only integers and bools can be formatted as binary, was given',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  X: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  o: 'octal clause can only be used on integers, was given',
};

const maxPrecision = 100;

/** A format cut into plain texts and clauses, or what is wrong with it. */
export function parseFormat(text: string, count: number): (string | FormatClause)[] | CelFailure {
  const parts: (string | FormatClause)[] = [];
  let index = 0;
  let used = 0;
  for (const found of text.matchAll(/%(?:(%)|(\.\d*)?([\s\S])?)/g)) {
    const [all, percent, precision, verb] = found;
    parts.push(text.slice(index, found.index));
    index = found.index + all.length;
    if (percent !== undefined) {
      parts.push('%');
      continue;
    }
    if (used >= count) return new CelFailure(`index ${used} out of range`);
    const clause = readClause(precision, verb);
    if (clause instanceof CelFailure) return clause;
    used += 1;
    parts.push(clause);
  }
  parts.push(text.slice(index));
  return parts;
}

function readClause(
  precision: string | undefined,
  verb: string | undefined,
): FormatClause | CelFailure {
  if (verb === undefined) {
    return new CelFailure(
      precision === undefined
        ? 'unexpected end of string'
        : 'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
    );
  }
  if (precision === '.') {
    return new CelFailure(
      'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    );
  }
  if (clauseProblems[verb] === undefined) {
    return new CelFailure(
      `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
    );
  }
  const digits = precision === undefined ? undefined : Number(precision.slice(1));
  if (digits !== undefined && digits > maxPrecision) {
    return new CelFailure(`precision exceeds the limit of ${maxPrecision}`);
  }
  return { verb, precision: digits };
}

/** `'%s has %d'.format([…])`, as Kubernetes writes it: numbers in the manner of English texts. */
export function formatText(text: string, values: readonly CelResult[]): string | CelFailure {
  return format(text, values, writeClause);
}

/** The same as newer versions of the language write it: plain, and without marks around texts in lists. */
export function formatPlainText(text: string, values: readonly CelResult[]): string | CelFailure {
  return format(text, values, writePlainClause);
}

type ClauseWriter = (clause: FormatClause, value: CelValue) => string | CelFailure;

function format(
  text: string,
  values: readonly CelResult[],
  write: ClauseWriter,
): string | CelFailure {
  const parts = parseFormat(text, values.length);
  if (parts instanceof CelFailure) return parts;
  let used = 0;
  let result = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      result += part;
      continue;
    }
    const value = values[used] as CelResult;
    used += 1;
    if (value instanceof CelFailure) return value;
    const written = write(part, value);
    if (written instanceof CelFailure) {
      return new CelFailure(`error during formatting: ${written.message}`);
    }
    result += written;
  }
  return result;
}

function writeClause(clause: FormatClause, value: CelValue): string | CelFailure {
  const { verb, precision = 6 } = clause;
  switch (verb) {
    case 's':
      return writeText(value);
    case 'f':
    case 'e': {
      const number = doubleOf(value);
      if (number === undefined) break;
      return verb === 'f' ? writeFixed(number, precision) : writeScientific(number, precision);
    }
    case 'd': {
      const whole = wholeOf(value);
      if (whole !== undefined) return String(whole);
      break;
    }
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return wholeOf(value)?.toString(2) ?? problem(verb, value);
    case 'o':
      return wholeOf(value)?.toString(8) ?? problem(verb, value);
    default: {
      const hex = hexOf(value);
      if (hex !== undefined) return verb === 'X' ? hex.toUpperCase() : hex;
    }
  }
  return problem(verb, value);
}

function writePlainClause(clause: FormatClause, value: CelValue): string | CelFailure {
  const { verb, precision = 6 } = clause;
  if (verb === 's') return writePlain(value);
  if (verb !== 'f' && verb !== 'e') return writeClause(clause, value);
  const whole = wholeOf(value);
  const number = whole === undefined ? doubleOf(value) : Number(whole);
  if (number === undefined) return problem(verb, value);
  if (!Number.isFinite(number)) return String(number);
  return verb === 'f'
    ? showFixed(number, precision)
    : number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function writePlain(value: CelResult): string | CelFailure {
  if (value instanceof CelFailure) return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return String(value);
    const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
    return value === 0 ? '0' : plainDecimal(mantissa, Number(exponent));
  }
  if (value instanceof CelList) {
    const parts = [...value].map(writePlain);
    return parts.find((part) => part instanceof CelFailure) ?? `[${parts.join(', ')}]`;
  }
  if (!(value instanceof CelMap)) return writeText(value);
  const parts = [...value.keys()].map((key) => {
    const [name, text] = [writePlain(key), writePlain(value.find(key) as CelResult)];
    return name instanceof CelFailure
      ? name
      : text instanceof CelFailure
        ? text
        : `${name}: ${text}`;
  });
  return parts.find((part) => part instanceof CelFailure) ?? `{${parts.sort().join(', ')}}`;
}

const problem = (verb: string, value: CelValue) =>
  new CelFailure(`${clauseProblems[verb]} ${typeNameOf(value)}`);

function wholeOf(value: CelValue): bigint | undefined {
  return typeof value === 'bigint' ? value : value instanceof CelUint ? value.value : undefined;
}

function doubleOf(value: CelValue): number | undefined {
  if (typeof value === 'number') return value;
  const special: Record<string, number> = { NaN: Number.NaN, Infinity, '-Infinity': -Infinity };
  return typeof value === 'string' ? special[value] : undefined;
}

function writeFixed(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  const [whole = '', fraction] = showFixed(value, precision).split('.');
  const grouped = Math.abs(value) < 1e21 ? whole.replaceAll(/\B(?=(\d{3})+$)/g, ',') : whole;
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** The locale that Kubernetes writes in has powers of ten with raised digits of two places. */
function writeScientific(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  const [mantissa = '', exponent = '0'] = value.toExponential(precision).split('e');
  const raised = [...String(Math.abs(Number(exponent))).padStart(2, '0')]
    .map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])
    .join('');
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`;
}

function hexOf(value: CelValue): string | undefined {
  const whole = wholeOf(value);
  if (whole !== undefined) return whole.toString(16);
  const bytes = typeof value === 'string' ? encodeText(value) : value;
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : undefined;
}

function writeText(value: CelValue): string | CelFailure {
  if (value === null) return 'null';
  if (value instanceof CelList) return writeList(value);
  if (value instanceof CelMap) return writeMap(value);
  const text = toText(value);
  if (typeof text === 'string') return text;
  return text instanceof CelFailure && value instanceof Uint8Array ? text : problem('s', value);
}

/** A value inside a list or map: as one would write it in an expression. */
function writeInner(value: CelResult): string | CelFailure {
  if (value instanceof CelFailure) return value;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    const text = Number.isFinite(value) ? showFixed(value, 6) : showDouble(value);
    return Number.isFinite(value) ? text : JSON.stringify(text);
  }
  const text = writeText(value);
  if (text instanceof CelFailure)
    return new CelFailure(`no formatting function for ${typeNameOf(value)}`);
  if (value instanceof Uint8Array) return `b${JSON.stringify(text)}`;
  if (value instanceof CelTimestamp) return `timestamp(${JSON.stringify(text)})`;
  if (value instanceof CelDuration) return `duration(${JSON.stringify(text)})`;
  return value instanceof CelTypeValue ? value.name : text;
}

function writeList(list: CelList): string | CelFailure {
  const parts: string[] = [];
  for (const item of list) {
    const text = writeInner(item);
    if (text instanceof CelFailure) return text;
    parts.push(text);
  }
  return `[${parts.join(', ')}]`;
}

function writeMap(map: CelMap): string | CelFailure {
  const parts: [string, string][] = [];
  for (const key of map.keys()) {
    const [name, text] = [writeInner(key), writeInner(map.find(key) as CelResult)];
    if (name instanceof CelFailure) return name;
    if (text instanceof CelFailure) return text;
    parts.push([name, text]);
  }
  parts.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return `{${parts.map(([name, text]) => `${name}:${text}`).join(', ')}}`;
}
