// The tables that Blowfish starts with are the digits of pi after the point: 18 words and 4 boxes of 256.
const wordCount = 18 + 4 * 256;

let digits: Int32Array | undefined;

/** Pi by Machin's formula, 16·atan(1/5) - 4·atan(1/239), in whole numbers. */
function piWords(): Int32Array {
  if (digits !== undefined) return digits;
  const guard = 64n;
  const bits = BigInt(wordCount * 32) + guard;
  const one = 1n << bits;
  const arctan = (inverse: bigint): bigint => {
    const square = inverse * inverse;
    let power = one / inverse;
    let sum = power;
    for (let at = 3n, sign = -1n; power > 0n; at += 2n, sign = -sign) {
      power /= square;
      sum += sign * (power / at);
    }
    return sum;
  };
  const pi = 16n * arctan(5n) - 4n * arctan(239n);
  const fraction = ((pi & (one - 1n)) >> guard).toString(16).padStart(wordCount * 8, '0');
  digits = Int32Array.from({ length: wordCount }, (_, at) =>
    Number.parseInt(fraction.slice(at * 8, at * 8 + 8), 16),
  );
  return digits;
}

/** The cipher under bcrypt: keys and salts are mixed into its tables again and again. */
export class Blowfish {
  readonly #keys: Int32Array;
  readonly #boxes: Int32Array;
  #left = 0;
  #right = 0;

  constructor() {
    const words = piWords();
    this.#keys = words.slice(0, 18);
    this.#boxes = words.slice(18);
  }

  /** Mixes a key in, and a salt where there is one. */
  expand(key: Uint8Array, salt?: Uint8Array): void {
    const next = wordsOf(key);
    for (let at = 0; at < 18; at++) this.#keys[at]! ^= next();
    const salted = salt === undefined ? () => 0 : wordsOf(salt);
    this.#left = 0;
    this.#right = 0;
    for (const table of [this.#keys, this.#boxes]) {
      for (let at = 0; at < table.length; at += 2) {
        this.#left ^= salted();
        this.#right ^= salted();
        this.#encrypt();
        table[at] = this.#left;
        table[at + 1] = this.#right;
      }
    }
  }

  /** Encrypts two words in place, so many times. */
  encrypt(block: Int32Array, at: number, times: number): void {
    this.#left = block[at]!;
    this.#right = block[at + 1]!;
    for (let time = 0; time < times; time++) this.#encrypt();
    block[at] = this.#left;
    block[at + 1] = this.#right;
  }

  #encrypt(): void {
    const keys = this.#keys;
    const boxes = this.#boxes;
    let left = this.#left ^ keys[0]!;
    let right = this.#right;
    for (let round = 1; round <= 16; round++) {
      const mixed =
        (((boxes[left >>> 24]! + boxes[256 + ((left >>> 16) & 0xff)]!) ^
          boxes[512 + ((left >>> 8) & 0xff)]!) +
          boxes[768 + (left & 0xff)]!) |
        0;
      const other = right ^ mixed ^ keys[round]!;
      right = left;
      left = other;
    }
    this.#left = right ^ keys[17]!;
    this.#right = left;
  }
}

/** The words of some bytes, over and over. */
function wordsOf(bytes: Uint8Array): () => number {
  let at = 0;
  return () => {
    let word = 0;
    for (let count = 0; count < 4; count++) {
      word = (word << 8) | bytes[at]!;
      at = at + 1 === bytes.length ? 0 : at + 1;
    }
    return word;
  };
}
