import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { customResourceDefinitions } from '@waygate/gitops';
import { expect, test, vi } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

/** The way to a server, which can be cut and mended. */
async function startWay(target: string) {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const beyond = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, beyond],
      [beyond, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    close() {
      this.cut();
      server.close();
    },
  };
}

test('an outage of the API costs a controller its lead, and not its process', async () => {
  await using server = await startTestServer();
  for (const definition of customResourceDefinitions())
    await server.request(
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      definition,
    );
  const way = await startWay(server.url);
  const directory = mkdtempSync(join(tmpdir(), 'waygate-candidacy-'));
  writeFileSync(
    join(directory, 'kubeconfig'),
    server.kubeconfig.replaceAll(server.url, () => way.url),
  );
  let holder = '';
  const renewed = async (): Promise<string> => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/waygate-gitops';
    const { body } = await server.request('GET', path);
    const { holderIdentity, renewTime } = (body as { spec?: Record<string, string> }).spec ?? {};
    holder = holderIdentity ?? '';
    return holderIdentity ? (renewTime ?? '') : '';
  };
  const wait = { timeout: 30_000, interval: 50 };
  const stop = new AbortController();
  let log = '';
  const ended = runInProcess(
    [
      ...['controller', '--kubeconfig', join(directory, 'kubeconfig')],
      ...['--controllers=source,kustomize', '--enable-leader-election'],
      ...['--health-addr=off', '--metrics-addr=off', '--storage-addr=127.0.0.1:0'],
      ...[`--storage-path=${join(directory, 'storage')}`, '--leader-election-lease-duration=2s'],
      ...['--leader-election-renew-deadline=1s', '--leader-election-retry-period=200ms'],
    ],
    {
      signal: stop.signal,
      onStderr: (text) => {
        log += text;
      },
    },
  );
  try {
    await vi.waitFor(async () => expect(await renewed()).not.toBe(''), wait);
    way.cut();
    await vi.waitFor(() => expect(log).toContain('standing as a candidate again'), wait);
    const before = await renewed();
    const first = holder;
    way.mend();
    await vi.waitFor(async () => expect((await renewed()) > before).toBe(true), wait);
    // By its own name it need not wait until the Lease that it held is over.
    expect(holder).toBe(first);
  } finally {
    stop.abort();
    await ended;
    way.close();
    rmSync(directory, { recursive: true, force: true });
  }
  expect(await ended).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('defect') });
});
