import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

interface Meta {
  metadata: { name: string; resourceVersion: string; uid: string };
}

const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

test('an object can be created, read, changed and deleted', async () => {
  const server = await startTestServer();
  try {
    const path = `/api/v1/namespaces/${await server.namespace()}/configmaps`;
    const created = await server.request('POST', path, configMap('a', { k: 'v' }));
    expect(created.status).toBe(201);
    const { metadata } = created.body as Meta;
    const stale = {
      ...configMap('a', { k: 'w' }),
      metadata: { ...metadata, resourceVersion: '1' },
    };
    expect((await server.request('PUT', `${path}/a`, stale)).status).toBe(409);
    const patched = await server.request(
      'PATCH',
      `${path}/a`,
      { data: { l: 'x' } },
      { 'Content-Type': 'application/merge-patch+json' },
    );
    expect(patched.body).toMatchObject({ data: { k: 'v', l: 'x' } });
    expect((await server.request('DELETE', `${path}/a`)).status).toBe(200);
    expect((await server.request('GET', `${path}/a`)).status).toBe(404);
  } finally {
    await server.stop();
  }
});

test('pages of a list show one state, whatever is written meanwhile', async () => {
  const server = await startTestServer();
  try {
    const path = `/api/v1/namespaces/${await server.namespace()}/configmaps`;
    for (const name of ['a', 'c', 'e']) await server.request('POST', path, configMap(name));
    const first = (await server.request('GET', `${path}?limit=2`)).body as {
      items: Meta[];
      metadata: { continue: string; remainingItemCount: number };
    };
    expect(first.items.map((item) => item.metadata.name)).toEqual(['a', 'c']);
    expect(first.metadata.remainingItemCount).toBe(1);
    await server.request('POST', path, configMap('d'));
    await server.request('DELETE', `${path}/e`);
    const token = encodeURIComponent(first.metadata.continue);
    const second = (await server.request('GET', `${path}?limit=2&continue=${token}`)).body as {
      items: Meta[];
    };
    expect(second.items.map((item) => item.metadata.name)).toEqual(['e']);
  } finally {
    await server.stop();
  }
});

test('state and admin token outlive a restart on the same data', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waygate-apiserver-'));
  try {
    const first = await startTestServer({ dataDir });
    const path = '/api/v1/namespaces/default/configmaps';
    const created = (await first.request('POST', path, configMap('a', { k: 'v' }))).body as Meta;
    await first.stop();
    const second = await startTestServer({ dataDir });
    try {
      expect(second.adminToken).toBe(first.adminToken);
      const found = await second.request('GET', `${path}/a`);
      expect(found.body).toMatchObject({ metadata: created.metadata, data: { k: 'v' } });
      const next = (await second.request('POST', path, configMap('b'))).body as Meta;
      expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(
        Number(created.metadata.resourceVersion),
      );
    } finally {
      await second.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
