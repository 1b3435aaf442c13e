import { expect, test } from 'vitest';
import { manyRoutes } from '../../../testing/many-routes.ts';
import { flowOf } from '../../../testing/shop-flow.ts';
import { shopRoutes } from '../../../testing/shop-routes.ts';
import { brokenPaths, flowGraph, pathThrough } from './flow-graph.ts';
import { foldFlow } from './folding.ts';
import { layOut } from './layout.ts';

const shop = flowGraph(flowOf(shopRoutes));
const company = flowGraph(flowOf(manyRoutes(10_000)));
const plain = { by: 'namespace', toggled: new Map() } as const;

test('a path goes back to the source and on to the targets, and nowhere else', () => {
  expect([...pathThrough(shop, 'service-cart')].sort()).toEqual([
    '10.42.2.11:8080',
    '10.42.2.12:8080',
    '10.42.2.13:8080',
    'GitRepository/flux-system/fleet',
    'HTTPRoute/shop/cart',
    'Kustomization/flux-system/shop',
    'route-2',
    'service-cart',
  ]);
  expect(pathThrough(shop, 'nothing').size).toBe(0);
  expect(brokenPaths(shop).has('service-catalog')).toBe(false);
});

test('10,000 routes are folded into as many boxes as can be read', () => {
  const { boxes, lines } = foldFlow(company, plain);
  expect(boxes.length).toBe(2 + 4 * 40);
  expect(boxes.find(({ title, stage }) => title === 'team-07' && stage === 'route')?.detail).toBe(
    '250 routes, 10 degraded',
  );
  // Every edge is in one of the lines.
  const edges = [...company.nodes.values()].reduce((sum, { to }) => sum + to.length, 0);
  expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(edges);
});

test('of a folded group, what is followed is seen', () => {
  const followed = pathThrough(company, 'route-507');
  const { boxes, lines } = foldFlow(company, { ...plain, followed });
  const seen = new Set(boxes.map(({ id }) => id));
  for (const id of followed) expect(seen).toContain(id);
  expect(lines.filter(({ isFollowed }) => isFollowed).length).toBe(followed.size);
});

test('a group that was opened shows its members, and closes again', () => {
  const unit = 'route:namespace team-03';
  const open = foldFlow(company, { ...plain, toggled: new Map([[unit, true]]) }).boxes;
  expect(open.filter(({ unit: of }) => of === unit).length).toBe(251);
  const closed = foldFlow(company, { ...plain, toggled: new Map([[unit, false]]) }).boxes;
  expect(closed.filter(({ unit: of }) => of === unit).length).toBe(1);
});

test('no two boxes of a column overlap, and the same flow is laid out the same', () => {
  const { boxes, lines } = foldFlow(shop, plain);
  const columns = [...new Set(boxes.map(({ stage }) => stage))];
  const question = {
    boxes: boxes.map((box) => ({ ...box, column: columns.indexOf(box.stage), rank: 0 })),
    lines: lines.flatMap(({ from, to }) => (to === undefined ? [] : [{ from, to }])),
    boxHeight: 40,
    gap: 8,
    unitGap: 10,
  };
  const { tops, height } = layOut(question);
  for (const stage of columns) {
    const inColumn = boxes.filter((box) => box.stage === stage).map(({ id }) => tops.get(id) ?? -1);
    const sorted = inColumn.toSorted((one, other) => one - other);
    for (const [index, top] of sorted.entries())
      if (index > 0) expect(top - (sorted[index - 1] ?? 0)).toBeGreaterThanOrEqual(48);
    expect(Math.max(...sorted) + 40).toBeLessThanOrEqual(height);
  }
  const again = layOut({ ...question, boxes: question.boxes.toReversed() });
  expect(new Map([...again.tops].sort())).toEqual(new Map([...tops].sort()));
});

test('a Kustomization leads to the objects that name it, though it does not list them', () => {
  const node = { title: 'x', health: 'healthy', to: [] } as const;
  const graph = flowGraph([
    { ...node, id: 's', stage: 'source', to: [{ to: 'k' }] },
    { ...node, id: 'k', stage: 'kustomization' },
    { ...node, id: 'o', stage: 'object', kustomization: 'k', to: [{ to: 'r' }] },
    { ...node, id: 'r', stage: 'route' },
  ]);
  expect([...pathThrough(graph, 'r')].sort()).toEqual(['k', 'o', 'r', 's']);
  expect([...pathThrough(graph, 's')].sort()).toEqual(['k', 'o', 'r', 's']);
});
