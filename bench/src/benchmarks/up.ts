import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Benchmark, Row } from '../benchmark.ts';
import { cpuTime, memoryBytes } from '../up/process-tree.ts';
import { measureSaves } from '../up/saves.ts';
import { type Stage, startStack, until } from '../up/stage.ts';

const workspace = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** By then V8 has cleared away what only the start needed: it does so once a process has had nothing to do for a while. */
const restMs = 20_000;

interface Run {
  readonly readyMs: number;
  readonly routedMs: number;
  readonly cpuMs: number;
  readonly memoryMegabytes: number;
}

/** No other tool brings up an API, a gateway and the controllers in one command: there is no peer. */
export const benchmark: Benchmark = {
  name: 'up',
  title: 'waygate up: from the command to the first routed request, and saves',
  async run({ quick, log }) {
    const home = mkdtempSync(join(tmpdir(), 'waygate-bench-up-'));
    try {
      const program = await installed(home);
      const stage: Stage = { home, program, project: join(home, 'shop') };
      cpSync(join(workspace, 'examples/shop'), stage.project, { recursive: true });
      // The first start makes what later ones use: the code of the program, and its ports.
      await upOnce(stage);
      const runs: Run[] = [];
      for (let index = 0; index < (quick ? 1 : 7); index += 1) {
        const run = await upOnce(stage);
        log(JSON.stringify(run));
        runs.push(run);
      }
      const rest = await upOnce(stage, restMs);
      log(JSON.stringify(rest));
      const saves = await measureSaves(stage, quick ? 5 : 100, log);
      return [...startRows(runs, rest), ...saves];
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};

function startRows(runs: readonly Run[], rest: Run): Row[] {
  const median = (key: keyof Run): number =>
    runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)]!;
  const routed = median('routedMs') / 1000;
  const megabytes = rest.memoryMegabytes;
  return [
    { name: 'command to summary', unit: 's', ours: median('readyMs') / 1000 },
    {
      name: 'command to first routed request',
      unit: 's',
      ours: routed,
      goal: { text: 'under 1 s', isMet: routed < 1 },
    },
    { name: 'CPU of all its processes until then', unit: 's', ours: median('cpuMs') / 1000 },
    { name: 'memory of the whole stack 3 s later', unit: 'MB', ours: median('memoryMegabytes') },
    {
      name: 'idle memory of the whole stack, after 20 s at rest',
      unit: 'MB',
      ours: megabytes,
      goal: { text: 'under 120 MB', isMet: megabytes < 120 },
    },
  ];
}

/** The package as people have it who have no clone. */
async function installed(home: string): Promise<string> {
  const directory = join(home, 'package');
  mkdirSync(directory);
  const pack = pathToFileURL(join(workspace, 'scripts/pack.mjs')).href;
  const { makePackage } = (await import(pack)) as {
    makePackage(directory: string): Promise<void>;
  };
  await makePackage(directory);
  return join(directory, 'bin/waygate.js');
}

async function upOnce(stage: Stage, idleMs = 3_000): Promise<Run> {
  const started = performance.now();
  const stack = await startStack(stage, stage.project);
  try {
    const readyMs = performance.now() - started;
    await until(() => isRouted(stack.url));
    const routedMs = performance.now() - started;
    const cpuMs = cpuTime(stack.processId);
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    return { readyMs, routedMs, cpuMs, memoryMegabytes: memoryBytes(stack.processId) / 1e6 };
  } finally {
    await stack.stop();
  }
}

async function isRouted(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}
