const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(m|u|n|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,3})?$/;

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * The canonical text of a quantity (`0.5` is `500m`, `1024Ki` is `1Mi`), or undefined when
 * it is none. The form (decimal, binary, exponent) stays what it was.
 */
export function canonicalQuantity(text: string): string | undefined {
  const match = syntax.exec(text);
  if (match === null || text.length > 64) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  if (digits === 0n) return '0';
  const minus = sign === '-' ? '-' : '';
  if (suffix.endsWith('i')) {
    const power = binarySuffixes.indexOf(suffix) * 10;
    const scaled = digits << BigInt(power);
    const divisor = 10n ** BigInt(fraction.length);
    if (scaled % divisor !== 0n) return minus + decimalText(digits * 2n ** BigInt(power), -fraction.length);
    return minus + binaryText(scaled / divisor);
  }
  const exponent = suffixExponent(suffix) - fraction.length;
  if (/^[eE]/.test(suffix)) return minus + exponentText(digits, exponent);
  return minus + decimalText(digits, exponent);
}

function suffixExponent(suffix: string): number {
  if (/^[eE][+-]?\d/.test(suffix)) return Number(suffix.slice(1));
  return (decimalSuffixes.indexOf(suffix) - 3) * 3;
}

/** digits × 10^exponent with the largest suffix that leaves no fraction. Below nano it rounds up. */
function decimalText(digits: bigint, exponent: number): string {
  let value = digits;
  let power = exponent;
  while (power < -9) {
    value = (value + 9n) / 10n;
    power++;
  }
  while (value % 10n === 0n && power < 18) {
    value /= 10n;
    power++;
  }
  while (power % 3 !== 0 || power > 18) {
    value *= 10n;
    power--;
  }
  return `${value}${decimalSuffixes[power / 3 + 3]}`;
}

function exponentText(digits: bigint, exponent: number): string {
  let value = digits;
  let power = exponent;
  while (value % 10n === 0n) {
    value /= 10n;
    power++;
  }
  while (power % 3 !== 0) {
    value *= 10n;
    power--;
  }
  return power === 0 ? String(value) : `${value}e${power}`;
}

function binaryText(value: bigint): string {
  let rest = value;
  let step = 0;
  while (rest % 1024n === 0n && step < binarySuffixes.length - 1) {
    rest /= 1024n;
    step++;
  }
  return `${rest}${binarySuffixes[step]}`;
}
