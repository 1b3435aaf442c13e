import nodeCluster from 'node:cluster';
import { afterEach, expect, test, vi } from 'vitest';
import { patience } from '../../../test/until.ts';
import { backendWith, endProxiesAfterEach, hello, to } from '../test/running-proxy.ts';
import { PassthroughCluster, type PassthroughClusterOptions, partOf } from './cluster.ts';
import type { ConnectionSummary } from './connection-host.ts';
import { dial, gone, read, type TestBackend } from './testing/sockets.ts';

endProxiesAfterEach();
const running: PassthroughCluster[] = [];
afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop();
});

/** A process takes its time to start. */
const here = { host: '127.0.0.1', port: 0 };
const tableOf = (name: string, backend: TestBackend) => ({
  hosts: [{ host: 'a.example.com', backend: to(name, backend) }],
});
const answering = (text: string) => backendWith((socket) => socket.resume().end(text));

async function started(options: Partial<PassthroughClusterOptions> & { table: object }) {
  const ended: ConnectionSummary[] = [];
  const exits: (number | undefined)[] = [];
  const cluster = new PassthroughCluster({
    workers: 2,
    onConnection: (summary) => ended.push(summary),
    onWorkerExit: ({ processId }) => exits.push(processId),
    ...options,
  } as PassthroughClusterOptions);
  running.push(cluster);
  const { port } = await cluster.start(here);
  return { cluster, port, ended, exits };
}

const processes = () => Object.values(nodeCluster.workers ?? {}).map((worker) => worker!.process);

async function ask(port: number): Promise<string> {
  const client = await dial(port);
  client.end(hello);
  return (await read(client)).toString();
}

test('workers share a port, a table that can be changed, and tell of what they carried', async () => {
  const [one, two] = [await answering('one'), await answering('two')];
  const { cluster, port, ended } = await started({ table: tableOf('one', one) });
  expect(processes()).toHaveLength(2);
  for (let times = 0; times < 4; times++) expect(await ask(port)).toBe('one');
  await cluster.update(tableOf('two', two));
  for (let times = 0; times < 4; times++) expect(await ask(port)).toBe('two');
  await vi.waitFor(() => expect(ended).toHaveLength(8), patience);
  const counters = await cluster.counters();
  expect(counters).toMatchObject({ accepted: 8, active: 0, serverNameFound: 8 });
  expect(counters.hosts['a.example.com']).toMatchObject({ connections: 8, bytesOut: 24 });
});

test('a worker that dies is told of and replaced, by one with the table of now; totals stay', async () => {
  const [one, two] = [await answering('one'), await answering('two')];
  const { cluster, port, ended, exits } = await started({ workers: 1, table: tableOf('one', one) });
  expect(await ask(port)).toBe('one');
  await vi.waitFor(() => expect(ended).toHaveLength(1), patience);
  const silent = await dial(port);
  await vi.waitFor(
    async () => expect(await cluster.counters()).toMatchObject({ active: 1, pendingHellos: 1 }),
    patience,
  );
  await cluster.update(tableOf('two', two));
  const [process] = processes();
  process!.kill('SIGKILL');
  await gone(silent);
  await vi.waitFor(() => expect(exits).toEqual([process!.pid]), patience);
  // What nobody is there to do is done by who comes next.
  expect(await cluster.counters()).toMatchObject({ accepted: 2, active: 0, pendingHellos: 0 });
  await vi.waitFor(async () => expect(await ask(port)).toBe('two'), patience);
  expect(processes()[0]!.pid).not.toBe(process!.pid);
  const { accepted, hosts } = await cluster.counters();
  expect(accepted).toBeGreaterThanOrEqual(3);
  expect(hosts['a.example.com']).toMatchObject({ active: 0 });
});

test.each<[PassthroughClusterOptions['limits'], number, object]>([
  [undefined, 2, {}],
  [{ maxHelloBytes: 7 }, 2, { maxHelloBytes: 7 }],
  [{ maxConnections: 10 }, 1, { maxConnections: 10 }],
  [{ maxConnections: 10 }, 4, { maxConnections: 3 }],
  [{ maxConnectionsPerAddress: 1 }, 4, { maxConnectionsPerAddress: 1 }],
  [
    { maxConnections: 100, maxConnectionsPerAddress: 8, maxFailures: 4 },
    4,
    { maxConnections: 25, maxConnectionsPerAddress: 2, maxFailures: 4 },
  ],
])('of the limits %j each of %i has a part', (limits, workers, expected) => {
  expect(partOf(limits, workers)).toEqual(expected);
});

test('a stop waits for those that live, as long as it may, and no worker comes back', async () => {
  const backend = await backendWith();
  const { cluster, port, exits } = await started({ table: tableOf('a', backend) });
  const client = await dial(port);
  client.write(hello);
  const server = await backend.connection(0);
  const stopped = cluster.stop({ drainMs: 30_000 });
  await vi.waitFor(() => expect(processes()).toHaveLength(1), patience);
  server.end('the end');
  expect((await read(client)).toString()).toBe('the end');
  client.end();
  await stopped;
  expect(processes()).toEqual([]);
  expect(exits).toEqual([]);
});

test('a port that is taken is an error that says so', async () => {
  const { endpoint } = await backendWith();
  const cluster = new PassthroughCluster({ workers: 2, table: { hosts: [] } });
  running.push(cluster);
  await expect(cluster.start({ ...here, port: endpoint.port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});
