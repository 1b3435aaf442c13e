/** Exponents beyond this are taken for this: nobody computes with them, and nobody shall be made to. */
const maxExponent = 2000;

/**
 * A number of JSON as it was written: nothing of it is lost to floating point, and messages print the text.
 */
export class JsonNumber {
  readonly text: string;
  readonly #digits: bigint;
  readonly #exponent: number;

  constructor(text: string) {
    this.text = text;
    const [, sign = '', whole = '0', fraction = '', power = '0'] =
      /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
    this.#digits = BigInt(`${whole}${fraction}` || '0') * (sign === '-' ? -1n : 1n);
    const exponent = Number(power) - fraction.length;
    this.#exponent = Math.max(-maxExponent, Math.min(maxExponent, exponent));
  }

  /** The nearest float. */
  get float(): number {
    return Number(this.text);
  }

  isInteger(): boolean {
    if (this.#exponent >= 0 || this.#digits === 0n) return true;
    return this.#digits % 10n ** BigInt(-this.#exponent) === 0n;
  }

  /** Negative, zero or positive, as the other is greater, equal or less. */
  compare(other: JsonNumber): number {
    const [left, right] = this.#aligned(other);
    return left < right ? -1 : left > right ? 1 : 0;
  }

  isMultipleOf(other: JsonNumber): boolean {
    const [left, right] = this.#aligned(other);
    return right !== 0n && left % right === 0n;
  }

  #aligned(other: JsonNumber): [bigint, bigint] {
    const least = Math.min(this.#exponent, other.#exponent);
    const scaled = (each: JsonNumber) => each.#digits * 10n ** BigInt(each.#exponent - least);
    return [scaled(this), scaled(other)];
  }
}
