import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

const base = '/apis/rbac.authorization.k8s.io/v1';

interface Item {
  readonly metadata: { readonly name: string };
  readonly rules?: readonly { readonly resources?: string[]; readonly verbs: string[] }[] | null;
}

test('a server has the roles and bindings that Kubernetes has', async () => {
  await using server = await startTestServer();
  for (const [plural, count] of [
    ['clusterroles', 69],
    ['clusterrolebindings', 50],
    ['roles', 7],
    ['rolebindings', 7],
  ] as const) {
    const selector = 'labelSelector=kubernetes.io%2Fbootstrapping%3Drbac-defaults';
    const { body } = await server.request('GET', `${base}/${plural}?${selector}`);
    expect((body as { items: Item[] }).items).toHaveLength(count);
  }
  await expect
    .poll(async () => {
      const { body } = await server.request('GET', `${base}/clusterroles/admin`);
      return JSON.stringify((body as Item).rules ?? []);
    })
    .toContain('localsubjectaccessreviews');
});

test('a default role gets back what it lost at the next start, and keeps what was added', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waygate-roles-'));
  const patch = { 'Content-Type': 'application/merge-patch+json' };
  const own = { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] };
  const path = (name: string) => `${base}/clusterroles/${name}`;
  try {
    const first = await startTestServer({ dataDir });
    await first.request('PATCH', path('system:basic-user'), { rules: [own] }, patch);
    const alone = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    const left = { metadata: { annotations: alone }, rules: [own] };
    await first.request('PATCH', path('system:discovery'), left, patch);
    await first.stop();
    const second = await startTestServer({ dataDir });
    const rules = async (name: string) =>
      ((await second.request('GET', path(name))).body as Item).rules ?? [];
    const text = JSON.stringify(await rules('system:basic-user'));
    expect(text).toContain('widgets');
    expect(text).toContain('selfsubjectaccessreviews');
    expect(await rules('system:discovery')).toEqual([own]);
    await second.stop();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('the server says where it is, and says so anew when it has moved', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waygate-place-'));
  try {
    for (let start = 0; start < 2; start++) {
      const server = await startTestServer({ dataDir });
      const endpoints = await server.request(
        'GET',
        '/api/v1/namespaces/default/endpoints/kubernetes',
      );
      expect(endpoints.body).toMatchObject({
        subsets: [
          { addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port: server.port }] },
        ],
      });
      const slice = await server.request(
        'GET',
        '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
      );
      expect(slice.body).toMatchObject({
        endpoints: [{ addresses: ['127.0.0.1'] }],
        ports: [{ name: 'https', port: server.port }],
      });
      await server.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('requests and objects are counted, and a stranger names no series', async () => {
  await using server = await startTestServer();
  await server.request('GET', '/api/v1/namespaces/default/configmaps');
  await server.request('GET', '/api/v1/namespaces/default/made-up-name');
  const { status, body } = await server.request('GET', '/metrics');
  expect(status).toBe(200);
  expect(body).toContain(
    'apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="configmaps",scope="namespace",subresource="",verb="LIST",version="v1"} 1',
  );
  expect(body).toContain('apiserver_storage_objects{resource="namespaces"} 4');
  expect(body).not.toContain('made-up-name');
  const nobody = await fetch(`${server.url}/metrics`);
  expect(nobody.status).toBe(403);
});
