import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { helmReleaseKind, kustomizationKind } from '@waygate/gitops';
import { rolldown } from 'rolldown';
import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import { cpuSeconds } from '../cpu-seconds.ts';
import { GitOpsStage } from '../gitops/stage.ts';
import { sampleChart } from '../helm/sample-chart.ts';

const here = dirname(fileURLToPath(import.meta.url));
const program = join(here, '../../../packages/cli/bin/waygate.js');
const helm = process.env.WAYGATE_HELM_PROGRAM ?? 'helm';

/** Seconds of CPU, as the machine may be busy; starting the programs is counted where they are started. */
export const benchmark: Benchmark = {
  name: 'helm',
  title: 'waygate template beside helm template, and HelmReleases that do not change',
  async run(options) {
    const rows: Row[] = [];
    const packed = mkdtempSync(join(tmpdir(), 'waygate-bench-'));
    const manyScript = join(packed, 'render-many.mjs');
    await pack(join(here, '../helm/render-many.js'), manyScript);
    for (const templates of options.quick ? [30] : [30, 300]) {
      const root = writeChart(templates);
      try {
        rows.push(...templateRows(root, templates, manyScript, options));
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }
    rmSync(packed, { recursive: true, force: true });
    rows.push(...(await unchangedRows(options)));
    return rows;
  },
};

/** One script of all its modules, as the program is one: to look for some hundred files takes longer than to run them. */
async function pack(entry: string, file: string): Promise<void> {
  const build = await rolldown({
    input: entry,
    platform: 'node',
    external: (id) => id.startsWith('node:'),
    treeshake: { moduleSideEffects: false },
  });
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
}

function writeChart(templates: number): string {
  const root = mkdtempSync(join(tmpdir(), 'waygate-bench-'));
  for (const [path, text] of Object.entries(sampleChart(templates))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The least of some runs: what else the machine does only adds to it. */
function least(command: string, args: readonly string[], runs: number) {
  const found = Array.from({ length: runs }, () => cpuSeconds(command, args));
  return found.reduce((best, each) =>
    best === undefined || each === undefined || each.seconds < best.seconds ? each : best,
  );
}

function templateRows(
  root: string,
  templates: number,
  manyScript: string,
  { quick, log }: BenchmarkOptions,
): Row[] {
  const runs = quick ? 1 : 5;
  const ours = least(process.execPath, [program, 'template', 'release', root], runs);
  if (ours === undefined) throw new Error('waygate template failed');
  const start = least(process.execPath, ['-e', '0'], runs)!.seconds;
  const peer = least(helm, ['template', 'release', root], runs);
  if (peer === undefined)
    log(`there is no ${helm}: WAYGATE_HELM_PROGRAM names one to compare with`);
  else if (peer.output !== ours.output) log('the outputs differ');
  const count = quick ? 5 : 100;
  const many = least(process.execPath, [manyScript, root, String(count)], quick ? 1 : 3);
  if (many === undefined) throw new Error('rendering in one process failed');
  const peerMany = peer === undefined ? undefined : peer.seconds * count;
  return [
    {
      name: `template, one process, ${templates} templates (node alone: ${start.toFixed(3)} s)`,
      unit: 's',
      ours: ours.seconds,
      ...(peer !== undefined && {
        peers: { helm: peer.seconds },
        ...(templates <= 30 && {
          goal: {
            text: "within node's start of helm",
            isMet: ours.seconds <= peer.seconds + start,
          },
        }),
      }),
    },
    {
      name: `${count} charts of ${templates} templates, one process of ours, ${count} of helm`,
      n: count,
      unit: 's',
      ours: many.seconds,
      ...(peerMany !== undefined && {
        peers: { helm: peerMany },
        goal: { text: '5 times less', isMet: many.seconds * 5 <= peerMany },
      }),
    },
  ];
}

/** What a reconciliation costs that finds nothing to do: of a HelmRelease, beside a Kustomization. */
async function unchangedRows(options: BenchmarkOptions): Promise<Row[]> {
  const stage = await GitOpsStage.start();
  try {
    return await measureUnchanged(stage, options);
  } finally {
    await stage[Symbol.asyncDispose]();
  }
}

async function measureUnchanged(
  stage: GitOpsStage,
  { quick, log }: BenchmarkOptions,
): Promise<Row[]> {
  const count = quick ? 3 : 50;
  const names = Array.from({ length: count }, (_, index) => `app-${index}`);
  const files: Record<string, string> = {};
  for (const [path, text] of Object.entries(sampleChart(6))) files[`chart/${path}`] = text;
  for (const name of names) {
    files[`${name}/kustomization.yaml`] = `resources: [objects.yaml]\nnameSuffix: -${name}\n`;
    files[`${name}/objects.yaml`] = Array.from(
      { length: 6 },
      (_, index) =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain-${index}}\ndata: {a: b}\n`,
    ).join('---\n');
  }
  const commit = stage.commit(files);
  await stage.runControllers();
  for (const name of names) {
    await stage.createKustomization(name, { path: `./${name}`, targetNamespace: 'default' });
    await stage.client.resource(helmReleaseKind).create({
      metadata: { name, namespace: 'default' },
      spec: {
        interval: '1h',
        // Nothing runs pods here.
        install: { disableWait: true },
        chart: {
          spec: { chart: './chart', sourceRef: { kind: 'GitRepository', name: 'src' } },
        },
      },
    });
  }
  await stage.untilApplied(commit);
  const releases = stage.client.resource(helmReleaseKind);
  await until(async () =>
    (await releases.list({ namespace: 'default' })).items.every(({ status }) =>
      status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    ),
  );
  const release = await cost(stage, helmReleaseKind, names);
  const plain = await cost(stage, kustomizationKind, names);
  log(
    `unchanged: HelmReleases ${JSON.stringify(release)}, Kustomizations ${JSON.stringify(plain)}`,
  );
  return [
    {
      name: 'HelmReleases asked for again, nothing changed, CPU',
      n: count,
      unit: 's',
      ours: release.seconds,
      peers: { 'as many Kustomizations': plain.seconds },
      goal: { text: 'as little', isMet: release.seconds <= plain.seconds * 1.25 },
    },
    {
      name: 'requests to the API for each',
      unit: 'requests',
      ours: release.requests / count,
      peers: { 'a Kustomization': plain.requests / count },
    },
  ];
}

/** Asks for every object to be reconciled, and counts what it takes. */
async function cost(
  stage: GitOpsStage,
  kind: typeof helmReleaseKind | typeof kustomizationKind,
  names: readonly string[],
): Promise<{ seconds: number; requests: number }> {
  const resource = stage.client.resource(kind as typeof kustomizationKind);
  const stamp = new Date().toISOString();
  let requests = 0;
  const count = () => (requests += 1);
  const before = await stage.cost();
  subscribe('http.server.request.start', count);
  for (const name of names) {
    const annotations = { 'reconcile.fluxcd.io/requestedAt': stamp };
    await resource.patch(name, { metadata: { annotations } }, { namespace: 'default' });
  }
  let looked = 0;
  await until(async () => {
    looked += 1;
    const { items } = await resource.list({ namespace: 'default' });
    return items.every(({ status }) => status?.lastHandledReconcileAt === stamp);
  });
  unsubscribe('http.server.request.start', count);
  const seconds = (await stage.cost()).cpuSeconds - before.cpuSeconds;
  // Our own patches and looks are not theirs.
  return { seconds, requests: requests - names.length - looked };
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 200));
}
