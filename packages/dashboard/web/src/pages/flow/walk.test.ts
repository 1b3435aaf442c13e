import { expect, test } from 'vitest';
import type { FoldedFlow } from './folding.ts';
import { walkFrom } from './walk.ts';

// Two columns: a above b above c; x beside a, y beside c. Two lines lead from b, the one to y is followed.
const tops = new Map([
  ['a', 0],
  ['b', 100],
  ['c', 220],
  ['x', 10],
  ['y', 230],
]);
const box = (id: string, stage: string) => ({ id, stage });
const flow = {
  boxes: [
    box('b', 'source'),
    box('a', 'source'),
    box('c', 'source'),
    box('x', 'route'),
    box('y', 'route'),
  ],
  lines: [
    { from: 'a', to: 'x', isFollowed: false },
    { from: 'b', to: 'x', isFollowed: false },
    { from: 'b', to: 'y', isFollowed: true },
    { from: 'c', to: 'y', isFollowed: false },
    { from: 'c', to: undefined, isFollowed: true },
    { from: 'c', to: 'x', isFollowed: false },
  ],
} as unknown as FoldedFlow;

test.each<[string, string | undefined, string | undefined]>([
  ['ArrowDown', undefined, 'b'],
  ['ArrowDown', 'gone', 'b'],
  ['Enter', undefined, undefined],
  ['ArrowUp', 'b', 'a'],
  ['ArrowDown', 'b', 'c'],
  ['ArrowDown', 'a', 'b'],
  ['ArrowUp', 'c', 'b'],
  ['ArrowUp', 'a', undefined],
  ['ArrowDown', 'c', undefined],
  ['ArrowDown', 'x', 'y'],
  ['ArrowRight', 'b', 'y'],
  ['ArrowRight', 'a', 'x'],
  ['ArrowRight', 'c', 'y'],
  ['ArrowRight', 'x', undefined],
  ['ArrowLeft', 'y', 'b'],
  ['ArrowLeft', 'x', 'a'],
  ['ArrowLeft', 'b', undefined],
  ['Enter', 'b', undefined],
])('%s from %s leads to %s', (key, from, to) => {
  expect(walkFrom(key, from, flow, tops)).toBe(to);
});

test('with nothing drawn there is nowhere to go', () => {
  expect(
    walkFrom('ArrowDown', undefined, { boxes: [], lines: [] } as unknown as FoldedFlow, tops),
  ).toBeUndefined();
});
