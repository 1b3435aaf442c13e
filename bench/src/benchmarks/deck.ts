import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import { explicitState } from '../deck/explicit-state.ts';
import { type RunCost, timedRun } from '../deck/timed-run.ts';

interface Contestant {
  readonly name: 'waygate' | 'deck';
  /** The command line for a step. */
  command(step: Step, address: string): readonly string[];
}

type Step = 'sync' | 'dump' | 'diff' | 'change';

const program = join(
  dirname(fileURLToPath(import.meta.resolve('waygate'))),
  '..',
  'bin',
  'waygate.js',
);

const contestants: readonly Contestant[] = [
  {
    name: 'waygate',
    command(step, address) {
      const gateway = [process.execPath, program, 'gateway'];
      const server = ['--kong-addr', address];
      switch (step) {
        case 'sync':
          return [...gateway, 'sync', 'state.yaml', '--silence-events', ...server];
        case 'dump':
          return [...gateway, 'dump', '--output-file', 'dump.yaml', '--yes', ...server];
        case 'diff':
          return [...gateway, 'diff', 'state.yaml', '--non-zero-exit-code', ...server];
        case 'change':
          return [...gateway, 'sync', 'changed.yaml', ...server];
      }
    },
  },
  {
    name: 'deck',
    command(step, address) {
      const server = ['--kong-addr', address];
      switch (step) {
        case 'sync':
          return ['deck', 'sync', '-s', 'state.yaml', ...server];
        case 'dump':
          return ['deck', 'dump', '-o', 'dump.yaml', ...server];
        case 'diff':
          return ['deck', 'diff', '-s', 'state.yaml', '--non-zero-exit-code', ...server];
        case 'change':
          return ['deck', 'sync', '-s', 'changed.yaml', ...server];
      }
    },
  },
];

const steps: readonly (readonly [Step, string])[] = [
  ['sync', 'sync, all new'],
  ['dump', 'dump'],
  ['diff', 'diff, no change'],
  ['change', 'sync, one change'],
];

/** Runs all steps of a contestant on a fresh Admin API. */
async function runContestant(
  contestant: Contestant,
  directory: string,
): Promise<ReadonlyMap<Step, RunCost>> {
  const script = fileURLToPath(new URL('../deck/admin-server.js', import.meta.url));
  const server = fork(script);
  try {
    const [address] = (await once(server, 'message')) as [string];
    const costs = new Map<Step, RunCost>();
    for (const [step] of steps) {
      costs.set(step, await timedRun(contestant.command(step, address), directory));
    }
    return costs;
  } finally {
    server.disconnect();
    await once(server, 'exit');
  }
}

/** The goal at 40,000 entities, where decK needs 18.7 s of CPU for a diff that finds nothing. */
function goalOf(step: Step, unit: string, n: number, ours: number, theirs: number): Row['goal'] {
  const factor = n < 40_000 || step === 'change' ? 1 : unit === 's CPU' ? 5 : unit === 'MB' ? 2 : 1;
  const text = factor === 1 ? 'ahead' : `a ${factor === 5 ? 'fifth' : 'half'}`;
  return { text, isMet: ours * factor <= theirs };
}

async function measure({ quick, log }: BenchmarkOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const n of quick ? [100] : [100, 1_000, 10_000, 40_000]) {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-bench-'));
    try {
      writeFileSync(join(directory, 'state.yaml'), explicitState(n));
      writeFileSync(join(directory, 'changed.yaml'), explicitState(n, true));
      const costs = new Map<string, ReadonlyMap<Step, RunCost>>();
      for (const contestant of contestants) {
        log(`${contestant.name}: ${n} entities`);
        costs.set(contestant.name, await runContestant(contestant, directory));
      }
      for (const [step, name] of steps) {
        const ours = costs.get('waygate')?.get(step) as RunCost;
        const theirs = costs.get('deck')?.get(step) as RunCost;
        const row = (unit: string, one: number, two: number): Row => {
          const goal = goalOf(step, unit, n, one, two);
          return { name, n, unit, ours: one, peers: { deck: two }, ...(goal ? { goal } : {}) };
        };
        rows.push(row('s wall', ours.wallSeconds, theirs.wallSeconds));
        rows.push(row('s CPU', ours.cpuSeconds, theirs.cpuSeconds));
        rows.push(row('MB', ours.peakBytes / 1e6, theirs.peakBytes / 1e6));
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
  return rows;
}

export const benchmark: Benchmark = {
  name: 'deck',
  title: "Dump, diff and sync of a Kong's configuration beside decK",
  run: measure,
};
