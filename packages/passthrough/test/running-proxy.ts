import { afterEach } from 'vitest';
import type { Backend, PassthroughLimits } from '../src/config.ts';
import type { ConnectionSummary } from '../src/connection-host.ts';
import { type PassthroughOptions, PassthroughProxy } from '../src/proxy.ts';
import { buildHello } from '../src/testing/build-hello.ts';
import { startBackend, type TestBackend } from '../src/testing/sockets.ts';

/** What ends with the test under way, newest first. */
const cleanups: (() => Promise<void>)[] = [];

/** To be called once in a file: ends proxies and backends after each of its tests. */
export function endProxiesAfterEach(): void {
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
}

export async function backendWith(...args: Parameters<typeof startBackend>): Promise<TestBackend> {
  const backend = await startBackend(...args);
  cleanups.push(() => backend.close());
  return backend;
}

export const to = (name: string, ...backends: TestBackend[]): Backend => ({
  name,
  endpoints: backends.map(({ endpoint }) => endpoint),
});

/** A proxy on a free port, with what it told of each connection that is over. */
export async function startProxy(options: PassthroughOptions): Promise<{
  proxy: PassthroughProxy;
  port: number;
  ended: ConnectionSummary[];
}> {
  const ended: ConnectionSummary[] = [];
  const proxy = new PassthroughProxy({
    ...options,
    onConnection: (summary) => ended.push(summary),
  });
  const { port } = await proxy.start({ host: '127.0.0.1', port: 0 });
  cleanups.push(() => proxy.stop());
  return { proxy, port, ended };
}

export const hello = buildHello({ serverName: 'a.example.com', alpn: ['h2'] });
export const oneHost = (
  backend: Backend,
  limits: Partial<PassthroughLimits> = {},
): PassthroughOptions => ({
  table: { hosts: [{ host: 'a.example.com', backend }] },
  limits,
});
/** The description of a TLS alert; undefined of other bytes. */
export const alertOf = (bytes: Buffer): number | undefined =>
  bytes.length === 7 && bytes[0] === 21 ? bytes[6] : undefined;
