import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import { installedSize } from '../libraries/installed-size.ts';

const here = fileURLToPath(new URL('..', import.meta.url));
const ours = '@waygate/kube';
const peer = '@kubernetes/client-node';

/** What each bundle uses: one function, and a client that lists Pods by a kubeconfig. */
const bundles: readonly (readonly [string, string, string])[] = [
  [
    'bundle of one function',
    `import { isConflict } from '${ours}'; console.log(isConflict(new Error()));`,
    `import { findHomeDir } from '${peer}'; console.log(findHomeDir());`,
  ],
  [
    'bundle of a client with a kubeconfig',
    `import { KubeClient, loadConfig } from '${ours}'; import { Pod } from '${ours}/api/core-v1';
     console.log(await new KubeClient(await loadConfig()).resource(Pod).list());`,
    `import { CoreV1Api, KubeConfig } from '${peer}'; const config = new KubeConfig();
     config.loadFromDefault(); console.log(await config.makeApiClient(CoreV1Api).listPodForAllNamespaces());`,
  ],
];

/** The client as a dependency: what it costs to install, to load, to type and to bundle. */
export const benchmark: Benchmark = {
  name: 'libraries',
  title: 'The client as a dependency',
  async run({ quick, log }: BenchmarkOptions): Promise<readonly Row[]> {
    const rows: Row[] = [...imports(quick ? 3 : 15)];
    log('imported');
    const [own, others] = [installedSize(ours, here), installedSize(peer, here)];
    const row = (name: string, unit: string, mine: number, theirs: number): Row => ({
      name,
      unit,
      ours: mine,
      peers: { 'client-node': theirs },
    });
    rows.push(row('packages installed', 'packages', own.packages, others.packages));
    rows.push(row('on disk', 'kB', own.bytes / 1e3, others.bytes / 1e3));
    rows.push(row('declarations', 'kB', own.typeBytes / 1e3, others.typeBytes / 1e3));
    for (const [name, mine, theirs] of bundles) {
      const size = await bundled(mine);
      const goal = name.endsWith('function')
        ? { text: 'under 60 kB', isMet: size < 60 }
        : undefined;
      rows.push({
        ...row(name, 'kB', size, await bundled(theirs)),
        ...(goal === undefined ? {} : { goal }),
      });
    }
    return rows;
  },
};

/** The medians of several processes, each of which imports one library. */
function imports(runs: number): Row[] {
  const measured = new Map([ours, peer].map((name) => [name, [] as [number, number][]]));
  for (let run = 0; run < runs; run += 1)
    for (const [name, list] of measured) list.push(imported(name));
  const median = (name: string, at: 0 | 1): number => {
    const sorted = (measured.get(name) ?? []).map((pair) => pair[at]).sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  };
  return [
    {
      name: 'import',
      unit: 'ms',
      ours: median(ours, 0),
      peers: { 'client-node': median(peer, 0) },
    },
    {
      name: 'heap after import',
      unit: 'kB',
      ours: median(ours, 1) / 1e3,
      peers: { 'client-node': median(peer, 1) / 1e3 },
    },
  ];
}

function imported(name: string): [number, number] {
  const script = `globalThis.gc(); const heap = process.memoryUsage().heapUsed; const start = performance.now();
await import('${name}'); const ms = performance.now() - start; globalThis.gc();
console.log(JSON.stringify([ms, process.memoryUsage().heapUsed - heap]));`;
  const { stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', script],
    { cwd: here, encoding: 'utf8' },
  );
  return JSON.parse(stdout) as [number, number];
}

/** Kilobytes of a minified bundle for Node.js, all chunks together. */
async function bundled(code: string): Promise<number> {
  const directory = mkdtempSync(join(here, 'bundle-'));
  try {
    writeFileSync(join(directory, 'entry.mjs'), code);
    const build = await rolldown({
      input: join(directory, 'entry.mjs'),
      platform: 'node',
      logLevel: 'silent',
    });
    const { output } = await build.generate({ format: 'esm', minify: true });
    await build.close();
    return output.reduce((sum, part) => sum + ('code' in part ? part.code.length : 0), 0) / 1e3;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
