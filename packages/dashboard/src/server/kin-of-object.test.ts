import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { type DynamicObject, kinds, type ReplicaSet } from '@waygate/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { madeFrom, ownersOf } from './kin-of-object.ts';

let api: TestServer;
let client: KubeClient;
let stranger: KubeClient;
const { signal } = new AbortController();

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };
let web: DynamicObject;

function replicaSet(name: string, owner: string | undefined): Partial<ReplicaSet> {
  const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: owner ?? '' };
  return {
    metadata: {
      name,
      namespace: 'default',
      labels,
      ...(owner === undefined ? {} : { ownerReferences: [reference] }),
    },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
}

beforeAll(async () => {
  api = await startTestServer({ tokens: [{ token: 'of-anna', username: 'anna' }] });
  const config = { server: api.url, namespace: 'default' };
  client = new KubeClient({ ...config, credentials: staticToken(api.adminToken) });
  stranger = new KubeClient({ ...config, credentials: staticToken('of-anna') });
  const made = await client.resource(kinds.Deployment).create({
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  } as never);
  web = { ...made, apiVersion: 'apps/v1', kind: 'Deployment' };
  const { uid } = made.metadata;
  for (const [name, owner] of [
    ['web-2', uid],
    ['web-1', uid],
    ['other', undefined],
  ] as const)
    await client.resource(kinds.ReplicaSet).create(replicaSet(name, owner) as never);
});

afterAll(async () => {
  await client.close();
  await stranger.close();
  await api.stop();
});

test('what was made of an object is its own, and nothing else of that kind', async () => {
  const made = await madeFrom(client, web, signal);
  expect(made.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
    'ReplicaSet/web-1',
    'ReplicaSet/web-2',
  ]);
});

test('the slices of a Service are found by its name, not by its selector of Pods', async () => {
  const ports = [{ port: 80 }];
  const service = await client.resource(kinds.Service).create({
    metadata: { name: 'shop', namespace: 'default' },
    spec: { selector: labels, ports },
  } as never);
  const { uid } = service.metadata;
  const owner = { apiVersion: 'v1', kind: 'Service', name: 'shop', uid };
  await client.resource(kinds.EndpointSlice).create({
    metadata: {
      name: 'shop-1',
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'shop' },
      ownerReferences: [owner],
    },
    addressType: 'IPv4',
    endpoints: [],
  } as never);
  const object: DynamicObject = { ...service, apiVersion: 'v1', kind: 'Service' };
  const made = await madeFrom(client, object, signal);
  expect(made.map(({ name }) => name)).toContain('shop-1');
});

test('a namesake that was made anew has none of it', async () => {
  const uid = '00000000-0000-4000-8000-000000000000';
  const namesake = { ...web, metadata: { ...web.metadata, uid } };
  expect(await madeFrom(client, namesake, signal)).toEqual([]);
});

test('who may not list a kind sees none of it', async () => {
  expect(await madeFrom(stranger, web, signal)).toEqual([]);
});

test('nothing is made of kinds that nobody makes anything of', async () => {
  expect(await madeFrom(client, { ...web, apiVersion: 'v1', kind: 'ConfigMap' }, signal)).toEqual(
    [],
  );
});

test('an owner is in the same namespace, or in none, or of a kind that is gone', async () => {
  const owner = { name: 'o', uid: 'u' };
  const object: DynamicObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a',
      namespace: 'shop',
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', ...owner },
        { apiVersion: 'v1', kind: 'Node', ...owner },
        { apiVersion: 'gone.test/v1', kind: 'Gone', ...owner },
      ],
    },
  };
  const found = await ownersOf(client, object, signal);
  expect(found.map(({ kind, namespace }) => `${kind} in ${namespace}`)).toEqual([
    'ReplicaSet in shop',
    'Node in ',
    'Gone in shop',
  ]);
});
