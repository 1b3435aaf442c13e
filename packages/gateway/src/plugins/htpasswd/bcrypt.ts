import { piWords } from './pi-words.ts';

const form = /^\$2([abxy])?\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})?$/;
const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** After so many rounds others get their turn. */
const roundsPerTurn = 32;
const subkeys = 18;
const boxes = 4 * 256;
const magic = 'OrpheanBeholderScryDoubt';

/** The cost of a hash; undefined if it is none of bcrypt. */
export function bcryptCost(hash: string): number | undefined {
  const cost = form.exec(hash)?.[2];
  return cost === undefined ? undefined : Number(cost);
}

/** `$2y$`, `$2a$` and `$2b$`: Blowfish with an expensive key. */
export async function bcrypt(
  password: Buffer,
  hash: string,
  giveWay: () => Promise<void>,
): Promise<string> {
  const [, variant = '', cost = '', saltText = ''] = form.exec(hash) ?? [];
  const salt = words(decode(saltText, 16), 4);
  const key = words(Buffer.concat([password.subarray(0, 72), Buffer.alloc(1)]), subkeys);
  const state = new BlowfishState();
  state.expand(key, salt);
  const rounds = 2 ** Number(cost);
  for (let round = 0; round < rounds; round += 1) {
    state.expand(key, undefined);
    state.expand(words(decode(saltText, 16), subkeys), undefined);
    if (round % roundsPerTurn === roundsPerTurn - 1) {
      await giveWay();
    }
  }
  const text = words(Buffer.from(magic), 6);
  for (let block = 0; block < 6; block += 2) {
    for (let round = 0; round < 64; round += 1) {
      state.encrypt(text, block);
    }
  }
  const bytes = Buffer.alloc(24);
  text.forEach((word, index) => {
    bytes.writeUInt32BE(word, index * 4);
  });
  return `$2${variant}$${cost}$${saltText}${encode(bytes.subarray(0, 23))}`;
}

let initial: Uint32Array | undefined;

class BlowfishState {
  /** The subkeys, and behind them the four boxes. */
  readonly #words: Uint32Array;

  constructor() {
    initial ??= piWords(subkeys + boxes);
    this.#words = initial.slice();
  }

  /** Mixes a key in, and if there is one a salt. */
  expand(key: Uint32Array, salt: Uint32Array | undefined): void {
    const state = this.#words;
    for (let index = 0; index < subkeys; index += 1) {
      state[index] = (state[index] ?? 0) ^ (key[index] ?? 0);
    }
    const block = new Uint32Array(2);
    for (let index = 0; index < state.length; index += 2) {
      if (salt !== undefined) {
        block[0] = (block[0] ?? 0) ^ (salt[index % 4] ?? 0);
        block[1] = (block[1] ?? 0) ^ (salt[(index + 1) % 4] ?? 0);
      }
      this.encrypt(block, 0);
      state[index] = block[0] ?? 0;
      state[index + 1] = block[1] ?? 0;
    }
  }

  /** Encrypts two words in place. */
  encrypt(data: Uint32Array, at: number): void {
    const state = this.#words as unknown as { readonly [index: number]: number };
    let left = data[at] ?? 0;
    let right = data[at + 1] ?? 0;
    for (let round = 0; round < 16; round += 2) {
      left ^= word(state, round);
      right ^= mix(state, left);
      right ^= word(state, round + 1);
      left ^= mix(state, right);
    }
    data[at] = right ^ word(state, 17);
    data[at + 1] = left ^ word(state, 16);
  }
}

type Words = { readonly [index: number]: number };

function word(state: Words, index: number): number {
  return state[index] as number;
}

function mix(state: Words, value: number): number {
  const sum =
    word(state, subkeys + (value >>> 24)) + word(state, subkeys + 256 + ((value >>> 16) & 255));
  return (
    ((sum ^ word(state, subkeys + 512 + ((value >>> 8) & 255))) +
      word(state, subkeys + 768 + (value & 255))) |
    0
  );
}

/** Bytes as words, from the start again when they run out. */
function words(bytes: Buffer, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, index) => {
    let value = 0;
    for (let byte = 0; byte < 4; byte += 1) {
      value = (value << 8) | (bytes[(index * 4 + byte) % bytes.length] ?? 0);
    }
    return value >>> 0;
  });
}

function decode(text: string, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let bits = 0;
  let value = 0;
  let at = 0;
  for (const character of text) {
    value = ((value << 6) | alphabet.indexOf(character)) & 0xffff;
    bits += 6;
    if (bits >= 8 && at < size) {
      bits -= 8;
      bytes[at] = (value >> bits) & 255;
      at += 1;
    }
  }
  return bytes;
}

function encode(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += alphabet[(value >> bits) & 63];
    }
  }
  return bits > 0 ? text + alphabet[(value << (6 - bits)) & 63] : text;
}
