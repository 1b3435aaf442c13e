/** A line of two texts: in both, only in the first, or only in the second. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Texts that differ by more than this are shown as replaced: nobody reads such a difference. */
const maxEdits = 2000;

/**
 * The shortest way from one list of lines to another, after Myers.
 *
 * ```ts
 * for (const line of diffLines(['a', 'b'], ['a', 'c'])) console.log(line);
 * ```
 */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (end < shorter && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const reached: Map<number, number>[] = [];
  const furthest = new Map<number, number>([[1, 0]]);
  const most = Math.min(before.length + after.length, maxEdits);
  for (let edits = 0; edits <= most; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = furthest.get(diagonal + 1) ?? -1;
      const right = furthest.get(diagonal - 1) ?? -1;
      const isDown = diagonal === -edits || (diagonal !== edits && right < down);
      let x = isDown ? down : right + 1;
      while (
        x < before.length &&
        x - diagonal < after.length &&
        before[x] === after[x - diagonal]
      ) {
        x++;
      }
      furthest.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) {
        return walkBack(before, after, reached);
      }
    }
    reached.push(new Map(furthest));
  }
  return [
    ...before.map((text): DiffLine => ({ kind: 'removed', text })),
    ...after.map((text): DiffLine => ({ kind: 'added', text })),
  ];
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  reached: readonly ReadonlyMap<number, number>[],
): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [before.length, after.length];
  for (let edits = reached.length; edits > 0; edits--) {
    const furthest = reached[edits - 1] as ReadonlyMap<number, number>;
    const diagonal = x - y;
    const down = furthest.get(diagonal + 1) ?? -1;
    const right = furthest.get(diagonal - 1) ?? -1;
    const isDown = diagonal === -edits || (diagonal !== edits && right < down);
    const fromX = isDown ? down : right;
    const fromY = fromX - (isDown ? diagonal + 1 : diagonal - 1);
    while (x > fromX + (isDown ? 0 : 1) && y > fromY + (isDown ? 1 : 0)) {
      lines.push({ kind: 'same', text: before[--x] as string });
      y--;
    }
    if (isDown) lines.push({ kind: 'added', text: after[--y] as string });
    else lines.push({ kind: 'removed', text: before[--x] as string });
  }
  while (x > 0) lines.push({ kind: 'same', text: before[--x] as string });
  return lines.reverse();
}
