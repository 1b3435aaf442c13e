import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import { type BenchmarkCluster, seconds, startCluster } from '../ingress/cluster.ts';
import { syncedController } from '../ingress/synced-controller.ts';
import { measureKustomizations } from './gitops.ts';

const goalSeconds = 10;

/**
 * What a large cluster costs: the first sync of an empty gateway of our own, and a thousand
 * Kustomizations. The figures of `docs/scale.md`. API, controller and gateway are one process, which a
 * cluster's are not: its times are shorter where there is more than one core.
 * `WAYGATE_SCALE=1000` chooses how many Ingresses.
 */
export const benchmark: Benchmark = {
  name: 'scale',
  title: 'Scale: first sync of N Ingresses and Services with 10 endpoints each, N Kustomizations',
  async run(options) {
    const chosen = process.env.WAYGATE_SCALE?.split(',').map(Number);
    const rows: Row[] = [];
    for (const size of chosen ?? (options.quick ? [20] : [100, 1000, 10_000])) {
      const cluster = await startCluster(size, options);
      rows.push(...(await firstSync(cluster, 'database', options)));
      rows.push(...(await firstSync(cluster, 'dbless', options)));
      await cluster.server.stop();
    }
    rows.push(...(await measureKustomizations(options.quick ? 5 : 1000, options)));
    return rows;
  },
};

async function firstSync(
  cluster: BenchmarkCluster,
  mode: 'database' | 'dbless',
  { log }: BenchmarkOptions,
): Promise<Row[]> {
  const { size } = cluster;
  const { syncedMs, cpuSeconds, heapBytes, stop } = await syncedController(cluster, mode);
  await stop();
  const heap = heapBytes / 1e6;
  const place = mode === 'database' ? ', database' : ', no database';
  log(
    `${size}${place}: first sync in ${seconds(syncedMs)}, ${cpuSeconds.toFixed(1)} CPU-s, ${heap.toFixed(0)} MB`,
  );
  const ours = syncedMs / 1000;
  return [
    {
      name: `first sync${place}`,
      n: size,
      unit: 's',
      ours,
      ...(mode === 'database' && {
        goal: { text: `under ${goalSeconds} s`, isMet: ours < goalSeconds },
      }),
    },
    { name: `first sync${place}, CPU of all parts`, n: size, unit: 's', ours: cpuSeconds },
    { name: `controller and gateway${place}, heap`, n: size, unit: 'MB', ours: heap },
  ];
}
