import { encodeBytes } from './bytes.ts';
import { type FloatVerb, formatGoFloat } from './float-text.ts';
import type { FormatFlags } from './format-flags.ts';
import { canBackquote, isPrintable, quoteRune, quoteString } from './quote.ts';

/** An integer by a verb; undefined where the verb is not one of integers. */
export function formatInteger(
  flags: FormatFlags,
  value: bigint,
  isSigned: boolean,
  verb: string,
): string | undefined {
  switch (verb) {
    case 'v':
      return flags.sharpV && !isSigned
        ? hexadecimal(flags, value)
        : integer(flags, value, 10, verb);
    case 'd':
      return integer(flags, value, 10, verb);
    case 'b':
      return integer(flags, value, 2, verb);
    case 'o':
    case 'O':
      return integer(flags, value, 8, verb);
    case 'x':
    case 'X':
      return integer(flags, value, 16, verb);
    case 'c':
      return flags.pad(String.fromCodePoint(validRune(value)));
    case 'q':
      return flags.pad(quoteRune(validRune(value), flags.plus));
    case 'U':
      return unicode(flags, BigInt.asUintN(64, value));
    default:
      return undefined;
  }
}

function validRune(value: bigint): number {
  const isRune = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value < 0xe000n);
  return isRune ? Number(value) : 0xfffd;
}

/** As `0x1f`, whatever the flags say. */
export function hexadecimal(flags: FormatFlags, value: bigint, leads = true): string {
  const { sharp } = flags;
  flags.sharp = leads;
  const text = integer(flags, value, 16, 'v');
  flags.sharp = sharp;
  return text;
}

function integer(flags: FormatFlags, value: bigint, base: number, verb: string): string {
  const isNegative = value < 0n;
  let digits = (isNegative ? -value : value).toString(base);
  if (verb === 'X') digits = digits.toUpperCase();
  let least = 0;
  if (flags.hasPrecision) {
    least = flags.precision;
    if (least === 0 && value === 0n) return ' '.repeat(flags.width);
  } else if (flags.zero && !flags.minus && flags.hasWidth) {
    least = flags.width - (isNegative || flags.plus || flags.space ? 1 : 0);
  }
  digits = digits.padStart(least, '0');
  if (flags.sharp) {
    if (base === 2) digits = `0b${digits}`;
    else if (base === 8 && digits[0] !== '0') digits = `0${digits}`;
    else if (base === 16) digits = `0${verb === 'X' ? 'X' : 'x'}${digits}`;
  }
  if (verb === 'O') digits = `0o${digits}`;
  const sign = isNegative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  return flags.pad(sign + digits, false);
}

function unicode(flags: FormatFlags, value: bigint): string {
  const least = flags.hasPrecision && flags.precision > 4 ? flags.precision : 4;
  let text = `U+${value.toString(16).toUpperCase().padStart(least, '0')}`;
  const isRune = value <= 0x10ffffn && !(value >= 0xd800n && value < 0xe000n);
  if (flags.sharp && isRune && isPrintable(Number(value))) {
    text += ` '${String.fromCodePoint(Number(value))}'`;
  }
  return flags.pad(text, false);
}

/** A float by a verb; undefined where the verb is not one of floats. */
export function formatFloatVerb(
  flags: FormatFlags,
  value: number,
  verb: string,
): string | undefined {
  switch (verb) {
    case 'v':
      return float(flags, value, 'g', -1);
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X':
      return float(flags, value, verb, -1);
    case 'f':
    case 'e':
    case 'E':
      return float(flags, value, verb, 6);
    case 'F':
      return float(flags, value, 'f', 6);
    default:
      return undefined;
  }
}

function float(flags: FormatFlags, value: number, verb: FloatVerb, usual: number): string {
  const precision = flags.hasPrecision ? flags.precision : usual;
  let text = formatGoFloat(value, verb, precision);
  let sign = '+';
  if (text[0] === '-' || text[0] === '+') {
    sign = text[0];
    text = text.slice(1);
  }
  if (flags.space && sign === '+' && !flags.plus) sign = ' ';
  if (text[0] === 'I' || text[0] === 'N') {
    const hasSign = text[0] === 'I' ? flags.plus || sign !== '+' : flags.plus || flags.space;
    // A signed infinity keeps its sign; that of a plain one is dropped where nobody asked for it.
    return flags.pad(text[0] === 'I' || hasSign ? sign + text : text, false);
  }
  if (flags.sharp && verb !== 'b') text = withPoint(text, verb, precision);
  if (!flags.plus && sign === '+') return flags.pad(text);
  if (flags.zero && !flags.minus && flags.hasWidth && flags.width > text.length + 1) {
    return sign + text.padStart(flags.width - 1, '0');
  }
  return flags.pad(sign + text);
}

/** The `#` flag: a decimal point always, and for `%g` the zeros at the end. */
function withPoint(text: string, verb: FloatVerb, precision: number): string {
  let missing =
    verb === 'g' || verb === 'G' || verb === 'x' ? (precision === -1 ? 6 : precision) : 0;
  const isHex = verb === 'x' || verb === 'X';
  const tailAt = text.search(isHex ? /[pP]/ : /[eEpP]/);
  const tail = tailAt < 0 ? '' : text.slice(tailAt);
  let number = tailAt < 0 ? text : text.slice(0, tailAt);
  let sawNonzero = false;
  for (const each of number) {
    if (each === '.') continue;
    if (each !== '0') sawNonzero = true;
    if (sawNonzero) missing--;
  }
  if (!number.includes('.')) {
    if (number === '0') missing--;
    number += '.';
  }
  return number + '0'.repeat(Math.max(missing, 0)) + tail;
}

/** A string by a verb; undefined where the verb is not one of strings. */
export function formatString(flags: FormatFlags, text: string, verb: string): string | undefined {
  switch (verb) {
    case 'v':
      return flags.sharpV ? quoted(flags, text) : flags.pad(flags.truncate(text));
    case 's':
      return flags.pad(flags.truncate(text));
    case 'x':
    case 'X':
      return hexBytes(flags, encodeBytes(text), verb);
    case 'q':
      return quoted(flags, text);
    default:
      return undefined;
  }
}

function quoted(flags: FormatFlags, text: string): string {
  const cut = flags.truncate(text);
  if (flags.sharp && canBackquote(cut)) return flags.pad(`\`${cut}\``);
  return flags.pad(quoteString(cut, flags.plus));
}

/** Bytes as hexadecimal digits. */
export function hexBytes(flags: FormatFlags, bytes: Uint8Array, verb: string): string {
  const count = flags.hasPrecision ? Math.min(flags.precision, bytes.length) : bytes.length;
  if (count === 0) return flags.hasWidth ? ' '.repeat(flags.width) : '';
  const lead = flags.sharp ? `0${verb}` : '';
  const digits = Array.from(bytes.subarray(0, count), (byte) => byte.toString(16).padStart(2, '0'));
  const text = lead + digits.join(flags.space ? ` ${lead}` : '');
  const upper = verb === 'X' ? text.toUpperCase() : text;
  return flags.pad(upper);
}
