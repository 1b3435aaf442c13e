import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import { type Kind, kinds } from '@waygate/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClusterFeed } from './cluster-feed.ts';

let api: TestServer;
let client: KubeClient;

beforeAll(async () => {
  api = await startTestServer();
  const credentials = staticToken(api.adminToken);
  client = new KubeClient({ server: api.url, namespace: 'default', credentials });
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

const ingress = (name: string) =>
  ({
    metadata: { name, namespace: 'default' },
    spec: { defaultBackend: { service: { name: 'x', port: { number: 80 } } } },
  }) as never;

test('tells of what is there, what comes and what goes, and keeps nobody waiting for what is unknown', async () => {
  const told: string[] = [];
  await client.resource(kinds.Ingress).create(ingress('early'));
  const unknown = { group: 'a.test', version: 'v1', kind: 'Nothing', plural: 'nothings' };
  const feed = new ClusterFeed({
    client,
    kinds: [kinds.Ingress as unknown as Kind, { ...unknown, scope: 'Namespaced' } as Kind],
    clock: systemClock,
    onError: (error) => told.push(String(error)),
    onChange: (key, seen) => told.push(`${key} ${seen === undefined ? 'gone' : seen.stage}`),
  });
  const stop = new AbortController();
  const running = feed.run(stop.signal);
  await feed.synced;
  const key = (name: string) => `networking.k8s.io/Ingress/default/${name}`;
  expect(told).toEqual([`${key('early')} object`]);
  await client.resource(kinds.Ingress).create(ingress('late'));
  await client.resource(kinds.Ingress).delete('early', { namespace: 'default' });
  await expect.poll(() => told.slice(1)).toEqual([`${key('late')} object`, `${key('early')} gone`]);
  stop.abort();
  await running;
});
