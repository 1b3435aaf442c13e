import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway } from '@waygate/gateway';
import { customResourceDefinitions } from '@waygate/gitops';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

let server: TestServer;
let gateway: Gateway;
let proxyUrl: string;
let adminUrl: string;
let directory: string;
const backend = createServer((_, response) => response.end('hello from the backend'));

beforeAll(async () => {
  server = await startTestServer();
  gateway = new Gateway({ proxy: [{ host: '127.0.0.1', port: 0 }] });
  const { proxy, admin } = await gateway.start();
  proxyUrl = `http://127.0.0.1:${proxy[0]!.port}`;
  adminUrl = `http://127.0.0.1:${admin!.port}`;
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  directory = mkdtempSync(join(tmpdir(), 'waygate-controller-'));
  writeFileSync(join(directory, 'kubeconfig'), server.kubeconfig);
});

afterAll(async () => {
  backend.close();
  await gateway.stop();
  await server.stop();
  rmSync(directory, { recursive: true });
});

async function create(path: string, object: object): Promise<void> {
  const { status, body } = await server.request('POST', path, object);
  if (status !== 201) throw new Error(JSON.stringify(body));
}

async function createRoute(): Promise<void> {
  const { port } = backend.address() as AddressInfo;
  await create('/api/v1/namespaces/default/services', {
    metadata: { name: 'web' },
    spec: { ports: [{ name: 'http', port: 80 }] },
  });
  await create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { name: 'web', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'http', port }],
  });
  await create('/apis/networking.k8s.io/v1/namespaces/default/ingresses', {
    metadata: { name: 'web', annotations: { 'kubernetes.io/ingress.class': 'internal' } },
    spec: {
      rules: [
        {
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'web', port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  });
}

describe('waygate controller', () => {
  test('the ingress controller alone, told by flags and environment, carries a route to the gateway', async () => {
    const stop = new AbortController();
    const args = [
      '--controllers=ingress',
      '--health-probe-bind-address=off',
      '--metrics-bind-address=off',
      '--log-format=json',
    ];
    const ended = runInProcess(
      ['controller', '--kubeconfig', join(directory, 'kubeconfig'), ...args],
      {
        env: { CONTROLLER_KONG_ADMIN_URL: adminUrl, CONTROLLER_INGRESS_CLASS: 'internal' },
        signal: stop.signal,
      },
    );
    try {
      await createRoute();
      await vi.waitFor(
        async () => expect(await (await fetch(proxyUrl)).text()).toBe('hello from the backend'),
        { timeout: 25_000, interval: 50 },
      );
    } finally {
      stop.abort();
    }
    const { exitCode, stderr } = await ended;
    expect(exitCode).toBe(0);
    const lines = stderr.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).message)).toContain('the caches are in sync');
  });

  test.each([
    [['--controllers=egress'], 'egress is none of ingress, source, kustomize'],
    [['--log-level=loud'], '--log-level loud is none of'],
    [['--log-encoding=yaml'], '--log-encoding yaml is none of json, console'],
    [['--kube-api-qps=many'], '--kube-api-qps must be a number'],
    [['--controllers=source', '--concurrent=0'], '--concurrent must be a whole number above 0'],
    [['--controllers=source', '--feature-gates=Nonsense=true'], 'no feature gate Nonsense'],
    [
      ['--controllers=ingress', '--kong-admin-concurrency=many'],
      '--kong-admin-concurrency must be a number',
    ],
    [['--controllers=ingress', '--kong-admin-svc=a'], '--kong-admin-svc must be namespace/name'],
    [
      ['--controllers=ingress', '--kong-admin-svc=a/b', '--kong-admin-url=http://x'],
      'cannot be used together',
    ],
  ])('%j is wrong usage', async (args, message) => {
    const result = await runInProcess([
      'controller',
      '--kubeconfig',
      join(directory, 'kubeconfig'),
      ...args,
    ]);
    expect(result).toMatchObject({ exitCode: 64, stderr: expect.stringContaining(message) });
  });

  test.each([
    ['ingress', 'health-probe-bind-address'],
    ['ingress', 'metrics-bind-address'],
    ['kustomize', 'health-addr'],
    ['kustomize', 'metrics-addr'],
    ['kustomize', 'storage-addr'],
  ])('%s: a port that is taken for --%s is said, and is no defect', async (controllers, flag) => {
    const { port } = backend.address() as AddressInfo;
    const off =
      controllers === 'ingress'
        ? ['--health-probe-bind-address=off', '--metrics-bind-address=off']
        : ['--health-addr=off', '--metrics-addr=off', '--storage-addr=127.0.0.1:0'];
    const result = await runInProcess(
      [
        ...['controller', '--kubeconfig', join(directory, 'kubeconfig')],
        ...[`--controllers=${controllers}`, `--storage-path=${directory}/storage`],
        ...off.filter((one) => !one.startsWith(`--${flag}=`)),
        `--${flag}=127.0.0.1:${port}`,
      ],
      { env: { CONTROLLER_KONG_ADMIN_URL: adminUrl } },
    );
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain(`cannot listen on 127.0.0.1:${port}: somebody listens there`);
    expect(result.stderr).not.toContain('defect');
  });

  test('who lost the Lease stands as a candidate again, and leads when it can', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/waygate-gitops';
    for (const definition of customResourceDefinitions())
      await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const stop = new AbortController();
    const holder = async (): Promise<string> => {
      const { body } = await server.request('GET', lease);
      return (body as { spec?: { holderIdentity?: string } }).spec?.holderIdentity ?? '';
    };
    const ended = runInProcess(
      [
        ...['controller', '--kubeconfig', join(directory, 'kubeconfig')],
        ...['--controllers=kustomize', '--enable-leader-election', '--log-encoding=json'],
        ...['--health-addr=off', '--metrics-addr=off', '--storage-addr=127.0.0.1:0'],
        ...['--leader-election-lease-duration=2s', '--leader-election-renew-deadline=1s'],
        '--leader-election-retry-period=200ms',
      ],
      { env: {}, signal: stop.signal },
    );
    const wait = { timeout: 25_000, interval: 50 };
    try {
      for (let round = 0; round < 2; round++) {
        await vi.waitFor(async () => expect(await holder()).toMatch(/^(?!thief).+/), wait);
        const spec = {
          holderIdentity: 'thief',
          leaseDurationSeconds: 2,
          renewTime: new Date().toISOString().replace('Z', '000Z'),
        };
        const { body } = await server.request('GET', lease);
        const { status } = await server.request('PUT', lease, { ...(body as object), spec });
        // Our own renewal may have come in between.
        if (status !== 200) round--;
      }
      await vi.waitFor(async () => expect(await holder()).toMatch(/^(?!thief).+/), wait);
    } finally {
      stop.abort();
    }
    const { exitCode, stderr } = await ended;
    expect(exitCode).toBe(0);
    expect(stderr.match(/standing as a candidate again/g)).toHaveLength(2);
    expect(stderr).not.toContain('defect');
  });

  test('a cluster that is not configured is said', async () => {
    const result = await runInProcess(['controller', '--kubeconfig', join(directory, 'nothing')]);
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('nothing') });
  });
});
