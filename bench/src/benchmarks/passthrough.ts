import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import {
  type Contestant,
  cpuSeconds,
  fileLimit,
  residentBytes,
  startContestants,
  stop,
  type Targets,
} from '../passthrough/contestant.ts';
import { connectMany, openIdle, receive, roundTrips } from '../passthrough/load.ts';

/**
 * Each proxy is one process with one thread. Load and backends share the other core, so rates are
 * given per second of the proxy's own processor time: what one core would carry.
 */
export const benchmark: Benchmark = {
  name: 'passthrough',
  title: 'TLS passthrough beside HAProxy (req.ssl_sni) and nginx (ssl_preread)',
  async run(options) {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-bench-'));
    const backend = fork(fileURLToPath(new URL('../passthrough/backend.js', import.meta.url)));
    const [targets] = (await once(backend, 'message')) as [Targets];
    const contestants = await startContestants(directory, targets);
    try {
      return await measure(contestants, targets, options);
    } finally {
      for (const contestant of contestants) await stop(contestant);
      backend.disconnect();
      rmSync(directory, { recursive: true });
    }
  },
};

type Measure = (contestant: Contestant) => Promise<number>;

async function measure(
  contestants: Contestant[],
  targets: Targets,
  { quick, log }: BenchmarkOptions,
): Promise<Row[]> {
  const durationMs = quick ? 500 : 8_000;
  const rows: Row[] = [];
  const add = async (
    row: Pick<Row, 'name' | 'unit' | 'better' | 'n'>,
    goal: Goal | undefined,
    of: Measure,
  ) => {
    const values: Record<string, number> = {};
    for (const contestant of contestants) values[contestant.name] = await of(contestant);
    const { waygate: ours = 0, ...peers } = values;
    rows.push({ ...row, ours, peers, ...(goal === undefined ? {} : { goal: goal(ours, peers) }) });
    log(`${row.name}: ${JSON.stringify(values)}`);
  };
  for (const streams of [1, 64]) {
    await add(
      { name: `throughput per core, ${streams} streams`, unit: 'Gbit/cpu-s', better: 'higher' },
      shareOfHaproxy(0.9),
      (contestant) =>
        perCpuSecond(
          contestant,
          async () => (8 * (await receive(contestant.port, streams, durationMs))) / 1e9,
        ),
    );
  }
  const connections = quick ? 500 : 20_000;
  await connectMany(contestants[0]!.port, connections, 64); // warm code is what runs in production
  await add(
    { name: 'new connections per core', unit: '/cpu-s', better: 'higher' },
    shareOfHaproxy(0.4),
    (contestant) =>
      perCpuSecond(contestant, async () => {
        await connectMany(contestant.port, connections, 64);
        return connections;
      }),
  );
  const trips = quick ? 200 : 20_000;
  const direct = await roundTrips(targets.echo!, trips, undefined);
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const at = (times: number[]) => times[Math.floor(share * times.length)]!;
    await add({ name: `added latency ${name}`, unit: 'µs' }, undefined, async (contestant) =>
      Math.max(0.1, at(await roundTrips(contestant.port, trips, 'echo')) - at(direct)),
    );
  }
  const idle = quick ? 200 : Math.min(10_000, Math.floor(fileLimit() / 2) - 500);
  await add(
    { name: 'memory of an idle connection', unit: 'kB', n: idle },
    (ours) => ({ text: 'under 12 kB', isMet: ours < 12 }),
    (contestant) => idleMemory(contestant, idle),
  );
  return rows;
}

type Goal = (ours: number, peers: Record<string, number>) => NonNullable<Row['goal']>;

const shareOfHaproxy =
  (share: number): Goal =>
  (ours, { haproxy = 0 }) => ({ text: `${share} of HAProxy`, isMet: ours >= share * haproxy });

async function perCpuSecond(
  { process: child }: Contestant,
  work: () => Promise<number>,
): Promise<number> {
  const before = cpuSeconds(child.pid!);
  const amount = await work();
  return amount / Math.max(0.01, cpuSeconds(child.pid!) - before);
}

async function idleMemory({ process: child, port }: Contestant, count: number): Promise<number> {
  const before = residentBytes(child.pid!);
  const sockets = await openIdle(port, count);
  const after = residentBytes(child.pid!);
  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map((socket) => (socket.closed ? undefined : once(socket, 'close'))));
  return (after - before) / count / 1024;
}
