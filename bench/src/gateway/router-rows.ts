import { createRouters, type RouteEntry, type RouteRequest } from '@waygate/gateway';
import type { BenchmarkOptions, Row } from '../benchmark.ts';

/** How many different requests the hot set has. */
const hotRequests = 64;

/**
 * A lookup must cost the same however many routes there are, and so must the change of one. The cold set
 * asks for every route in turn, in no order, so that with many routes nothing of the last round is still
 * in the processor's cache; the hot set asks for the same few again and again, as traffic mostly does.
 * Nothing remembers decisions: both go through the whole lookup.
 */
export function routerRows({ quick }: BenchmarkOptions): Row[] {
  const sizes = quick ? [10, 1_000] : [10, 100, 1_000, 10_000, 100_000];
  const rows: Row[] = [];
  const smallest = new Map<string, number>();
  const add = (name: string, n: number, unit: string, ours: number) => {
    const first = Math.min(smallest.get(name) ?? ours, ours);
    smallest.set(name, first);
    const goal = { text: 'flat: within 4 times the smallest', isMet: ours <= first * 4 };
    rows.push({ name, n, unit, ours, goal });
  };
  for (const n of sizes) {
    const entries = Array.from({ length: n }, (_, index) => entryFor(index, `/p${index}`));
    let routers = createRouters('traditional_compatible', entries);
    const rounds = quick ? 20_000 : 500_000;
    const hot = Math.min(hotRequests, n);
    add(
      'router lookup, all routes in turn (cold)',
      n,
      'ns',
      time(rounds, (round) => {
        if (routers.http.match(requestFor((round * 7_919) % n)) === undefined) {
          throw new Error('a route was not found');
        }
      }),
    );
    add(
      'router lookup, the same few routes (hot)',
      n,
      'ns',
      time(rounds, (round) => {
        if (routers.http.match(requestFor((round % hot) * Math.floor(n / hot))) === undefined) {
          throw new Error('a route was not found');
        }
      }),
    );
    add(
      'change of one route in the router',
      n,
      'us',
      time(quick ? 500 : 20_000, (round) => {
        const index = (round * 31) % n;
        const entry = entryFor(index, `/q${round}`);
        routers = routers.change([{ id: entry.route.id, entry }]);
      }) / 1_000,
    );
  }
  return rows;
}

/** Nanoseconds of processor time for one round, after a fifth of them to warm up. */
function time(rounds: number, act: (round: number) => void): number {
  for (let round = 0; round < rounds / 5; round += 1) act(round);
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) act(round);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / rounds;
}

function entryFor(index: number, path: string): RouteEntry {
  return {
    route: {
      id: String(index).padStart(8, '0'),
      name: `r${index}`,
      protocols: ['http'],
      hosts: [`h${index}.test`],
      paths: [path],
    },
    service: { name: 's', host: 'h' },
  };
}

function requestFor(index: number): RouteRequest {
  return {
    protocol: 'http',
    method: 'GET',
    path: `/p${index}/x`,
    host: `h${index}.test`,
    sni: undefined,
    sourceIp: '127.0.0.1',
    sourcePort: 1,
    destinationIp: '127.0.0.1',
    destinationPort: 80,
    header: () => undefined,
    query: () => undefined,
  };
}
