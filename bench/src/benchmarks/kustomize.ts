import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, memoryFileSystem } from '@waygate/kustomize';
import type { Benchmark, Row } from '../benchmark.ts';
import { cpuSeconds } from '../cpu-seconds.ts';
import { sampleFiles } from '../kustomize/sample.ts';
import { median } from '../median.ts';

/** Sizes past this one take the original minutes; it runs them only when asked for. */
const LARGEST_FOR_PEER = 1_000;

const program = join(
  dirname(fileURLToPath(import.meta.url)),
  '../../../packages/cli/bin/waygate.js',
);

/** Whole builds, start of the program included, in seconds of CPU: the machine may be busy. */
export const benchmark: Benchmark = {
  name: 'kustomize',
  title: 'waygate build beside kubectl kustomize',
  async run({ quick, log }) {
    const sizes = quick ? [10, 100] : [10, 100, 1_000, 5_000];
    const isSlowPeerWanted = process.env.WAYGATE_BENCH_SLOW_PEERS === '1';
    const rows: Row[] = [];
    const ours = new Map<number, number>();
    for (const n of sizes) {
      const root = writeSample(n);
      try {
        const mine = cpuSeconds(process.execPath, [program, 'build', join(root, 'overlay')]);
        if (mine === undefined) throw new Error('waygate build failed');
        ours.set(n, mine.seconds);
        const runsPeer = n <= LARGEST_FOR_PEER || isSlowPeerWanted;
        const peer = runsPeer
          ? cpuSeconds('kubectl', ['kustomize', join(root, 'overlay')])
          : undefined;
        log(
          `${n} resources: ours ${mine.seconds.toFixed(2)} s, kubectl ${peer?.seconds.toFixed(2) ?? '-'} s`,
        );
        if (peer !== undefined && peer.output !== mine.output)
          throw new Error('the outputs differ');
        rows.push(rowOf(n, mine.seconds, peer?.seconds));
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }
    rows.unshift(smallRow(quick ? 3 : 21));
    rows.push(...growth(ours, sizes), controllerRow(quick));
    return rows;
  },
};

/**
 * What a build of three files costs, beside a node that does nothing: that much no program in it can save.
 * The median of several, taken in turns.
 */
function smallRow(times: number): Row {
  const root = writeSample(3);
  const nothing = join(root, 'nothing.cjs');
  writeFileSync(nothing, '');
  const target = join(root, 'overlay');
  const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
    ours: [process.execPath, program, 'build', target],
    'node alone': [process.execPath, nothing],
    'kubectl kustomize': ['kubectl', 'kustomize', target],
    kustomize: [process.env.WAYGATE_KUSTOMIZE ?? 'kustomize', 'build', target],
  };
  const seconds: Record<string, number[]> = {};
  try {
    for (let turn = 0; turn < times; turn += 1) {
      for (const [name, [command, ...args]] of Object.entries(programs)) {
        const used = cpuSeconds(command, args);
        if (used !== undefined) seconds[name] = [...(seconds[name] ?? []), used.seconds];
      }
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const { ours = Number.NaN, ...peers } = Object.fromEntries(
    Object.entries(seconds).map(([name, all]) => [name, median(all)]),
  );
  return { name: 'build of three files, CPU', unit: 's', ours, peers };
}

function rowOf(n: number, ours: number, peer: number | undefined): Row {
  const factor = n >= 5_000 ? 100 : 10;
  const row = { name: 'build, CPU', n, unit: 's', ours };
  if (peer === undefined) return row;
  const withPeer = { ...row, peers: { 'kubectl kustomize': peer } };
  if (n < 1_000) return withPeer;
  return {
    ...withPeer,
    goal: { text: `at least ${factor} times less`, isMet: peer >= ours * factor },
  };
}

/** How the cost grows from one size to the next, beside how the size does. */
function growth(ours: ReadonlyMap<number, number>, sizes: readonly number[]): Row[] {
  const [from, to] = sizes.slice(-2);
  if (from === undefined || to === undefined) return [];
  const factor = ours.get(to)! / ours.get(from)!;
  return [
    {
      name: `growth of the cost from ${from} to ${to} resources`,
      unit: 'times',
      ours: factor,
      goal: { text: `no more than the size grows: ${to / from}`, isMet: factor <= to / from },
    },
  ];
}

/** A controller builds many small kustomizations in one process. */
function controllerRow(quick: boolean): Row {
  const count = quick ? 50 : 500;
  const sample = memoryFileSystem(sampleFiles(12));
  for (let index = 0; index < 20; index += 1) buildSync(sample, '/overlay');
  const started = performance.now();
  for (let index = 0; index < count; index += 1) buildSync(sample, '/overlay').toYaml();
  const seconds = (performance.now() - started) / 1_000;
  return {
    name: 'small kustomizations built in one process',
    n: count,
    unit: 'builds/s',
    ours: count / seconds,
    better: 'higher',
  };
}

function writeSample(n: number): string {
  const root = mkdtempSync(join(tmpdir(), 'waygate-bench-'));
  for (const [path, content] of Object.entries(sampleFiles(n))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}
