import { type CodeSet, contains, toCodeSet } from './code-set.ts';

/** Beyond this no letter has a case. */
const lastCased = 0x1e943;

let table: readonly (readonly number[])[] | undefined;

/** All that differs from a member only in case, by Unicode's simple case folding. */
export function foldCase(set: CodeSet): CodeSet {
  if (set.length === 0) return set;
  const isAscii = (set.at(-1) as number) < 0x80;
  return isAscii ? foldAscii(set) : foldAny(set);
}

function foldAscii(set: CodeSet): CodeSet {
  const pairs = [...set];
  for (let at = 0; at < set.length; at += 2) {
    const first = set[at] as number;
    const last = set[at + 1] as number;
    addShifted(pairs, Math.max(first, 0x41), Math.min(last, 0x5a), 0x20);
    addShifted(pairs, Math.max(first, 0x61), Math.min(last, 0x7a), -0x20);
  }
  const folded = toCodeSet(pairs);
  // The Kelvin sign and the long s are letters of ASCII in another shape.
  const others = [
    ...(contains(folded, 0x6b) ? [0x212a] : []),
    ...(contains(folded, 0x73) ? [0x17f] : []),
  ];
  return others.length === 0
    ? folded
    : toCodeSet([...folded, ...others.flatMap((code) => [code, code])]);
}

function addShifted(pairs: number[], first: number, last: number, shift: number): void {
  if (first <= last) pairs.push(first + shift, last + shift);
}

function foldAny(set: CodeSet): CodeSet {
  table ??= readTable();
  const pairs = [...set];
  for (const orbit of table) {
    if (orbit.some((code) => contains(set, code)))
      pairs.push(...orbit.flatMap((code) => [code, code]));
  }
  return toCodeSet(pairs);
}

/** The groups of letters that differ in case only. The platform's letters with their other case tell. */
function readTable(): readonly (readonly number[])[] {
  const orbitOf = new Map<number, number[]>();
  const join = (a: number, b: number): void => {
    const one = orbitOf.get(a) ?? [a];
    const two = orbitOf.get(b) ?? [b];
    if (one === two) return;
    one.push(...two);
    for (const code of one) orbitOf.set(code, one);
  };
  for (let code = 0; code <= lastCased; code += 1) {
    // The Turkish letters fold to nothing else; surrogates are no letters.
    if (code === 0x130 || code === 0x131 || (code >= 0xd800 && code <= 0xdfff)) continue;
    const letter = String.fromCodePoint(code);
    for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
      const otherCode = other.codePointAt(0) as number;
      const isSingle = other === String.fromCodePoint(otherCode);
      if (isSingle && otherCode !== code) join(code, otherCode);
    }
  }
  return [...new Set(orbitOf.values())];
}
