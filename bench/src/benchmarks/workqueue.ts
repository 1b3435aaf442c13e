import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Benchmark, Row } from '../benchmark.ts';

/** client-go's figures are from a run of its own; they stand here as what has to be beaten. */
export const benchmark: Benchmark = {
  name: 'workqueue',
  title: 'Work queue, FIFO and indexer beside the figures of client-go 0.36',
  async run(options) {
    const n = options.quick ? 50_000 : 1_000_000;
    return [...(await rowsOf('queue', n)), ...(await rowsOf('cache', n / 5))];
  },
};

/** Each group has a process of its own: a million keys of another would weigh on every collection. */
async function rowsOf(group: 'queue' | 'cache', n: number): Promise<Row[]> {
  const script = fileURLToPath(new URL('../workqueue/rows-process.js', import.meta.url));
  const child = fork(script, [group, String(n)], { execArgv: ['--expose-gc'] });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the rows of the ${group} were not measured: exit ${code}`);
  });
  const [rows] = (await Promise.race([once(child, 'message'), failed])) as [Row[]];
  failed.catch(() => undefined);
  return rows;
}
