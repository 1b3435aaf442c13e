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
  /** 18 keys and, after them, 4 boxes of 256 words: one table, since a round of bcrypt writes it from end to end. */
  readonly #table: Int32Array = piWords().slice();
  readonly #pair = new Int32Array(2);

  /** Mixes a key in, and a salt where there is one. */
  expand(key: Int32Array, salt?: Int32Array): void {
    const table = this.#table;
    const pair = this.#pair;
    for (let at = 0; at < 18; at++) table[at]! ^= key[at]!;
    pair[0] = 0;
    pair[1] = 0;
    for (let at = 0; at < wordCount; at += 2) {
      if (salt !== undefined) {
        pair[0] ^= salt[at % salt.length]!;
        pair[1] ^= salt[(at + 1) % salt.length]!;
      }
      encrypt(table, pair);
      table[at] = pair[0];
      table[at + 1] = pair[1];
    }
  }

  /** Encrypts two words in place, so many times. */
  encrypt(block: Int32Array, at: number, times: number): void {
    const pair = block.subarray(at, at + 2);
    for (let time = 0; time < times; time++) encrypt(this.#table, pair);
  }
}

/** Two rounds a turn, so that the halves need not change places. */
function encrypt(table: Int32Array, pair: Int32Array): void {
  let left = pair[0]! ^ table[0]!;
  let right = pair[1]!;
  for (let round = 1; round <= 16; round += 2) {
    right ^=
      (((table[18 + (left >>> 24)]! + table[274 + ((left >>> 16) & 0xff)]!) ^
        table[530 + ((left >>> 8) & 0xff)]!) +
        table[786 + (left & 0xff)]!) ^
      table[round]!;
    left ^=
      (((table[18 + (right >>> 24)]! + table[274 + ((right >>> 16) & 0xff)]!) ^
        table[530 + ((right >>> 8) & 0xff)]!) +
        table[786 + (right & 0xff)]!) ^
      table[round + 1]!;
  }
  pair[0] = right ^ table[17]!;
  pair[1] = left;
}

/** The first 18 words of some bytes, over and over. */
export function keyWords(bytes: Uint8Array): Int32Array {
  return Int32Array.from({ length: 18 }, (_, word) => {
    let value = 0;
    for (let at = 0; at < 4; at++) value = (value << 8) | bytes[(word * 4 + at) % bytes.length]!;
    return value;
  });
}
