// Renders charts one after the other in one process, and says how each ended and what it took: a line each.
// Started by `benchmarks/helm-hostile.ts`, with a small heap.
import { createInterface } from 'node:readline';
import { MemoryFiles, runHelm } from '@waygate/helm';
import type { HostileChart } from './hostile-charts.ts';

const plain = { 'Chart.yaml': 'apiVersion: v2\nname: evil\nversion: 1.0.0\n' };

for await (const line of createInterface({ input: process.stdin })) {
  const { files, flags = [] } = JSON.parse(line) as HostileChart;
  const world = new MemoryFiles();
  for (const [path, text] of Object.entries({ ...plain, ...files }))
    world.write(`/evil/${path}`, text);
  const before = process.cpuUsage();
  const code = await runHelm(['template', 'r', '/evil', ...flags], {
    helm: 4,
    cwd: '/',
    env: {},
    files: world,
    now: () => new Date(0),
    random: (count) => new Uint8Array(count),
    timeZone: 'UTC',
    writeOut: () => {},
    writeError: () => {},
  });
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${JSON.stringify({ code, ms: (user + system) / 1000 })}\n`);
}
