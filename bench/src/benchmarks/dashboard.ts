import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Benchmark, Row } from '../benchmark.ts';
import { endpointLatency } from '../dashboard/endpoint-latency.ts';
import { measurePage, type PageMeasures } from '../dashboard/page.ts';
import type { Measured, Order } from '../dashboard/serve.ts';

const pageCount = 50;

/** The server's side of the dashboard: what a change, a page and fifty pages cost. */
export const benchmark: Benchmark = {
  name: 'dashboard',
  title: "The dashboard's server: routes with a service, a target and three objects each",
  async run({ quick, log }) {
    const rows: Row[] = [];
    for (const n of quick ? [500] : [1_000, 10_000])
      rows.push(...(await measureOne(n, quick, log)));
    rows.push(...(await endpointRows(quick, log)));
    return rows;
  },
};

async function measureOne(
  n: number,
  quick: boolean,
  log: (line: string) => void,
): Promise<readonly Row[]> {
  const path = fileURLToPath(new URL('../dashboard/serve.js', import.meta.url));
  const server = fork(path, [String(n)], { execArgv: ['--expose-gc'] });
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const bytes = await bytesPerChange(server, port, quick ? 50 : 500);
    const snapshot = await snapshotOf(port, 'routes');
    const { perPage, share, idleShare } = await costOfPages(server, port, quick ? 2_000 : 10_000);
    const page = await measurePage(port, (count, pauseMs) => changes(server, count, pauseMs));
    log(`${n}: ${JSON.stringify({ bytes, snapshot, perPage, share, idleShare, page })}`);
    return [
      {
        name: 'bytes sent for a change',
        n,
        unit: 'B',
        ours: Math.round(bytes),
        goal: { text: 'under 1 kB', isMet: bytes < 1_000 },
      },
      { name: 'snapshot of routes, compressed', n, unit: 'B', ours: snapshot },
      {
        name: 'memory of an open page',
        n,
        unit: 'kB',
        ours: Math.round(perPage / 1_000),
        goal: { text: 'under 3 MB', isMet: perPage < 3_000_000 },
      },
      {
        name: `${pageCount} pages, 10 changes a second`,
        n,
        unit: '% of a core',
        ours: Math.round(share * 1_000) / 10,
        goal: { text: 'under 5 % more than without pages', isMet: share - idleShare < 0.05 },
      },
      {
        name: 'no page, 10 changes a second',
        n,
        unit: '% of a core',
        ours: Math.round(idleShare * 1_000) / 10,
      },
      ...(page === undefined ? [] : pageRows(page, n)),
    ];
  } finally {
    server.disconnect();
    await once(server, 'exit');
  }
}

function pageRows(page: PageMeasures, n: number): readonly Row[] {
  const ms = { n, unit: 'ms' } as const;
  return [
    { name: 'Routes page: address to first useful paint', ...ms, ours: Math.round(page.paintMs) },
    {
      name: 'key to paint while filtering, 100 changes a second, median',
      ...ms,
      ours: Math.round(page.keyMs),
      goal: { text: 'under 100 ms', isMet: page.keyMs < 100 },
    },
    { name: '… the slowest key', ...ms, ours: Math.round(page.slowestKeyMs) },
    {
      name: '… the longest frame',
      ...ms,
      ours: Math.round(page.longestFrameMs),
      goal: { text: 'under 200 ms', isMet: page.longestFrameMs < 200 },
    },
    {
      name: "… the page's main thread",
      n,
      unit: '% of a core',
      ours: Math.round(page.share * 100),
    },
  ];
}

/** Whether the controllers are slowed by those who look. */
async function endpointRows(quick: boolean, log: (line: string) => void): Promise<readonly Row[]> {
  const { aloneMs, watchedMs } = await endpointLatency(pageCount, quick ? 10 : 300, openStream);
  log(JSON.stringify({ aloneMs, watchedMs }));
  const name = 'changed endpoint to changed answer, median';
  const ratio = watchedMs / aloneMs;
  return [
    { name: `${name}, no page`, unit: 'ms', ours: Math.round(aloneMs * 10) / 10 },
    {
      name: `${name}, ${pageCount} pages`,
      unit: 'ms',
      ours: Math.round(watchedMs * 10) / 10,
      goal: { text: 'within 10 % of none', isMet: ratio < 1.1 },
    },
  ];
}

async function openStream(port: number, cookie: string): Promise<() => void> {
  const page = await openPage(port, 'routes,flow,problems,changes', cookie);
  return () => page.close();
}

async function bytesPerChange(server: ChildProcess, port: number, count: number): Promise<number> {
  const page = await openPage(port, 'routes,flow,problems');
  await page.quiet();
  const before = page.bytes;
  await changes(server, count, 1);
  await page.quiet();
  const sent = page.bytes - before;
  page.close();
  return sent / count;
}

async function costOfPages(
  server: ChildProcess,
  port: number,
  forMs: number,
): Promise<{ readonly perPage: number; readonly share: number; readonly idleShare: number }> {
  const count = forMs / 100;
  const without = await shareOf(server, () => changes(server, count, 100));
  const before = await measure(server);
  const pages = await Promise.all(
    Array.from({ length: pageCount }, () => openPage(port, 'routes,flow,problems,changes')),
  );
  await changes(server, 20, 10);
  const after = await measure(server);
  const share = await shareOf(server, () => changes(server, count, 100));
  for (const page of pages) page.close();
  return {
    perPage: Math.max(after.bytes - before.bytes, 0) / pageCount,
    share,
    idleShare: without,
  };
}

async function shareOf(server: ChildProcess, work: () => Promise<void>): Promise<number> {
  const before = await measure(server);
  await work();
  const after = await measure(server);
  return (after.cpuMs - before.cpuMs) / (after.atMs - before.atMs);
}

async function measure(server: ChildProcess): Promise<Measured> {
  const [measured] = await ask(server, { kind: 'measure' });
  return measured as Measured;
}

async function changes(server: ChildProcess, count: number, pauseMs: number): Promise<void> {
  await ask(server, { kind: 'change', count, pauseMs });
}

function ask(server: ChildProcess, order: Order): Promise<unknown[]> {
  const answer = once(server, 'message');
  server.send(order);
  return answer;
}

interface OpenPage {
  readonly bytes: number;
  /** Resolves when nothing has come for a while. */
  quiet(): Promise<void>;
  close(): void;
}

function openPage(port: number, topics: string, cookie = ''): Promise<OpenPage> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let lastMs = performance.now();
    const asked: ClientRequest = request(
      {
        host: '127.0.0.1',
        port,
        path: `/api/stream?topics=${topics}`,
        headers: cookie === '' ? {} : { cookie },
        agent: false,
      },
      (answer) => {
        answer.on('data', (part: Buffer) => {
          bytes += part.length;
          lastMs = performance.now();
        });
        answer.on('error', () => undefined);
        resolve({
          get bytes() {
            return bytes;
          },
          async quiet() {
            while (performance.now() - lastMs < 300)
              await new Promise((done) => setTimeout(done, 50));
          },
          close: () => void asked.destroy(),
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

function snapshotOf(port: number, topic: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip' };
    const asked = request(
      { host: '127.0.0.1', port, path: `/api/${topic}`, headers, agent: false },
      (answer) => {
        let bytes = 0;
        answer.on('data', (part: Buffer) => {
          bytes += part.length;
        });
        answer.on('end', () => resolve(bytes));
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}
