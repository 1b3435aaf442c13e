import {
  expectNumber,
  expectText,
  generalText,
  type LuaBudget,
  LuaFailure,
  type LuaValue,
  toText,
} from './lua-value.ts';

const directive = /%([-+ #0]*)(\d*)(?:\.(\d*))?([\s\S]?)/g;
/** What `#` puts before a number that is not decimal. */
const marks: Readonly<Record<string, string>> = { x: '0x', X: '0X', o: '0' };
const known = 'cdiuxXofFeEgGsq%';

/** What is wrong with a format, whatever it is filled with. */
export function checkFormat(format: string): string | undefined {
  for (const [whole, , width = '', precision = '', kind] of format.matchAll(directive)) {
    const isTooWide = width.length > 2 || precision.length > 2;
    if (isTooWide || kind === undefined || kind === '' || !known.includes(kind)) {
      return `the format '${whole}' is not understood`;
    }
  }
  return undefined;
}

/** `string.format`. */
export function formatText(args: readonly LuaValue[], budget: LuaBudget): LuaValue[] {
  const format = expectText(args[0], 'format');
  const problem = checkFormat(format);
  if (problem !== undefined) throw new LuaFailure(problem);
  budget.spend(format.length);
  let index = 0;
  const text = format.replace(directive, (_, flags: string, width, precision, kind: string) => {
    if (kind === '%') return '%';
    index += 1;
    if (index >= args.length) {
      throw new LuaFailure(`bad argument #${index + 1} to 'format' (no value)`);
    }
    const digits = precision === undefined ? undefined : Number(precision);
    const filled = fill(kind, args[index], digits, flags);
    budget.take(filled.length);
    // Whole numbers that say how many digits they have are not filled up with zeros.
    const isSpaced = 'sqc'.includes(kind) || ('diuxXo'.includes(kind) && digits !== undefined);
    return pad(filled, Number(width || 0), flags, isSpaced);
  });
  budget.take(text.length);
  return [text];
}

function fill(kind: string, value: LuaValue, digits: number | undefined, flags: string): string {
  if (kind === 's') {
    const text = toText(value);
    return digits === undefined ? text : text.slice(0, digits);
  }
  if (kind === 'q') {
    const text = expectText(value, 'format');
    const escaped = text.replace(/["\\\n]/g, '\\$&').replaceAll('\r', '\\13');
    return `"${escaped.replaceAll('\0', '\\0')}"`;
  }
  const number = expectNumber(value, 'format');
  if (kind === 'c') return String.fromCharCode(number & 255);
  const sign = number < 0 ? '' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  if ('diuxXo'.includes(kind)) {
    const whole = Math.trunc(number);
    const radix = kind === 'o' ? 8 : kind.toLowerCase() === 'x' ? 16 : 10;
    const written = digits === 0 && whole === 0 ? '' : Math.abs(whole).toString(radix);
    const text = written.padStart(digits ?? 0, '0');
    const mark = flags.includes('#') && whole !== 0 ? (marks[kind] ?? '') : '';
    const before = whole < 0 ? '-' : 'di'.includes(kind) ? sign : '';
    return before + mark + (kind === 'X' ? text.toUpperCase() : text);
  }
  const text = floatText(kind.toLowerCase(), number, digits ?? 6);
  return sign + (kind === kind.toLowerCase() ? text : text.toUpperCase());
}

function floatText(kind: string, number: number, digits: number): string {
  if (kind === 'g' || !Number.isFinite(number)) return generalText(number, digits);
  if (kind === 'f') return number.toFixed(digits);
  return number
    .toExponential(digits)
    .replace(/e([+-])(\d)$/, (_, sign: string, digit: string) => `e${sign}0${digit}`);
}

function pad(text: string, width: number, flags: string, isText: boolean): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0') || isText) return text.padStart(width);
  const sign = /^[+ -]/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}
