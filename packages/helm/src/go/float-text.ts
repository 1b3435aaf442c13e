import {
  binaryParts,
  type Digits,
  exactDigits,
  roundDigits,
  shortestDigits,
} from './float-digits.ts';

/** The verbs of Go's strconv.FormatFloat. */
export type FloatVerb = 'b' | 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X';

/**
 * A float as Go's strconv.FormatFloat writes it; a precision of -1 asks for the fewest digits that read
 * back as the same number.
 */
export function formatGoFloat(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  switch (verb) {
    case 'b': {
      const { mantissa, exponent } = binaryParts(size);
      return `${sign}${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`;
    }
    case 'x':
    case 'X': {
      const text = hexFloat(size, precision);
      return sign + (verb === 'X' ? text.toUpperCase() : text);
    }
    case 'e':
    case 'E':
      return sign + exponential(size, verb, precision);
    case 'f':
      return sign + positional(size, precision);
    default:
      return sign + general(size, verb, precision);
  }
}

function exponential(size: number, verb: 'e' | 'E', precision: number): string {
  const digits =
    precision < 0 ? shortestDigits(size) : roundDigits(exactDigits(size), precision + 1);
  return withExponent(
    digits,
    verb,
    precision < 0 ? Math.max(digits.digits.length - 1, 0) : precision,
  );
}

function withExponent({ digits, point }: Digits, verb: string, decimals: number): string {
  const first = digits[0] ?? '0';
  const rest = digits.slice(1, decimals + 1).padEnd(decimals, '0');
  const exponent = digits === '' ? 0 : point - 1;
  const text = String(Math.abs(exponent)).padStart(2, '0');
  return `${first}${rest && `.${rest}`}${verb}${exponent < 0 ? '-' : '+'}${text}`;
}

function positional(size: number, precision: number): string {
  const exact = precision < 0 ? shortestDigits(size) : exactDigits(size);
  const { digits, point } = precision < 0 ? exact : roundDigits(exact, exact.point + precision);
  const decimals = precision < 0 ? Math.max(digits.length - point, 0) : precision;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (decimals === 0) return whole;
  const fraction =
    point > 0 ? digits.slice(point) : '0'.repeat(Math.min(-point, decimals)) + digits;
  return `${whole}.${fraction.slice(0, decimals).padEnd(decimals, '0')}`;
}

function general(size: number, verb: 'g' | 'G', precision: number): string {
  const isShortest = precision < 0;
  const wanted = precision === 0 ? 1 : precision;
  const digits = isShortest ? shortestDigits(size) : roundDigits(exactDigits(size), wanted);
  const count = digits.digits.length;
  let limit = isShortest ? 6 : wanted;
  if (!isShortest && limit > count && count >= digits.point) limit = count;
  const exponent = digits.point - 1;
  if (count > 0 && (exponent < -4 || exponent >= limit)) {
    return withExponent(digits, verb === 'g' ? 'e' : 'E', count - 1);
  }
  const { digits: text, point } = digits;
  const decimals = Math.max(count - point, 0);
  const whole = point > 0 ? text.slice(0, point).padEnd(point, '0') : '0';
  if (decimals === 0 || count === 0) return whole;
  return `${whole}.${point > 0 ? text.slice(point) : '0'.repeat(-point) + text}`;
}

function hexFloat(size: number, precision: number): string {
  if (size === 0) return `0x0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}p+00`;
  let { mantissa, exponent } = binaryParts(size);
  while (mantissa < 1n << 52n) {
    mantissa <<= 1n;
    exponent--;
  }
  exponent += 52;
  if (precision >= 0 && precision < 13) {
    const dropped = BigInt(52 - precision * 4);
    const half = 1n << (dropped - 1n);
    const rest = mantissa & ((1n << dropped) - 1n);
    mantissa >>= dropped;
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa++;
    mantissa <<= dropped;
    if (mantissa >= 1n << 53n) {
      mantissa >>= 1n;
      exponent++;
    }
  }
  let fraction = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, '0');
  fraction =
    precision < 0
      ? fraction.replace(/0+$/, '')
      : fraction.slice(0, precision).padEnd(precision, '0');
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `0x1${fraction && `.${fraction}`}p${exponent < 0 ? '-' : '+'}${power}`;
}
