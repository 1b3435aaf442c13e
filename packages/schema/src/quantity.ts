import { SchemaError } from './error.ts';

/** How a quantity is written: in powers of 1,000, in powers of 1,024, or with an exponent. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** The smallest unit is 10^-9; what is finer is rounded up, away from zero. */
const perNano = 1_000_000_000n;
/** Kubernetes caps a quantity at 2^63-1. */
const maxNano = ((1n << 63n) - 1n) * perNano;
const maxText = 256;
const maxExponent = 400;

/**
 * A resource quantity (`100m`, `1.5Gi`, `2e3`), exact to 10^-9. It prints in Kubernetes' canonical
 * form: no fraction, the largest suffix that needs none, in the format that it was read in.
 *
 * ```ts
 * Quantity.parse('0.5Gi').toString(); // '512Mi'
 * Quantity.parse('1500m').add(Quantity.parse('1')).toString(); // '2500m'
 * ```
 */
export class Quantity {
  readonly format: QuantityFormat;
  readonly #nano: bigint;

  private constructor(nano: bigint, format: QuantityFormat) {
    this.#nano = nano > maxNano ? maxNano : nano < -maxNano ? -maxNano : nano;
    this.format = format;
  }

  /** @throws SchemaError `WG_SCHEMA_QUANTITY` */
  static parse(value: string | number | bigint): Quantity {
    const text = String(value);
    const match =
      text.length > maxText
        ? null
        : /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE][+-]?\d+)|([KMGTPE]i)|([numkMGTPE]))?$/.exec(text);
    if (match === null || ((match[2] ?? '') === '' && (match[3] ?? '') === '')) {
      throw new SchemaError(
        'WG_SCHEMA_QUANTITY',
        `invalid quantity "${text.slice(0, 80)}": expected a number with an optional suffix such as m, k, Mi or e3`,
      );
    }
    const [, sign, whole = '', fraction = '', exponent, binary, decimal = ''] = match;
    const digits = BigInt(`${whole}${fraction}` || '0');
    let numerator = digits * perNano;
    let tens = -fraction.length;
    let format: QuantityFormat = 'DecimalSI';
    if (exponent !== undefined) {
      format = 'DecimalExponent';
      tens += Math.max(-maxExponent, Math.min(maxExponent, Number(exponent.slice(1))));
    } else if (binary !== undefined) {
      format = 'BinarySI';
      const power = binarySuffixes.indexOf(binary as (typeof binarySuffixes)[number]);
      numerator <<= BigInt(10 * power);
    } else {
      tens += (decimalSuffixes.indexOf(decimal as (typeof decimalSuffixes)[number]) - 3) * 3;
    }
    const nano =
      tens >= 0 ? numerator * 10n ** BigInt(tens) : roundUp(numerator, 10n ** BigInt(-tens));
    return new Quantity(sign === '-' ? -nano : nano, format);
  }

  static fromNumber(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(Quantity.parse(value).#nano, format);
  }

  static isQuantity(text: string): boolean {
    try {
      Quantity.parse(text);
      return true;
    } catch {
      return false;
    }
  }

  add(other: Quantity): Quantity {
    const format = this.isZero() ? other.format : this.format;
    return new Quantity(this.#nano + other.#nano, format);
  }

  subtract(other: Quantity): Quantity {
    const format = this.isZero() ? other.format : this.format;
    return new Quantity(this.#nano - other.#nano, format);
  }

  multiply(factor: number | bigint): Quantity {
    return new Quantity(this.#nano * BigInt(factor), this.format);
  }

  compare(other: Quantity): -1 | 0 | 1 {
    return this.#nano < other.#nano ? -1 : this.#nano > other.#nano ? 1 : 0;
  }

  equals(other: Quantity): boolean {
    return this.#nano === other.#nano;
  }

  isZero(): boolean {
    return this.#nano === 0n;
  }

  /** The value as an integer, rounded up. */
  value(): bigint {
    return this.scaledValue(0);
  }

  /** Thousandths, rounded up: CPU is counted so. */
  milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /** The value in units of 10^`power` (from -9), rounded up. */
  scaledValue(power: number): bigint {
    const unit = power + 9;
    return this.#nano < 0n
      ? -roundUp(-this.#nano, 10n ** BigInt(unit))
      : roundUp(this.#nano, 10n ** BigInt(unit));
  }

  toNumber(): number {
    return Number(this.#nano / perNano) + Number(this.#nano % perNano) / 1e9;
  }

  toString(): string {
    if (this.#nano === 0n) return '0';
    const small = this.#nano > -1024n * perNano && this.#nano < 1024n * perNano;
    if (this.format === 'BinarySI' && !small && this.#nano % perNano === 0n) {
      return printBinary(this.#nano / perNano);
    }
    return printDecimal(this.#nano, this.format === 'DecimalExponent');
  }

  toJSON(): string {
    return this.toString();
  }
}

function roundUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

function printBinary(value: bigint): string {
  let mantissa = value;
  let power = 0;
  while (mantissa % 1024n === 0n && power < binarySuffixes.length - 1) {
    mantissa /= 1024n;
    power++;
  }
  return `${mantissa}${binarySuffixes[power]}`;
}

function printDecimal(nano: bigint, withExponent: boolean): string {
  let mantissa = nano;
  let thousands = -3;
  while (mantissa % 1000n === 0n && (withExponent || thousands < 6)) {
    mantissa /= 1000n;
    thousands++;
  }
  if (!withExponent) return `${mantissa}${decimalSuffixes[thousands + 3]}`;
  return thousands === 0 ? `${mantissa}` : `${mantissa}e${thousands * 3}`;
}
