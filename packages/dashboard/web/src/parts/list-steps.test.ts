import { expect, test } from 'vitest';
import { stepTo } from './list-steps.ts';

test.each([
  ['ArrowDown', -1, 0],
  ['ArrowDown', 4, 5],
  ['ArrowUp', -1, 99],
  ['ArrowUp', 0, -1],
  ['ArrowUp', 4, 3],
  ['PageDown', 4, 14],
  ['PageUp', 14, 4],
  ['Home', 50, 0],
  ['End', 50, 99],
  ['x', 50, undefined],
])('%s at row %d leads to %s', (key, at, to) => {
  expect(stepTo(key, { at, page: 10, count: 100 })).toBe(to);
});
