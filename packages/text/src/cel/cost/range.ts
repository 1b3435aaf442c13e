/** The largest number that costs and sizes can have; more counts as this. */
export const unbounded = 2n ** 64n - 1n;

/** Between how much and how much something may cost, or how long it may be. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

const cap = (value: bigint): bigint => (value > unbounded ? unbounded : value);

export const exactly = (value: bigint | number): Range => ({
  min: BigInt(value),
  max: BigInt(value),
});
export const nothing = exactly(0);
export const one = exactly(1);
/** Of what nothing is known. */
export const anything: Range = { min: 0n, max: unbounded };

export function sum(...ranges: readonly Range[]): Range {
  let [min, max] = [0n, 0n];
  for (const range of ranges) {
    min = cap(min + range.min);
    max = cap(max + range.max);
  }
  return { min, max };
}

export function product(left: Range, right: Range): Range {
  return { min: cap(left.min * right.min), max: cap(left.max * right.max) };
}

/** Multiplied and rounded up, with the precision of a double. */
export function scaled({ min, max }: Range, factor: number): Range {
  return { min: scale(min, factor), max: scale(max, factor) };
}

function scale(value: bigint, factor: number): bigint {
  const scaledValue = Math.ceil(Number(value) * factor);
  return scaledValue >= 2 ** 64 ? unbounded : BigInt(scaledValue);
}

/** Math.min does not take numbers of any size. */
export function smaller(one: bigint, other: bigint): bigint {
  if (one < other) return one;
  return other;
}

export function union(left: Range, right: Range): Range {
  const max = left.max > right.max;
  return { min: smaller(left.min, right.min), max: (max ? left : right).max };
}
