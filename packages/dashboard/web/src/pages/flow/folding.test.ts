import { expect, test } from 'vitest';
import { manyRoutes } from '../../../testing/many-routes.ts';
import { flowOf } from '../../../testing/shop-flow.ts';
import { shopRoutes } from '../../../testing/shop-routes.ts';
import { brokenPaths, countBroken, flowGraph, pathThrough, stages } from './flow-graph.ts';
import { type FoldWishes, foldFlow } from './folding.ts';
import { layOut } from './layout.ts';
import { questionOf } from './layout-question.ts';

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
    '10 of 250 degraded',
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

test('neither an open group nor a followed path moves one group past another', () => {
  const graph = flowGraph(flowOf([...shopRoutes, ...manyRoutes(60)]));
  const orderOf = (wishes: Partial<FoldWishes>) => {
    const flow = foldFlow(graph, { ...plain, ...wishes });
    const { tops } = layOut(questionOf(flow));
    const units = flow.boxes.toSorted(
      (one, other) => (tops.get(one.id) ?? 0) - (tops.get(other.id) ?? 0),
    );
    return stages.map(({ stage }) => [
      ...new Set(units.filter((box) => box.stage === stage).map(({ unit }) => unit)),
    ]);
  };
  const closed = orderOf({});
  for (const unit of closed.flat().filter((_, index) => index % 9 === 0))
    expect(orderOf({ toggled: new Map([[unit, true]]) })).toEqual(closed);
  for (const id of ['service-cart', 'route-7', 'Kustomization/flux-system/shop'])
    expect(orderOf({ followed: pathThrough(graph, id) })).toEqual(closed);
});

test('lines between groups of the same names do not cross', () => {
  const { boxes, lines } = foldFlow(shop, plain);
  const { tops } = layOut(questionOf({ boxes, lines }));
  const targets = lines.filter(({ from, to }) => from.startsWith('service-') && to !== undefined);
  const top = (id: string | undefined) => tops.get(id ?? '') ?? Number.NaN;
  for (const one of targets)
    for (const other of targets)
      if (top(one.from) < top(other.from)) expect(top(one.to)).toBeLessThanOrEqual(top(other.to));
});

test('what does well says its own, and what is broken is counted once', () => {
  const detailOf = (id: string) =>
    foldFlow(shop, { ...plain, followed: new Set([id]) }).boxes.find((box) => box.id === id)
      ?.detail;
  expect(detailOf('GitRepository/flux-system/fleet')).toBe('main@8f2c41d');
  expect(detailOf('Kustomization/flux-system/platform')).toContain('The build fails');
  expect(detailOf('service-checkout')).toBe('No ready endpoint.');
  // The Kustomization, a route, its service, and a target.
  expect(countBroken([...shop.nodes.values()])).toBe(4);
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
