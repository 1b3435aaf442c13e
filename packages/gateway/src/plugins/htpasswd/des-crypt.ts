import { cryptAlphabet } from './crypt-text.ts';

/* The tables of FIPS 46-3; positions count from one. */
const initialPermutation = table(
  '58 50 42 34 26 18 10 2 60 52 44 36 28 20 12 4 62 54 46 38 30 22 14 6 64 56 48 40 32 24 16 8 ' +
    '57 49 41 33 25 17 9 1 59 51 43 35 27 19 11 3 61 53 45 37 29 21 13 5 63 55 47 39 31 23 15 7',
);
const finalPermutation = table(
  '40 8 48 16 56 24 64 32 39 7 47 15 55 23 63 31 38 6 46 14 54 22 62 30 37 5 45 13 53 21 61 29 ' +
    '36 4 44 12 52 20 60 28 35 3 43 11 51 19 59 27 34 2 42 10 50 18 58 26 33 1 41 9 49 17 57 25',
);
const expansion = table(
  '32 1 2 3 4 5 4 5 6 7 8 9 8 9 10 11 12 13 12 13 14 15 16 17 ' +
    '16 17 18 19 20 21 20 21 22 23 24 25 24 25 26 27 28 29 28 29 30 31 32 1',
);
const permutation = table(
  '16 7 20 21 29 12 28 17 1 15 23 26 5 18 31 10 2 8 24 14 32 27 3 9 19 13 30 6 22 11 4 25',
);
const keyChoice = table(
  '57 49 41 33 25 17 9 1 58 50 42 34 26 18 10 2 59 51 43 35 27 19 11 3 60 52 44 36 ' +
    '63 55 47 39 31 23 15 7 62 54 46 38 30 22 14 6 61 53 45 37 29 21 13 5 28 20 12 4',
);
const keyCompression = table(
  '14 17 11 24 1 5 3 28 15 6 21 10 23 19 12 4 26 8 16 7 27 20 13 2 ' +
    '41 52 31 37 47 55 30 40 51 45 33 48 44 49 39 56 34 53 46 42 50 36 29 32',
);
const shifts = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];
/** Each box as 64 hexadecimal digits, row by row. */
const boxes = [
  'e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d',
  'f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9',
  'a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c',
  '7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e',
  '2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453',
  'c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d',
  '4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c',
  'd2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b',
].map((digits) => [...digits].map((digit) => Number.parseInt(digit, 16)));

/** The oldest crypt(3): 25 rounds of DES, with a salt of twelve bits. Of a password eight characters count. */
export function desCrypt(password: Buffer, salt: string): string {
  const keyBits: number[] = [];
  for (let index = 0; index < 8; index += 1) {
    const byte = (password[index] ?? 0) & 0x7f;
    for (let bit = 6; bit >= 0; bit -= 1) keyBits.push((byte >> bit) & 1);
    keyBits.push(0);
  }
  const keys = roundKeys(keyBits);
  const salted = saltedExpansion(salt);
  let block: number[] = Array<number>(64).fill(0);
  for (let round = 0; round < 25; round += 1) block = encrypt(block, keys, salted);
  let text = salt.slice(0, 2);
  const padded = [...block, 0, 0];
  for (let at = 0; at < 66; at += 6) {
    text += cryptAlphabet[padded.slice(at, at + 6).reduce((value, bit) => value * 2 + bit, 0)];
  }
  return text;
}

/** The salt exchanges bits of the two halves of the expansion. */
function saltedExpansion(salt: string): readonly number[] {
  const result = [...expansion];
  for (let index = 0; index < 2; index += 1) {
    const value = cryptAlphabet.indexOf(salt[index] ?? '.');
    for (let bit = 0; bit < 6; bit += 1) {
      if (((value >> bit) & 1) === 1) {
        const at = 6 * index + bit;
        [result[at], result[at + 24]] = [result[at + 24] ?? 0, result[at] ?? 0];
      }
    }
  }
  return result;
}

function roundKeys(key: readonly number[]): readonly (readonly number[])[] {
  let halves = pick(key, keyChoice);
  return shifts.map((shift) => {
    const [left, right] = [halves.slice(0, 28), halves.slice(28)];
    halves = [
      ...left.slice(shift),
      ...left.slice(0, shift),
      ...right.slice(shift),
      ...right.slice(0, shift),
    ];
    return pick(halves, keyCompression);
  });
}

function encrypt(
  block: readonly number[],
  keys: readonly (readonly number[])[],
  salted: readonly number[],
): number[] {
  const start = pick(block, initialPermutation);
  let left = start.slice(0, 32);
  let right = start.slice(32);
  for (const key of keys) {
    const mixed = pick(right, salted).map((bit, index) => bit ^ (key[index] ?? 0));
    const substituted = boxes.flatMap((box, index) =>
      substitute(box, mixed.slice(index * 6, index * 6 + 6)),
    );
    const changed = pick(substituted, permutation).map((bit, index) => bit ^ (left[index] ?? 0));
    left = right;
    right = changed;
  }
  return pick([...right, ...left], finalPermutation);
}

function substitute(box: readonly number[], bits: readonly number[]): number[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = bits;
  const value = box[(a * 2 + f) * 16 + b * 8 + c * 4 + d * 2 + e] ?? 0;
  return [(value >> 3) & 1, (value >> 2) & 1, (value >> 1) & 1, value & 1];
}

function pick(bits: readonly number[], positions: readonly number[]): number[] {
  return positions.map((position) => bits[position - 1] ?? 0);
}

function table(text: string): readonly number[] {
  return text.split(' ').map(Number);
}
