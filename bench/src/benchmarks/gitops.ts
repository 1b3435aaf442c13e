import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import { GitOpsStage } from '../gitops/stage.ts';

/** Flux at 100 Kustomizations on two cores, measured elsewhere: seconds of its controller's CPU. */
const fluxCpuSeconds = { first: 31, all: 34, one: 35, none: 35 };

/** What Flux publishes for a thousand, at most. */
const mostMiB = 250;

/**
 * Many Kustomizations of four objects from one repository. The controllers, sources and Kustomizations
 * alike, are one process, and its processor time and memory are what counts; git runs beside it. Flux'
 * figures are those of its kustomize-controller alone, from another run on two cores like these, with a
 * real API server; ours talk to the embedded one, without encryption.
 */
export const benchmark: Benchmark = {
  name: 'gitops',
  title: 'From a commit to all applied: Kustomizations of 4 objects, one repository',
  async run(options) {
    const rows: Row[] = [];
    for (const count of options.quick ? [5] : [100, 500, 1000]) {
      rows.push(...(await measureKustomizations(count, options)));
    }
    return rows;
  },
};

/** The phases of so many Kustomizations. */
export async function measureKustomizations(
  count: number,
  { log }: BenchmarkOptions,
): Promise<Row[]> {
  const rows: Row[] = [];
  const stage = await GitOpsStage.start();
  try {
    const phase = async (name: keyof typeof fluxCpuSeconds, work: () => Promise<string>) => {
      const before = await stage.cost();
      const started = performance.now();
      await stage.untilApplied(await work());
      const seconds = (performance.now() - started) / 1000;
      const cpuSeconds = (await stage.cost()).cpuSeconds - before.cpuSeconds;
      const label = {
        first: 'first run',
        all: 'all change',
        one: 'one changes',
        none: 'none changes',
      };
      rows.push({ name: `${label[name]}, wall`, n: count, unit: 's', ours: seconds });
      rows.push({
        name: `${label[name]}, CPU of the controllers`,
        n: count,
        unit: 's',
        ours: cpuSeconds,
        ...(count === 100 ? goalOf(name, cpuSeconds) : {}),
      });
      log(`${count} ${label[name]}: ${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} CPU-s`);
    };
    const apps = Array.from({ length: count }, (_one, index) => `app-${index}`);
    await phase('first', async () => {
      const commit = stage.commit(filesOf(apps, 'v1'));
      await stage.runControllers();
      for (const app of apps) await stage.createKustomization(app, { path: `./${app}` });
      return commit;
    });
    await phase('all', async () => stage.commit(filesOf(apps, 'v2')));
    await phase('one', async () => stage.commit(filesOf(apps.slice(0, 1), 'v3')));
    await phase('none', async () => stage.commit({ 'README.md': 'nothing of note' }));
    const { peakMiB } = await stage.cost();
    log(`${count} peak memory: ${peakMiB.toFixed(0)} MiB`);
    rows.push({
      name: 'peak memory of the controllers',
      n: count,
      unit: 'MiB',
      ours: peakMiB,
      goal: { text: `under ${mostMiB} MiB`, isMet: peakMiB < mostMiB },
    });
    return rows;
  } finally {
    await stage[Symbol.asyncDispose]();
  }
}

function goalOf(phase: keyof typeof fluxCpuSeconds, cpuSeconds: number) {
  const share = phase === 'one' || phase === 'none' ? 50 : 5;
  const limit = fluxCpuSeconds[phase] / share;
  return {
    peers: { flux: fluxCpuSeconds[phase] },
    goal: { text: `a ${share}th of Flux`, isMet: cpuSeconds <= limit },
  };
}

function filesOf(apps: readonly string[], image: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const app of apps) {
    files[`${app}/kustomization.yaml`] =
      'resources: [deployment.yaml, account.yaml, service.yaml, ingress.yaml]\n';
    files[`${app}/deployment.yaml`] = `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${app}}
spec:
  replicas: 0
  selector: {matchLabels: {app: ${app}}}
  template:
    metadata: {labels: {app: ${app}}}
    spec: {serviceAccountName: ${app}, containers: [{name: app, image: "example.com/app:${image}"}]}
`;
    files[`${app}/account.yaml`] =
      `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ${app}}\n`;
    files[`${app}/service.yaml`] =
      `apiVersion: v1\nkind: Service\nmetadata: {name: ${app}}\nspec: {selector: {app: ${app}}, ports: [{port: 80}]}\n`;
    files[`${app}/ingress.yaml`] = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: ${app}}
spec:
  rules:
  - host: ${app}.example.com
    http:
      paths:
      - path: /
        pathType: Prefix
        backend: {service: {name: ${app}, port: {number: 80}}}
`;
  }
  return files;
}
