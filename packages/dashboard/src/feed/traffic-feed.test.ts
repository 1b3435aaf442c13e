import { systemClock } from '@waygate/runtime';
import { expect, test } from 'vitest';
import type { Health } from '../protocol/reference.ts';
import type { RouteTraffic } from '../protocol/routes.ts';
import type { Guarded } from '../view/guarded.ts';
import { TrafficFeed } from './traffic-feed.ts';

type Changes = ReadonlyMap<string, Guarded<RouteTraffic> | undefined>;

/** What the gateway's counters say, by the names of routes. */
const metrics = (requests: Readonly<Record<string, number>>) =>
  Object.entries(requests)
    .map(
      ([route, count]) =>
        `kong_http_requests_total{service="s",route="${route}",code="200",source="service"} ${count}\n`,
    )
    .join('');

function follow() {
  let text: string | undefined = '';
  let now = 0;
  const told: Changes[] = [];
  const health: ReadonlyMap<string, ReadonlyMap<string, Health>>[] = [];
  const feed = new TrafficFeed(
    {
      readMetrics: async () => text,
      routeOf: (name) => (name === 'unknown' ? undefined : { id: `id-${name}`, needs: [] }),
      clock: { ...systemClock, now: () => now, yield: async () => {} },
      onHealth: (targets) => health.push(targets),
      onTraffic: (changes) => told.push(changes),
    },
    1000,
  );
  const look = async (next: string | undefined) => {
    text = next;
    now += 1000;
    await feed.look(new AbortController().signal);
    return [...(told.at(-1)?.keys() ?? [])];
  };
  return { look, told, health };
}

test('tells of routes that something went over, and of those that are gone', async () => {
  const { look, told } = follow();
  await look(metrics({ a: 1, b: 1, unknown: 1 }));
  expect(await look(metrics({ a: 5, b: 1, unknown: 9 }))).toContain('id-a');
  expect(told.at(-1)?.get('id-a')?.item.requests.at(-1)).toBe(4);
  expect(told.at(-1)?.has('id-unknown')).toBe(false);
  // It is shown until it was quiet for as long as a plot reaches back, and then taken away once.
  let looks = 0;
  do await look(metrics({ b: 1 }));
  while (told.at(-1)?.get('id-a') !== undefined && ++looks < 1000);
  expect(told.at(-1)?.has('id-a')).toBe(true);
  expect(looks).toBeGreaterThan(10);
  expect(await look(metrics({ b: 1 }))).toEqual([]);
});

test('a gateway without counters has nothing to tell', async () => {
  const { look, told, health } = follow();
  await look(undefined);
  expect([told, health]).toEqual([[], []]);
});

test('of very many routes the busiest are told at once, and the others in turn: nobody waits for ever', async () => {
  const { look } = follow();
  const names = Array.from({ length: 2000 }, (_, at) => `r${at}`);
  const counts = (round: number) =>
    Object.fromEntries(names.map((name, at) => [name, round * (at < 500 ? 100 : 1)]));
  await look(metrics(counts(0)));
  const told = new Set<string>();
  const rounds: number[] = [];
  for (let round = 1; round <= 3; round += 1) {
    const ids = await look(metrics(counts(round)));
    rounds.push(ids.length);
    for (const id of ids) told.add(id);
    expect(ids).toContain('id-r0');
  }
  expect(rounds).toEqual([1000, 1000, 1000]);
  expect(told.size).toBe(2000);
});
