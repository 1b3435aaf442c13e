import { performance } from 'node:perf_hooks';
import type { Gateway } from '@waygate/gateway';
import { toDeclarativeConfig, translate } from '@waygate/ingress';
import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import {
  addressesOf,
  type BenchmarkCluster,
  clusterObjects,
  endpointSlice,
  pathOf,
  seconds,
  startCluster,
  usedHeap,
} from '../ingress/cluster.ts';
import { syncedController } from '../ingress/synced-controller.ts';

/** Seconds of Kong Ingress Controller's newest main for a full translation, as measured for us. */
const originalSeconds: Readonly<Record<number, number>> = { 1000: 0.18, 5000: 19, 10000: 137 };

/** The ingress controller: full translation, and one changed endpoint on its way into the gateway. */
export const benchmark: Benchmark = {
  name: 'ingress',
  title: 'Ingress controller: N Ingresses and Services with 10 endpoints each',
  async run(options) {
    const rows: Row[] = [];
    const sizes = options.quick ? [100] : [100, 1000, 5000, 10_000];
    for (const size of sizes) rows.push(...translation(size, options));
    for (const size of options.quick ? [20] : sizes) {
      const cluster = await startCluster(size, options);
      rows.push(...(await oneChange(cluster, 'database', options)));
      rows.push(...(await oneChange(cluster, 'dbless', options)));
      await cluster.server.stop();
    }
    return rows;
  },
};

function translation(size: number, { quick, log }: BenchmarkOptions): Row[] {
  const objects = clusterObjects(size);
  const heapBefore = usedHeap();
  let best = Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    const started = performance.now();
    const { state } = translate(objects);
    best = Math.min(best, performance.now() - started);
    bytes = JSON.stringify(toDeclarativeConfig(state, { isDbless: true })).length;
  }
  log(`translated ${size}: ${best.toFixed(0)} ms, ${bytes} bytes`);
  const peer = originalSeconds[size];
  return [
    {
      name: 'full translation',
      n: size,
      unit: 's',
      ours: best / 1000,
      ...(peer === undefined ? {} : { peers: { 'KIC main': peer } }),
      goal: { text: 'under 1 s at 10,000', isMet: best < 1000 },
    },
    {
      name: 'heap of one translation',
      n: size,
      unit: 'MB',
      ours: Math.max(0, usedHeap() - heapBefore) / 1e6,
    },
  ];
}

/** An EndpointSlice is written; the clock stops when the gateway has the target. */
async function oneChange(
  cluster: BenchmarkCluster,
  mode: 'database' | 'dbless',
  { quick, log }: BenchmarkOptions,
): Promise<Row[]> {
  const { size, server, added } = cluster;
  const { controller, gateway, syncedMs, heapBytes, stop } = await syncedController(cluster, mode);
  log(`${size}, ${mode}: first sync in ${seconds(syncedMs)}`);
  const times: number[] = [];
  let writes = 0;
  // Without a database the gateway takes everything anew each time.
  const { warmups, rounds } = quick
    ? { warmups: 1, rounds: 5 }
    : mode === 'database'
      ? { warmups: 50, rounds: 400 }
      : { warmups: 3, rounds: 20 };
  let cpu = process.cpuUsage();
  for (let round = 0; round < warmups + rounds; round += 1) {
    if (round === warmups) cpu = process.cpuUsage();
    const index = round % size;
    const before = added.get(index) ?? [];
    const address = `10.${mode === 'database' ? 200 : 201}.${Math.floor(round / 250)}.${(round % 250) + 1}`;
    added.set(index, [...before, address]);
    const slice = endpointSlice(index, [...addressesOf(index), ...before, address]);
    const target = `${address}:8080`;
    const upstream = `web-${index}.default.80.svc`;
    const lastPass = controller.lastPass;
    const started = performance.now();
    await server.request('PUT', `${pathOf(slice)}/${slice.metadata.name}`, slice);
    while (!hasTarget(gateway, upstream, target)) await new Promise(setImmediate);
    if (round >= warmups) times.push(performance.now() - started);
    while (controller.lastPass === lastPass) await new Promise(setImmediate);
    const { outcome } = controller.lastPass ?? {};
    writes = Math.max(writes, outcome?.kind === 'applied' ? outcome.writes : 0);
  }
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1000 / rounds;
  await stop();
  times.sort((left, right) => left - right);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const place = mode === 'database' ? '' : ', no database';
  log(
    `one change at ${size}${place}: p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, ${cpuMs.toFixed(1)} ms of processor time, ${writes} writes`,
  );
  return [
    { name: `one endpoint change to live${place}, p50`, n: size, unit: 'ms', ours: at(0.5) },
    {
      name: `one endpoint change to live${place}, p99`,
      n: size,
      unit: 'ms',
      ours: at(0.99),
      // A gateway without a database takes the whole configuration for every change: that is its API.
      ...(mode === 'database' && { goal: { text: 'under 50 ms', isMet: at(0.99) < 50 } }),
    },
    {
      name: `processor time of one endpoint change, all parts${place}`,
      n: size,
      unit: 'ms',
      ours: cpuMs,
    },
    {
      name: `first sync${place}`,
      n: size,
      unit: 's',
      ours: syncedMs / 1000,
    },
    {
      name: `writes for one more endpoint${place}`,
      n: size,
      unit: 'writes',
      ours: writes,
      goal: { text: 'one', isMet: writes === 1 },
    },
    { name: `heap of controller and gateway${place}`, n: size, unit: 'MB', ours: heapBytes / 1e6 },
  ];
}

function hasTarget({ store }: Gateway, upstream: string, target: string): boolean {
  const found = store.get('upstreams', upstream);
  if (found === undefined) return false;
  const listed = store.list('targets', {}, { field: 'upstream', id: found.id });
  return listed.kind === 'page' && listed.page.data.some((one) => one.target === target);
}
