import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Benchmark, Row } from '../benchmark.ts';
import { type HostileChart, hostileCharts } from '../helm/hostile-charts.ts';

/** What the process may keep: a rendering may make 256 MiB, and most of that is gone again. */
const heapMegabytes = 384;
/** After so long a chart is given up, and the process with it. By the clock, on a machine that may be busy. */
const patienceMs = 120_000;

interface Outcome {
  readonly chart: HostileChart;
  /** What the rendering ended with; absent when the process did not survive it. */
  readonly code?: number;
  readonly ms: number;
}

/** How long charts that are up to no good can keep a process busy, one after the other in one small heap. */
export const benchmark: Benchmark = {
  name: 'helm-hostile',
  title: 'charts of strangers',
  async run({ quick, log }) {
    const charts = quick ? hostileCharts.filter((_, index) => index % 20 === 0) : hostileCharts;
    const outcomes: Outcome[] = [];
    let renderer = start();
    try {
      for (const chart of charts) {
        const outcome = await renderer.render(chart);
        outcomes.push(outcome);
        if (outcome.ms > 1000) log(`${chart.name}: ${Math.round(outcome.ms)} ms`);
        if (!isRight(outcome)) log(`${chart.name}: ended with ${outcome.code ?? 'the process'}`);
        if (outcome.code !== undefined) continue;
        await renderer.end();
        renderer = start();
      }
    } finally {
      await renderer.end();
    }
    return rowsOf(outcomes);
  },
};

/** Refused, or harmless where it may be. */
function isRight({ chart, code }: Outcome): boolean {
  return code !== undefined && (code !== 0 || chart.mayPass === true);
}

function rowsOf(outcomes: readonly Outcome[]): Row[] {
  const n = outcomes.length;
  const quick = outcomes.filter(({ ms }) => ms <= 1000).length;
  const right = outcomes.filter(isRight).length;
  const slowest = outcomes.reduce((most, each) => (each.ms > most.ms ? each : most));
  const all = (count: number) => ({ text: `all ${n}`, isMet: count === n });
  return [
    {
      name: 'end with a clear error, or do no harm',
      n,
      unit: 'charts',
      ours: right,
      better: 'higher',
      goal: all(right),
    },
    {
      name: 'end within a second of CPU',
      n,
      unit: 'charts',
      ours: quick,
      better: 'higher',
      goal: all(quick),
    },
    { name: `slowest: ${slowest.chart.name}`, unit: 'ms', ours: slowest.ms },
  ];
}

function start() {
  const program = fileURLToPath(new URL('../helm/render-hostile.js', import.meta.url));
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    `--max-old-space-size=${heapMegabytes}`,
    program,
  ]);
  child.stdin.on('error', () => {});
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async render(chart: HostileChart): Promise<Outcome> {
      const started = performance.now();
      const giveUp = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      child.stdin.write(`${JSON.stringify(chart)}\n`);
      const { value, done } = await lines.next();
      clearTimeout(giveUp);
      return done === true
        ? { chart, ms: performance.now() - started }
        : { chart, ...JSON.parse(value) };
    },
    async end(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
