import { createRouters, type RouteEntry, type RouteRequest } from '@waygate/gateway';
import type { BenchmarkOptions, Row } from '../benchmark.ts';

/** How many different requests the hot set has. */
const hotRequests = 64;

/**
 * A lookup must cost the same however many routes there are, and the change of one must not be felt. The
 * cold set asks for every route in turn, in no order, so that with many routes nothing of the last round
 * is still in the processor's cache, and only memory is measured; the hot set asks for the same few again
 * and again, as traffic mostly does. Nothing remembers decisions: both go through the whole lookup.
 */
export function routerRows({ quick }: BenchmarkOptions): Row[] {
  const sizes = quick ? [10, 1_000] : [10, 100, 1_000, 10_000, 100_000];
  const rows: Row[] = [];
  let quickest = Number.POSITIVE_INFINITY;
  for (const n of sizes) {
    const entries = Array.from({ length: n }, (_, index) => entryFor(index, `/p${index}`));
    let routers = createRouters('traditional_compatible', entries);
    const rounds = quick ? 20_000 : 500_000;
    const few = Math.min(hotRequests, n);
    const lookUp = (index: number): void => {
      if (routers.http.match(requestFor(index)) === undefined) {
        throw new Error('a route was not found');
      }
    };
    const cold = time(rounds, (round) => lookUp((round * 7_919) % n));
    const hot = time(rounds, (round) => lookUp((round % few) * Math.floor(n / few)));
    const change = time(quick ? 500 : 20_000, (round) => {
      const entry = entryFor((round * 31) % n, `/q${round}`);
      routers = routers.change([{ id: entry.route.id, entry }]);
    });
    quickest = Math.min(quickest, hot);
    const flat = { text: 'flat: within 4 times the smallest', isMet: hot <= quickest * 4 };
    const unnoticed = { text: 'under 1 ms', isMet: change < 1e6 };
    rows.push(
      { name: 'router lookup, all routes in turn (cold)', n, unit: 'ns', ours: cold },
      { name: 'router lookup, the same few routes (hot)', n, unit: 'ns', ours: hot, goal: flat },
      {
        name: 'change of one route in the router',
        n,
        unit: 'us',
        ours: change / 1_000,
        goal: unnoticed,
      },
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
