import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import type { Measurement } from '../informer/measure.ts';

const contestants = [
  'ours',
  'ours, small young generation',
  'ours, bytes',
  'ours, bytes, no managed fields',
  'ours, transform',
  'ours, no managed fields',
  'floor',
  'floor, no managed fields',
  'client-node',
] as const;
type Contestant = (typeof contestants)[number];

/** What a library cannot set from inside: V8 then collects oftener, and shorter. */
const flagsOf: Partial<Record<Contestant, readonly string[]>> = {
  'ours, small young generation': ['--max-semi-space-size=2'],
};
type Measurements = Record<Contestant, Measurement>;

/** Each contestant is a process of its own, and so is the server that they all talk to. */
export const benchmark: Benchmark = {
  name: 'informer',
  title: 'Informer of pods of 5 kB beside client-node 1.4 and the floor (undici and JSON.parse)',
  async run(options) {
    const rows: Row[] = [];
    for (const n of options.quick ? [200, 1_000] : [1_000, 10_000, 50_000])
      rows.push(...rowsOf(n, await measureAll(n, options)));
    return rows.sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  },
};

async function measureAll(n: number, { quick, log }: BenchmarkOptions): Promise<Measurements> {
  const server = fork(modulePath('../informer/pod-server.js'), [String(n)]);
  const [{ url }] = (await once(server, 'message')) as [{ url: string }];
  const results: Partial<Measurements> = {};
  try {
    for (const who of contestants) {
      results[who] = await measureOne(who, url, n, quick);
      log(`${n} ${who}: ${JSON.stringify(results[who], (_, value) => rounded(value))}`);
    }
  } finally {
    server.disconnect();
    await once(server, 'exit');
  }
  return results as Measurements;
}

async function measureOne(
  who: Contestant,
  url: string,
  n: number,
  quick: boolean,
): Promise<Measurement> {
  const [burst, steadyPerSecond] = quick ? [500, 100] : [20_000, 1_000];
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=8192',
    '--no-warnings',
    ...(flagsOf[who] ?? []),
    modulePath('../informer/contestant.js'),
    ...[who, url, String(n), String(burst), String(steadyPerSecond)],
  ]);
  return JSON.parse(stdout) as Measurement;
}

function modulePath(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 10) / 10 : value;
}

type Better = 'lower' | 'higher';
const figures = [
  ['initial sync, CPU', 'cpuMs', 'ms', 'lower'],
  ['initial sync, time', 'syncMs', 'ms', 'lower'],
  ['longest stall of the event loop', 'longestStallMs', 'ms', 'lower'],
  ['longest turn, CPU of the main thread', 'longestTurnCpuMs', 'ms', 'lower'],
  ['peak RSS', 'peakRssMb', 'MB', 'lower'],
  ['heap and buffers after the sync', 'heapMb', 'MB', 'lower'],
  ['burst of changes', 'burstPerSecond', 'events/s', 'higher'],
  ['CPU of a thousand changes in a burst', 'burstCpuMs', 'ms', 'lower'],
  ['CPU of a second of steady changes', 'steadyCpuMs', 'ms', 'lower'],
] as const satisfies readonly (readonly [string, keyof Measurement, string, Better])[];

/** Our second and third faces are rows of their own; the peers stand beside each. */
const faces = {
  ours: ['floor', 'client-node'],
  'ours, small young generation': ['floor'],
  'ours, bytes': ['floor', 'client-node'],
  'ours, bytes, no managed fields': ['floor, no managed fields', 'client-node'],
  'ours, transform': ['floor, no managed fields'],
  'ours, no managed fields': ['floor, no managed fields'],
} as const satisfies Partial<Record<Contestant, readonly Contestant[]>>;

const order = Object.keys(faces).flatMap((face) => figures.map(([name]) => rowName(face, name)));

function rowName(face: string, figure: string): string {
  return face === 'ours' ? figure : `${figure} (${face.slice('ours, '.length)})`;
}

function rowsOf(n: number, all: Measurements): Row[] {
  return Object.entries(faces).flatMap(([face, peers]) =>
    figures.map(([name, figure, unit, better]): Row => {
      const ours = all[face as Contestant][figure];
      const goal = goalOf(face, figure, n, all);
      return {
        name: rowName(face, name),
        n,
        unit,
        better,
        ours,
        peers: Object.fromEntries(peers.map((peer) => [peer, all[peer][figure]])),
        ...(goal === undefined ? {} : { goal }),
      };
    }),
  );
}

function goalOf(
  face: string,
  figure: keyof Measurement,
  n: number,
  all: Measurements,
): Row['goal'] | undefined {
  const ours = all[face as Contestant][figure];
  const isCost = figure === 'cpuMs' || figure === 'peakRssMb';
  if (figure === 'longestStallMs' || figure === 'longestTurnCpuMs')
    return { text: 'no stall over 25 ms', isMet: ours <= 25 };
  if (n < 50_000 || !isCost) return undefined;
  if (face === 'ours, bytes')
    return {
      text: 'at most a third of client-node',
      isMet: ours <= all['client-node'][figure] / 3,
    };
  const floor = faces[face as keyof typeof faces][0];
  return { text: 'within 15% of the floor', isMet: ours <= all[floor][figure] * 1.15 };
}
