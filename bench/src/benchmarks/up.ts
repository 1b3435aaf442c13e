import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Benchmark, Row } from '../benchmark.ts';

const workspace = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

interface Run {
  readonly readyMs: number;
  readonly routedMs: number;
  readonly residentMegabytes: number;
}

/** No other tool brings up an API, a gateway and the controllers in one command: there is no peer. */
export const benchmark: Benchmark = {
  name: 'up',
  title: 'waygate up: from the command to the first routed request',
  async run({ quick, log }) {
    const runs: Run[] = [];
    for (let index = 0; index < (quick ? 1 : 7); index += 1) {
      const run = await upOnce();
      log(JSON.stringify(run));
      runs.push(run);
    }
    const median = (key: keyof Run): number =>
      runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)]!;
    const routed = median('routedMs') / 1000;
    const rows: Row[] = [
      { name: 'command to summary', unit: 's', ours: median('readyMs') / 1000 },
      {
        name: 'command to first routed request',
        unit: 's',
        ours: routed,
        goal: { text: 'under 3 s', isMet: routed < 3 },
      },
      { name: 'idle memory of the whole stack', unit: 'MB', ours: median('residentMegabytes') },
    ];
    return rows;
  },
};

async function upOnce(): Promise<Run> {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [join(workspace, 'packages/cli/bin/waygate.js'), 'up', join(workspace, 'examples/shop')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  try {
    while (!output.includes('What changes')) await once(child.stdout, 'data');
    const readyMs = performance.now() - started;
    const url = /curl (http:\S+)/.exec(output)![1]!;
    while (!(await isRouted(url))) await new Promise((resolve) => setTimeout(resolve, 10));
    const routedMs = performance.now() - started;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return { readyMs, routedMs, residentMegabytes: residentBytes(child.pid!) / 1e6 };
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
}

async function isRouted(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}

/** The stack and its gateway; the example's backends are its own business, and are not counted. */
function residentBytes(processId: number): number {
  const gateways = readdirSync('/proc').filter(
    (id) =>
      /^\d+$/.test(id) &&
      read(id, 'status').includes(`PPid:\t${processId}\n`) &&
      read(id, 'cmdline').includes('gateway-process'),
  );
  const resident = (id: string): number =>
    1024 * Number(/VmRSS:\s+(\d+)/.exec(read(id, 'status'))?.[1] ?? 0);
  return [String(processId), ...gateways].reduce((sum, id) => sum + resident(id), 0);
}

function read(id: string, file: 'status' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    // It ended since it was listed, or there is no such directory on this system.
    return '';
  }
}
