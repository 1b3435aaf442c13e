/** The value in the middle, or the higher of two: one that was measured, whatever the outliers are. */
export function median(values: readonly number[]): number {
  const middle = [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}
