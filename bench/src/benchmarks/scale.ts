import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import { seconds, startStopwatch } from '../ingress/cluster.ts';
import { Part, type PartAddress, type SyncMode, syncApart } from '../ingress/parts.ts';
import { measureKustomizations } from './gitops.ts';

const goalSeconds = 10;

/**
 * What a large cluster costs: the first sync of an empty gateway of our own, with API, controller and
 * gateway as processes of their own as a cluster has them, and a thousand Kustomizations. The figures of
 * `docs/scale.md`. `WAYGATE_SCALE=1000` chooses how many Ingresses, and leaves the Kustomizations out.
 */
export const benchmark: Benchmark = {
  name: 'scale',
  title: 'Scale: first sync of N Ingresses and Services with 10 endpoints each, N Kustomizations',
  async run(options) {
    const chosen = process.env.WAYGATE_SCALE?.split(',').map(Number);
    const rows: Row[] = [];
    for (const size of chosen ?? (options.quick ? [20] : [100, 1000, 10_000])) {
      const api = new Part();
      const stopwatch = startStopwatch();
      const at = await api.ask<PartAddress>({ ask: 'api', size });
      options.log(`${size}: objects created in ${seconds(stopwatch())}`);
      rows.push(...(await firstSync(api, at, size, 'database', options)));
      rows.push(...(await firstSync(api, at, size, 'dbless', options)));
      await api.stop();
    }
    if (chosen === undefined) {
      rows.push(...(await measureKustomizations(options.quick ? 5 : 1000, options)));
    }
    return rows;
  },
};

async function firstSync(
  api: Part,
  at: PartAddress,
  size: number,
  mode: SyncMode,
  { log }: BenchmarkOptions,
): Promise<Row[]> {
  const { syncedMs, apiCpuSeconds, controller, gateway } = await syncApart(api, at, mode);
  const place = mode === 'database' ? ', database' : ', no database';
  const cpu = [controller.cpuSeconds, gateway.cpuSeconds, apiCpuSeconds]
    .map((value) => value.toFixed(1))
    .join(' + ');
  log(
    `${size}${place}: first sync in ${seconds(syncedMs)}; controller + gateway + API ${cpu} CPU-s`,
  );
  const row = (name: string, unit: string, ours: number): Row => ({
    name: `first sync${place}${name}`,
    n: size,
    unit,
    ours,
  });
  const ours = syncedMs / 1000;
  const goal = { text: `under ${goalSeconds} s`, isMet: ours < goalSeconds };
  return [
    { ...row('', 's', ours), ...(mode === 'database' && { goal }) },
    row(', CPU of the controller', 's', controller.cpuSeconds),
    row(', CPU of the gateway', 's', gateway.cpuSeconds),
    row(', CPU of the API server', 's', apiCpuSeconds),
    row(', memory of the controller', 'MB', controller.rssBytes / 1e6),
    row(', memory of the gateway', 'MB', gateway.rssBytes / 1e6),
  ];
}
