/**
 * A set of code points: pairs of first and last, sorted, neither touching nor overlapping.
 * Lone surrogates are code points of their own here, as in a JavaScript string.
 */
export type CodeSet = readonly number[];

const lastCode = 0x10ffff;

export const everyCode: CodeSet = [0, lastCode];
/** Sorts and joins pairs that may overlap. */
export function toCodeSet(pairs: readonly number[]): CodeSet {
  if (pairs.length <= 2) return pairs;
  const order = Array.from({ length: pairs.length / 2 }, (_, index) => index * 2);
  order.sort((a, b) => (pairs[a] as number) - (pairs[b] as number));
  const result: number[] = [];
  for (const at of order) {
    const first = pairs[at] as number;
    const last = pairs[at + 1] as number;
    const end = result.length - 1;
    if (end > 0 && first <= (result[end] as number) + 1) {
      if (last > (result[end] as number)) result[end] = last;
    } else result.push(first, last);
  }
  return result;
}

export function unite(...sets: readonly CodeSet[]): CodeSet {
  return toCodeSet(sets.flat());
}

export function negate(set: CodeSet): CodeSet {
  const result: number[] = [];
  let next = 0;
  for (let at = 0; at < set.length; at += 2) {
    const first = set[at] as number;
    if (first > next) result.push(next, first - 1);
    next = (set[at + 1] as number) + 1;
  }
  if (next <= lastCode) result.push(next, lastCode);
  return result;
}

export function intersect(a: CodeSet, b: CodeSet): CodeSet {
  return negate(unite(negate(a), negate(b)));
}

export function contains(set: CodeSet, code: number): boolean {
  let low = 0;
  let high = set.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (code < (set[middle * 2] as number)) high = middle - 1;
    else if (code > (set[middle * 2 + 1] as number)) low = middle + 1;
    else return true;
  }
  return false;
}
