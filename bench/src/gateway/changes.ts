import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { BenchmarkOptions, Row } from '../benchmark.ts';
import { cpuSeconds } from './peers.ts';

/**
 * Writes through the Admin API while so many routes exist. Each is in force when it is answered: the
 * server compiles it before. The cost is that of the server's process alone.
 */
export async function changeRows({ quick, log }: BenchmarkOptions): Promise<Row[]> {
  const rows: Row[] = [];
  let smallest = Number.POSITIVE_INFINITY;
  for (const n of quick ? [10, 1_000] : [10, 1_000, 10_000, 100_000]) {
    const writes = quick ? 200 : 4_000;
    const server = fork(fileURLToPath(new URL('./change-server.js', import.meta.url)));
    const agent = new Agent({ keepAlive: true, maxSockets: 10 });
    try {
      server.send(n);
      const [port] = (await once(server, 'message')) as [number];
      await patchRoutes(agent, port, n, writes / 4);
      const before = cpuSeconds(server.pid ?? 0);
      const startedAt = performance.now();
      await patchRoutes(agent, port, n, writes);
      const seconds = (performance.now() - startedAt) / 1_000;
      const cost = ((cpuSeconds(server.pid ?? 0) - before) * 1_000_000) / writes;
      smallest = Math.min(smallest, Math.max(cost, 1));
      const goal = { text: 'flat: within 2 times the smallest', isMet: cost <= smallest * 2 };
      rows.push({
        name: 'PATCH of one route, CPU of the gateway',
        n,
        unit: 'us',
        ours: cost,
        goal,
      });
      rows.push({
        name: 'PATCH of routes',
        n,
        unit: 'writes/s',
        ours: writes / seconds,
        better: 'higher',
      });
      log(`PATCH of a route among ${n}: ${cost.toFixed(0)} us`);
    } finally {
      agent.destroy();
      server.disconnect();
      await once(server, 'exit');
    }
  }
  return rows;
}

async function patchRoutes(agent: Agent, port: number, n: number, writes: number): Promise<void> {
  let next = 0;
  const write = async () => {
    while (next < writes) {
      const index = next;
      next += 1;
      await patch(agent, port, `/routes/r${(index * 31) % n}`, { paths: [`/q${index}`] });
    }
  };
  await Promise.all(Array.from({ length: 10 }, write));
}

function patch(agent: Agent, port: number, path: string, body: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: '127.0.0.1',
      port,
      path,
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
    };
    const asking = request(options, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`status ${answer.statusCode}`)),
      );
    });
    asking.on('error', reject);
    asking.end(JSON.stringify(body));
  });
}
