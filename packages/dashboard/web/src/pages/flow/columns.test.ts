import { expect, test } from 'vitest';
import { boxesIn, columnsIn, drawnPart, leftOfBox, leftOfColumn } from './columns.ts';
import type { FlowBox } from './folding.ts';

test.each([
  // Too narrow for all: the page scrolls to the side.
  [320, { width: 136, gap: 36, total: 56 + 6 * 136 + 5 * 36 }],
  [699, { width: 136, gap: 36, total: 56 + 6 * 136 + 5 * 36 }],
  [700, { width: 136, gap: 44, total: 56 + 6 * 136 + 5 * 44 }],
  // Exactly as wide as the page.
  [1476, { width: 200, gap: 44, total: 1476 }],
  [4000, { width: 230, gap: 44, total: 56 + 6 * 230 + 5 * 44 }],
])('columns in %d pixels', (width, expected) => {
  expect(columnsIn(width)).toEqual(expected);
});

test('a box stands in the column of its stage', () => {
  const columns = columnsIn(1476);
  expect([leftOfColumn(columns, 0), leftOfColumn(columns, 2)]).toEqual([28, 28 + 2 * 244]);
  const lefts = ['source', 'target'].map((stage) => leftOfBox(columns, { stage } as FlowBox));
  expect(lefts).toEqual([28, 28 + 5 * 244]);
});

test('only boxes near what is seen are drawn', () => {
  const part = drawnPart({ top: 1000, height: 500 });
  expect(part).toEqual({ from: 600, until: 1900 });
  const tops = new Map([
    ['above', 600],
    ['first', 601],
    ['last', 1899],
    ['below', 1900],
  ]);
  const boxes = ['above', 'first', 'last', 'below', 'unplaced'].map((id) => ({ id }) as FlowBox);
  expect(boxesIn(part, boxes, tops).map(({ id }) => id)).toEqual(['first', 'last']);
});
