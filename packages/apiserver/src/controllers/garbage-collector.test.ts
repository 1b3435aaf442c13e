import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.stop());

interface Answer {
  metadata: {
    uid: string;
    finalizers?: string[];
    deletionTimestamp?: string;
    ownerReferences?: unknown[];
  };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

/** An owner and one dependent in a namespace of their own. */
async function family(blockOwnerDeletion = false) {
  const path = `/api/v1/namespaces/${await server.namespace()}/configmaps`;
  const owner = (await server.request('POST', path, { metadata: { name: 'owner' } }))
    .body as Answer;
  const reference = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'owner',
    uid: owner.metadata.uid,
    blockOwnerDeletion,
  };
  await server.request('POST', path, {
    metadata: { name: 'owned', ownerReferences: [reference], finalizers: ['example.com/hold'] },
  });
  return path;
}

const release = (path: string) =>
  server.request(
    'PATCH',
    `${path}/owned`,
    { metadata: { finalizers: null } },
    { 'Content-Type': 'application/merge-patch+json' },
  );

async function gone(path: string): Promise<void> {
  await vi.waitFor(async () => {
    expect((await server.request('GET', path)).status).toBe(404);
  }, patience);
}

test('in the background, the owner goes at once and its dependents follow', async () => {
  const path = await family();
  expect((await server.request('DELETE', `${path}/owner`)).status).toBe(200);
  await gone(`${path}/owner`);
  await vi.waitFor(async () => {
    const { body } = await server.request('GET', `${path}/owned`);
    expect((body as Answer).metadata.deletionTimestamp).toBeDefined();
  }, patience);
  await release(path);
  await gone(`${path}/owned`);
});

test('in the foreground, the owner waits for those that block it', async () => {
  const path = await family(true);
  const marked = await server.request('DELETE', `${path}/owner?propagationPolicy=Foreground`);
  expect((marked.body as Answer).metadata.finalizers).toEqual(['foregroundDeletion']);
  await vi.waitFor(async () => {
    const { body } = await server.request('GET', `${path}/owned`);
    expect((body as Answer).metadata.deletionTimestamp).toBeDefined();
  }, patience);
  expect((await server.request('GET', `${path}/owner`)).status).toBe(200);
  await release(path);
  await gone(`${path}/owned`);
  await gone(`${path}/owner`);
});

test('orphans stay, without their owner', async () => {
  const path = await family();
  await server.request('DELETE', `${path}/owner?propagationPolicy=Orphan`);
  await gone(`${path}/owner`);
  const { body } = await server.request('GET', `${path}/owned`);
  expect((body as Answer).metadata.ownerReferences).toBeUndefined();
  expect((body as Answer).metadata.deletionTimestamp).toBeUndefined();
});

test('a namespace says what holds it, takes nothing new, and goes in the end', async () => {
  const path = await family();
  const namespace = path.split('/')[4] as string;
  const marked = await server.request('DELETE', `/api/v1/namespaces/${namespace}`);
  expect((marked.body as Answer).status?.phase).toBe('Terminating');
  await vi.waitFor(async () => {
    const { body } = await server.request('GET', `/api/v1/namespaces/${namespace}`);
    const remaining = (body as Answer).status?.conditions?.find(
      (each) => each.type === 'NamespaceFinalizersRemaining',
    );
    expect(remaining?.status).toBe('True');
  }, patience);
  expect((await server.request('POST', path, { metadata: { name: 'late' } })).status).toBe(403);
  await release(path);
  await gone(`/api/v1/namespaces/${namespace}`);
});
