import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';
import { changeRows } from '../gateway/changes.ts';
import { run } from '../gateway/load.ts';
import {
  cpuSeconds,
  isInstalled,
  type ProxyUnderTest,
  startBackend,
  startHaproxy,
  startNginx,
  startWaygate,
} from '../gateway/peers.ts';
import { routerRows } from '../gateway/router-rows.ts';

/** What is asked for, and whether the peers have it too. */
interface Task {
  readonly name: string;
  readonly path: string;
  readonly host?: string;
  readonly headers?: string;
  readonly isTls?: boolean;
  readonly hasPeers: boolean;
  readonly unit?: 'requests/s' | 'MB/s';
  readonly goal?: number;
}

const tasks: readonly Task[] = [
  { name: 'a plain route', path: '/plain/x', hasPeers: true, goal: 0.45 },
  { name: 'one of 10,000 routes', path: '/p9999/x', host: 'h9999.test', hasPeers: false },
  {
    name: 'key-auth and rate-limiting',
    path: '/keyed/x',
    headers: 'apikey: bench-key\r\n',
    hasPeers: false,
  },
  { name: 'TLS', path: '/plain/x', isTls: true, hasPeers: true },
  { name: 'bodies of 1 MB', path: '/plain/large', hasPeers: true, unit: 'MB/s' },
];

/**
 * Waygate routes, balances over an upstream and counts all of its metrics for each request.
 * Each proxy is one process with one thread; load and service share the other core. Rates are per
 * second of the proxy's own processor time: what one core would carry.
 */
export const benchmark: Benchmark = {
  name: 'gateway',
  title: 'The embedded gateway beside nginx and HAProxy, per core',
  async run(options) {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-bench-'));
    const backend = await startBackend(directory);
    const proxies: ProxyUnderTest[] = [
      await startWaygate({ backendPort: backend.port, routes: options.quick ? 1_000 : 10_000 }),
    ];
    try {
      if (isInstalled('nginx')) proxies.push(await startNginx(directory, backend.port));
      if (isInstalled('haproxy')) proxies.push(await startHaproxy(directory, backend.port));
      return [
        ...(await measure(proxies, options)),
        ...routerRows(options),
        ...(await changeRows(options)),
      ];
    } finally {
      for (const { process: child } of [...proxies, backend]) {
        if (child.connected) child.disconnect();
        else child.kill();
        if (child.exitCode === null) await once(child, 'exit');
      }
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function measure(
  proxies: readonly ProxyUnderTest[],
  { quick, log }: BenchmarkOptions,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const task of tasks) {
    const unit = task.unit ?? 'requests/s';
    const rates: Record<string, number> = {};
    const tails: Record<string, number> = {};
    for (const proxy of proxies.filter((one) => task.hasPeers || one.name === 'waygate')) {
      const path = quick ? task.path.replace('9999', '999') : task.path;
      const host = (task.host ?? 'bench.test').replace('9999', quick ? '999' : '9999');
      const load = {
        port: task.isTls ? proxy.httpsPort : proxy.httpPort,
        isTls: task.isTls ?? false,
        request: `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${task.headers ?? ''}\r\n`,
        connections: 32,
      };
      await run({ ...load, durationMs: quick ? 200 : 2_000 });
      const before = cpuSeconds(proxy.process.pid ?? 0);
      const result = await run({ ...load, durationMs: quick ? 500 : 8_000 });
      const cpu = Math.max(cpuSeconds(proxy.process.pid ?? 0) - before, 0.01);
      if (result.failures > 0) throw new Error(`${proxy.name}: ${result.failures} failed`);
      rates[proxy.name] = (unit === 'MB/s' ? result.bytes / 1_000_000 : result.requests) / cpu;
      tails[proxy.name] = result.p99;
    }
    const { waygate: ours = 0, ...peers } = rates;
    const ratio = ours / (peers.nginx ?? Number.POSITIVE_INFINITY);
    const goal =
      task.goal === undefined || peers.nginx === undefined
        ? {}
        : { goal: { text: `${task.goal} of nginx`, isMet: ratio >= task.goal } };
    const better = 'higher' as const;
    rows.push({ name: task.name, unit: `${unit} per core`, ours, peers, better, ...goal });
    const { waygate: tail = 0, ...otherTails } = tails;
    rows.push({
      name: `${task.name}, p99 with 32 connections`,
      unit: 'ms',
      ours: tail,
      peers: otherTails,
    });
    log(`${task.name}: ${JSON.stringify(rates)}`);
  }
  return rows;
}
