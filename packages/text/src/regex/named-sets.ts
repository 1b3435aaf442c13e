import { type CodeSet, negate, toCodeSet, unite } from './code-set.ts';

export const digits: CodeSet = [0x30, 0x39];
export const wordCodes: CodeSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
/** RE2's: without the vertical tab. */
export const re2Spaces: CodeSet = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20];
export const spaces: CodeSet = [0x09, 0x0d, 0x20, 0x20];
export const horizontalSpaces: CodeSet = toCodeSet([
  0x09, 0x09, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x180e, 0x180e, 0x2000, 0x200a, 0x202f,
  0x202f, 0x205f, 0x205f, 0x3000, 0x3000,
]);
export const verticalSpaces: CodeSet = [0x0a, 0x0d, 0x85, 0x85, 0x2028, 0x2029];
export const newline: CodeSet = [0x0a, 0x0a];

const letters: CodeSet = [0x41, 0x5a, 0x61, 0x7a];

/** The names between `[:` and `:]`. */
export const posixSets: ReadonlyMap<string, CodeSet> = new Map([
  ['alnum', unite(digits, letters)],
  ['alpha', letters],
  ['ascii', [0x00, 0x7f]],
  ['blank', [0x09, 0x09, 0x20, 0x20]],
  ['cntrl', [0x00, 0x1f, 0x7f, 0x7f]],
  ['digit', digits],
  ['graph', [0x21, 0x7e]],
  ['lower', [0x61, 0x7a]],
  ['print', [0x20, 0x7e]],
  ['punct', [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e]],
  ['space', spaces],
  ['upper', [0x41, 0x5a]],
  ['word', wordCodes],
  ['xdigit', [0x30, 0x39, 0x41, 0x46, 0x61, 0x66]],
]);

/**
 * Code points whose neighbours have nothing else: all letters, marks and signs are below the first
 * bound, in the planes of tags, or for private use, where one stands for all.
 */
const scanned: readonly (readonly [number, number])[] = [
  [0, 0xd7ff],
  [0xe000, 0xffff],
  [0x10000, 0x33fff],
  [0xe0000, 0xe01ff],
];
const blocks: readonly (readonly [number, number])[] = [
  [0x34000, 0xdffff],
  [0xe0200, 0xeffff],
  [0xf0000, 0xffffd],
  [0xffffe, 0xfffff],
  [0x100000, 0x10fffd],
  [0x10fffe, 0x10ffff],
];

const known = new Map<string, CodeSet | undefined>();

/** A category, a script or a property of Unicode by its name, as the platform knows them. */
export function unicodeSet(name: string): CodeSet | undefined {
  if (known.has(name)) return known.get(name);
  // Names come from outside: what is kept stays bounded.
  if (known.size > 500) known.clear();
  const set = name === 'Any' ? negate([]) : readUnicodeSet(name);
  known.set(name, set);
  return set;
}

function readUnicodeSet(name: string): CodeSet | undefined {
  if (!/^[A-Za-z_=]{1,64}$/.test(name)) return undefined;
  for (const property of [name, `Script=${name}`]) {
    let runs: RegExp;
    try {
      runs = new RegExp(`\\p{${property}}+`, 'gu');
    } catch {
      continue; // The next spelling may be known.
    }
    return rangesOf(runs);
  }
  return undefined;
}

function rangesOf(runs: RegExp): CodeSet {
  const pairs: number[] = [];
  for (const [first, last] of scanned) {
    const width = first > 0xffff ? 2 : 1;
    for (const run of textOf(first, last).matchAll(runs)) {
      const start = first + run.index / width;
      pairs.push(start, start + run[0].length / width - 1);
    }
  }
  for (const [first, last] of blocks) {
    runs.lastIndex = 0;
    if (runs.test(String.fromCodePoint(first))) pairs.push(first, last);
  }
  return toCodeSet(pairs);
}

/** All code points of a range, one after the other. */
function textOf(first: number, last: number): string {
  const units = new Uint16Array((last - first + 1) * (first > 0xffff ? 2 : 1));
  let at = 0;
  for (let code = first; code <= last; code += 1) {
    if (code <= 0xffff) units[at++] = code;
    else {
      units[at++] = 0xd7c0 + (code >> 10);
      units[at++] = 0xdc00 + (code & 0x3ff);
    }
  }
  return Buffer.from(units.buffer).toString('utf16le');
}
