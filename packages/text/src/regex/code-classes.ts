import { type CodeSet, contains } from './code-set.ts';
import { newline } from './named-sets.ts';
import type { Program } from './program.ts';
import { RegexError } from './regex-error.ts';

/** Stretches times sets: the work to tell them apart. */
const maxWork = 4_000_000;

/**
 * The code points in classes: no set of the program, and no place, tells two of one class apart. A
 * class is a small number, so that a state can keep where each of them leads in a short row.
 */
export interface CodeClasses {
  /** How many, with the two below. */
  readonly count: number;
  /** The class of a newline that is the last character, which `$` of PCRE looks for. */
  readonly lastNewline: number;
  /** Stands for the end of the text. */
  readonly end: number;
  /** For code points below 128. */
  readonly ascii: Uint16Array;
  of(code: number): number;
  /** Whether a set, by its number, has a class: at `set * count + class`. */
  readonly members: Uint8Array;
  readonly isWord: Uint8Array;
  readonly isNewline: Uint8Array;
}

export function codeClassesOf(program: Program): CodeClasses {
  const usesWords = program.placesUsed.has('boundary') || program.placesUsed.has('notBoundary');
  const sets: CodeSet[] = [...program.sets, newline, ...(usesWords ? [program.wordSet] : [])];
  const starts = startsOf(sets);
  if (starts.length * sets.length > maxWork) {
    throw new RegexError('expression too large', 'character classes');
  }
  const classOf = new Uint16Array(starts.length);
  let used = 1;
  for (const set of sets) {
    // A class of which the set has some and not others becomes two.
    const split = new Map<number, number>();
    const seen = new Map<number, boolean>();
    starts.forEach((start, index) => {
      const old = classOf[index] as number;
      const isMember = contains(set, start);
      const first = seen.get(old);
      if (first === undefined) seen.set(old, isMember);
      else if (first !== isMember) {
        if (!split.has(old)) split.set(old, used++);
        classOf[index] = split.get(old) as number;
      }
    });
  }
  return tableOf(program, sets, starts, classOf, used);
}

/** The first code point of each stretch that all sets treat alike. */
function startsOf(sets: readonly CodeSet[]): readonly number[] {
  const bounds = new Set([0]);
  for (const set of sets) {
    for (let at = 0; at < set.length; at += 2) {
      bounds.add(set[at] as number);
      if ((set[at + 1] as number) < 0x10ffff) bounds.add((set[at + 1] as number) + 1);
    }
  }
  return [...bounds].sort((a, b) => a - b);
}

function tableOf(
  program: Program,
  sets: readonly CodeSet[],
  starts: readonly number[],
  classOf: Uint16Array,
  used: number,
): CodeClasses {
  const count = used + 2;
  const bounds = Int32Array.from(starts);
  const of = (code: number): number => {
    let low = 0;
    let high = bounds.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((bounds[middle] as number) <= code) low = middle;
      else high = middle - 1;
    }
    return classOf[low] as number;
  };
  const ascii = Uint16Array.from({ length: 128 }, (_, code) => of(code));
  const sample = new Int32Array(count).fill(-1);
  starts.forEach((start, index) => {
    sample[classOf[index] as number] = start;
  });
  sample[used] = 0x0a;
  const has = (set: CodeSet, one: number) =>
    (sample[one] as number) >= 0 && contains(set, sample[one] as number) ? 1 : 0;
  const members = new Uint8Array(program.sets.length * count);
  program.sets.forEach((set, index) => {
    for (let one = 0; one < count; one += 1) members[index * count + one] = has(set, one);
  });
  const wordSet = sets[program.sets.length + 1] ?? [];
  return {
    count,
    lastNewline: used,
    end: used + 1,
    ascii,
    of,
    members,
    isWord: Uint8Array.from({ length: count }, (_, one) => has(wordSet, one)),
    isNewline: Uint8Array.from({ length: count }, (_, one) => has(newline, one)),
  };
}
