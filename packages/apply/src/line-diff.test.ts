import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DiffLine, diffLines } from './line-diff.ts';

const side = (lines: readonly DiffLine[], left: 'removed' | 'added') =>
  lines.filter(({ kind }) => kind !== left).map(({ text }) => text);

test('a difference has both texts in it, and is as short as can be', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      expect(side(lines, 'added')).toEqual(before);
      expect(side(lines, 'removed')).toEqual(after);
      const edits = lines.filter(({ kind }) => kind !== 'same').length;
      expect(edits).toBe(before.length + after.length - 2 * longestCommon(before, after));
    }),
  );
});

function longestCommon(left: readonly string[], right: readonly string[]): number {
  const rows = Array.from({ length: left.length + 1 }, () => new Array(right.length + 1).fill(0));
  for (let i = 1; i <= left.length; i++) {
    for (let j = 1; j <= right.length; j++) {
      rows[i]![j] =
        left[i - 1] === right[j - 1]
          ? rows[i - 1]![j - 1] + 1
          : Math.max(rows[i - 1]![j], rows[i]![j - 1]);
    }
  }
  return rows[left.length]![right.length];
}

test('texts that have nothing in common are replaced, and that takes no time', () => {
  const lines = (prefix: string) => Array.from({ length: 5000 }, (_one, index) => prefix + index);
  const started = process.cpuUsage();
  expect(diffLines(lines('a'), lines('b'))).toHaveLength(10_000);
  expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
});
