import { once } from 'node:events';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiServer, type RunningApiServer } from '@waygate/apiserver';
import type { Benchmark, BenchmarkOptions, Row } from '../benchmark.ts';

const path = '/api/v1/namespaces/default/configmaps';

/** The embedded API over real sockets: start, writes, reads, lists, fan-out and memory. */
export const benchmark: Benchmark = {
  name: 'apiserver',
  title: 'The embedded Kubernetes API',
  async run(options: BenchmarkOptions): Promise<readonly Row[]> {
    const rows: Row[] = [];
    const startMs = await startTime();
    rows.push({
      name: 'start to ready',
      unit: 'ms',
      ours: startMs,
      goal: { text: 'under 400 ms', isMet: startMs < 400 },
    });
    const server = await new ApiServer({ insecure: true, log: () => undefined }).start();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    try {
      const count = options.quick ? 500 : 10_000;
      const before = usedMemory();
      rows.push(await writes(server, agent, 0, count));
      rows.push(await reads(server, agent, count));
      rows.push(...(await lists(server, agent, count)));
      rows.push(await fanOut(server, agent, options.quick ? 50 : 1000));
      rows.push(memory(before, count));
      const many = 5 * count;
      await writes(server, agent, count, many);
      rows.push(memory(before, many));
    } finally {
      agent.destroy();
      await server.stop();
    }
    return rows;
  },
};

async function startTime(): Promise<number> {
  const start = performance.now();
  const server = await new ApiServer({ log: () => undefined }).start();
  const elapsed = performance.now() - start;
  await server.stop();
  return elapsed;
}

function call(
  server: RunningApiServer,
  agent: Agent,
  method: string,
  target: string,
  body?: unknown,
): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = httpRequest(
      `${server.url}${target}`,
      {
        method,
        agent,
        headers: {
          Authorization: `Bearer ${server.adminToken}`,
          'Content-Type': 'application/json',
        },
      },
      (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }));
      },
    );
    request.on('error', reject);
    request.end(text);
  });
}

/** Runs a job for each index, sixteen at a time, and returns how many a second. */
async function rate(count: number, job: (index: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) await job(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return count / ((performance.now() - start) / 1000);
}

/** Makes objects, from one number up to another. */
async function writes(
  server: RunningApiServer,
  agent: Agent,
  from: number,
  to: number,
): Promise<Row> {
  const count = to - from;
  const ours = await rate(count, (index) =>
    call(server, agent, 'POST', path, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `c-${from + index}`, labels: { app: 'bench' } },
      data: { key: 'x'.repeat(256) },
    }),
  );
  return { name: 'creates', n: count, unit: '/s', ours, better: 'higher' };
}

async function reads(server: RunningApiServer, agent: Agent, count: number): Promise<Row> {
  const ours = await rate(count, (index) => call(server, agent, 'GET', `${path}/c-${index}`));
  return { name: 'gets', n: count, unit: '/s', ours, better: 'higher' };
}

async function lists(server: RunningApiServer, agent: Agent, count: number): Promise<Row[]> {
  const { bytes } = await call(server, agent, 'GET', path);
  const list = () => call(server, agent, 'GET', path);
  const [elapsed, bytesAlone] = await withBytes(bytes, (url) =>
    medians(list, () => call({ ...server, url }, agent, 'GET', '/')),
  );
  let round = 0;
  const change = () =>
    call(server, agent, 'PUT', `${path}/c-${(count >> 1) + (round % 7)}`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `c-${(count >> 1) + (round++ % 7)}`, labels: { app: 'bench' } },
      data: { key: String(round).padEnd(256, 'y') },
    });
  const [changed] = await medians(async () => {
    await change();
    await list();
  });
  const [selected] = await medians(() =>
    call(server, agent, 'GET', `${path}?labelSelector=app%3Dbench`),
  );
  return [
    {
      name: 'list',
      n: count,
      unit: 'ms',
      ours: elapsed,
      peers: { 'the bytes alone': bytesAlone },
      goal: {
        text: 'no more than the bytes need, and half again',
        isMet: elapsed <= 1.5 * bytesAlone,
      },
    },
    { name: 'a write, and the list after it', n: count, unit: 'ms', ours: changed },
    { name: 'list by a label', n: count, unit: 'ms', ours: selected },
    {
      name: 'list throughput',
      n: count,
      unit: 'MB/s',
      ours: bytes / 1e6 / (elapsed / 1000),
      better: 'higher',
    },
  ];
}

/** A server that has an answer in memory and only sends it. */
async function withBytes<T>(bytes: number, work: (url: string) => Promise<T>): Promise<T> {
  const body = Buffer.alloc(bytes, 'x');
  const plain = createServer((_, response) => response.end(body));
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  try {
    return await work(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`);
  } finally {
    plain.closeAllConnections();
    plain.close();
  }
}

/**
 * The middle of fifteen times of each work, after five that do not count. The works take turns, so
 * that whatever else the machine does meets them alike.
 */
async function medians<const Works extends readonly (() => Promise<unknown>)[]>(
  ...works: Works
): Promise<{ [Index in keyof Works]: number }> {
  const times = works.map((): number[] => []);
  for (let round = -5; round < 15; round++) {
    for (const [index, work] of works.entries()) {
      const start = performance.now();
      await work();
      if (round >= 0) times[index]!.push(performance.now() - start);
    }
  }
  return times.map((each) => each.sort((one, other) => one - other)[7]!) as {
    [Index in keyof Works]: number;
  };
}

function memory(before: number, count: number): Row {
  const ours = (usedMemory() - before) / 1024 / count;
  return { name: 'memory of an object with its history', n: count, unit: 'KiB', ours };
}

/** What is alive, on the heap and in buffers. */
function usedMemory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** From one write to the moment when the last of many watches has it. */
async function fanOut(server: RunningApiServer, agent: Agent, watchers: number): Promise<Row> {
  const target = `${path}?watch=1&resourceVersion=${await currentVersion(server, agent)}`;
  let seen = 0;
  let finish: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const watches = new Agent({ keepAlive: false });
  await Promise.all(
    Array.from(
      { length: watchers },
      () =>
        new Promise<void>((opened, reject) => {
          const request = httpRequest(
            `${server.url}${target}`,
            { agent: watches, headers: { Authorization: `Bearer ${server.adminToken}` } },
            (response) => {
              opened();
              response.once('data', () => {
                if (++seen === watchers) finish();
              });
              response.on('error', () => undefined);
            },
          );
          request.on('error', reject);
          request.end();
        }),
    ),
  );
  const start = performance.now();
  await call(server, agent, 'POST', path, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'fan-out' },
  });
  await all;
  const ours = performance.now() - start;
  watches.destroy();
  return { name: 'one event to all watches', n: watchers, unit: 'ms', ours };
}

async function currentVersion(server: RunningApiServer, agent: Agent): Promise<string> {
  await call(server, agent, 'GET', `${path}?limit=1`);
  const response = await fetch(`${server.url}${path}?limit=1`, {
    headers: { Authorization: `Bearer ${server.adminToken}` },
  });
  const list = (await response.json()) as { metadata: { resourceVersion: string } };
  return list.metadata.resourceVersion;
}
