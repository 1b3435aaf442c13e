import { type CodeSet, negate } from './code-set.ts';
import { horizontalSpaces, unicodeSet, verticalSpaces } from './named-sets.ts';
import type { PatternReader } from './pattern-reader.ts';
import { RegexError } from './regex-error.ts';
import type { Place, RegexNode } from './syntax-tree.ts';

/** Reads what follows a backslash outside of a class. */
export function parseEscape(reader: PatternReader): RegexNode {
  const letter = reader.peek();
  if (letter === undefined) throw new RegexError('trailing backslash at end of expression', '');
  const place = placeOf(reader, letter);
  if (place !== undefined) {
    reader.index += 1;
    return { kind: 'place', place };
  }
  if (reader.dialect === 'pcre') {
    const node = pcreEscape(reader, letter);
    if (node !== undefined) return node;
  }
  const set = setEscape(reader);
  if (set !== undefined) return { kind: 'set', set };
  return reader.literal(codeEscape(reader, false));
}

function placeOf(reader: PatternReader, letter: string): Place | undefined {
  switch (letter) {
    case 'A':
      return 'start';
    case 'z':
      return 'end';
    case 'Z':
      return reader.dialect === 'pcre' ? 'endOrNewline' : undefined;
    case 'b':
      return 'boundary';
    case 'B':
      return 'notBoundary';
    default:
      return undefined;
  }
}

const lineEnds: readonly number[] = [0x0a, 0x0b, 0x0c, 0x0d, 0x85];

function pcreEscape(reader: PatternReader, letter: string): RegexNode | undefined {
  switch (letter) {
    case 'N':
      reader.index += 1;
      return { kind: 'set', set: negate([0x0a, 0x0a]) };
    case 'R':
      reader.index += 1;
      return {
        kind: 'choice',
        options: [
          { kind: 'sequence', parts: [one(0x0d), one(0x0a)] },
          ...lineEnds.map((code) => one(code)),
        ],
      };
    case 'G':
    case 'K':
    case 'X':
    case 'C':
      return reader.refuse(`\\${letter}`, `\\${letter}`);
    case 'g':
    case 'k':
      return reader.refuse('a reference to a group', `\\${letter}`);
    default:
      if (/[1-9]/.test(letter)) reader.refuse('a reference to a group', `\\${letter}`);
      return undefined;
  }
}

function one(code: number): RegexNode {
  return { kind: 'set', set: [code, code] };
}

/** A set that a letter behind a backslash stands for; undefined, and nothing is read, for others. */
export function setEscape(reader: PatternReader): CodeSet | undefined {
  const letter = reader.peek();
  switch (letter) {
    case 'd':
    case 's':
    case 'w':
      reader.index += 1;
      return reader.fold(reader.perlSet(letter));
    case 'D':
    case 'S':
    case 'W':
      reader.index += 1;
      return negate(reader.fold(reader.perlSet(letter.toLowerCase() as 'd' | 's' | 'w')));
    case 'h':
    case 'H':
    case 'v':
    case 'V': {
      if (reader.dialect !== 'pcre') return undefined;
      reader.index += 1;
      const set = letter.toLowerCase() === 'h' ? horizontalSpaces : verticalSpaces;
      return letter === letter.toLowerCase() ? set : negate(set);
    }
    case 'p':
    case 'P':
      return unicodeEscape(reader);
    default:
      return undefined;
  }
}

const unicodeName = /([pP])(?:([A-Za-z])|\{(\^?)([A-Za-z_ =:-]{1,64})\})/y;

/** `\pL`, `\p{Greek}`, `\P{Lu}`: a category, a script or a property. */
function unicodeEscape(reader: PatternReader): CodeSet {
  const start = reader.index - 1;
  const match = reader.takeMatch(unicodeName);
  const name = match?.[2] ?? match?.[4]?.replace(/[ -]/g, '_').replace(':', '=');
  const set = name === undefined ? undefined : unicodeSet(name);
  if (match === undefined || set === undefined) {
    const part = match?.[0] ?? reader.peek() ?? '';
    throw new RegexError('invalid character class range', `\\${part}`);
  }
  if (match[3] === '^' && reader.dialect === 'rust') {
    throw new RegexError('invalid character class range', reader.since(start));
  }
  const folded = reader.fold(set);
  return (match[1] === 'P') !== (match[3] === '^') ? negate(folded) : folded;
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 0x07,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
};

const hexadecimal = /x(?:\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{2}))/y;
const shortHexadecimal = /x(?:\{([0-9A-Fa-f]{0,8})\}|([0-9A-Fa-f]{0,2}))/y;
const rustUnicode =
  /u(?:\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{4}))|U(?:\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{8}))/y;
const octal = /0[0-7]{0,2}|[1-7][0-7]{1,2}/y;
const pcreOctal = /o\{([0-7]{1,8})\}|([0-7]{1,3})/y;

/** One code point, written as an escape. */
export function codeEscape(reader: PatternReader, isInClass: boolean): number {
  const letter = reader.peek();
  if (letter === undefined) throw new RegexError('trailing backslash at end of expression', '');
  if (Object.hasOwn(simpleEscapes, letter)) {
    reader.index += 1;
    return simpleEscapes[letter] as number;
  }
  if (letter === 'v' && reader.dialect !== 'pcre') {
    reader.index += 1;
    return 0x0b;
  }
  const code = numberEscape(reader, letter, isInClass);
  if (code !== undefined) {
    if (code > 0x10ffff) throw new RegexError('invalid escape sequence', `\\${letter}`);
    return code;
  }
  if (/[A-Za-z0-9]/.test(letter) || (letter > '\x7f' && reader.dialect !== 'pcre')) {
    throw new RegexError('invalid escape sequence', `\\${String.fromCodePoint(reader.takeCode())}`);
  }
  return reader.takeCode();
}

function numberEscape(
  reader: PatternReader,
  letter: string,
  isInClass: boolean,
): number | undefined {
  if (letter === 'x') {
    const match = reader.takeMatch(reader.dialect === 'pcre' ? shortHexadecimal : hexadecimal);
    if (match === undefined) throw new RegexError('invalid escape sequence', '\\x');
    return Number.parseInt(match[1] || match[2] || '0', 16);
  }
  if (reader.dialect === 'rust') {
    const match = reader.takeMatch(rustUnicode);
    if (match !== undefined) {
      return Number.parseInt(match[1] ?? match[2] ?? match[3] ?? (match[4] as string), 16);
    }
    if (/[0-9]/.test(letter)) reader.refuse('a reference to a group', `\\${letter}`);
    return undefined;
  }
  if (reader.dialect === 'go') {
    const match = reader.takeMatch(octal);
    return match === undefined ? undefined : Number.parseInt(match[0], 8);
  }
  if (reader.take('e')) return 0x1b;
  if (letter === 'c' && /[ -~]/.test(reader.peek(1) ?? '')) {
    reader.index += 2;
    return (reader.peek(-1) as string).toUpperCase().charCodeAt(0) ^ 0x40;
  }
  if (letter === 'o' || letter === '0' || isInClass) {
    const match = reader.takeMatch(pcreOctal);
    if (match !== undefined) return Number.parseInt(match[1] ?? (match[2] as string), 8);
  }
  return undefined;
}
