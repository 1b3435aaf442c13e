// Renders a chart's directory many times in one process, each time from its files: what a controller does.
// Started by `benchmarks/helm.ts`; prints the processor time and how much it rendered.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { loadChart, printManifests, renderChart } from '@waygate/helm';

const [directory = '', count = '1'] = process.argv.slice(2);

function filesIn(place: string): string[] {
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const path = join(place, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

let bytes = 0;
for (let index = 0; index < Number(count); index += 1) {
  const chart = loadChart(
    filesIn(directory).map((path) => ({
      name: relative(directory, path),
      data: readFileSync(path),
    })),
  );
  const rendered = renderChart(chart, undefined, {
    release: { name: `release-${index}`, namespace: 'default' },
    now: new Date(0),
    random: (length) => new Uint8Array(length),
    timeZone: 'UTC',
  });
  bytes += printManifests(rendered).length;
}
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ seconds: (user + system) / 1e6, bytes }));
