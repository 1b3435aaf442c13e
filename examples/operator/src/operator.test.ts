import { readFileSync } from 'node:fs';
import { startTestServer } from '@waygate/apiserver';
import { isNotFound, KubeClient, staticToken } from '@waygate/kube';
import { type CustomResourceDefinition, kinds, typesOfDefinitions } from '@waygate/schema';
import { parseYaml } from '@waygate/text';
import { afterEach, expect, test, vi } from 'vitest';
import { Greeting } from './generated/greeting.ts';
import { runOperator } from './operator.ts';

const patience = { timeout: 15_000, interval: 20 };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** The embedded API, with the example's own CRD, and what a person would look at. */
async function startCluster() {
  const server = await startTestServer();
  stops.push(() => server.stop());
  const connect = () =>
    new KubeClient({
      server: server.url,
      namespace: 'default',
      credentials: staticToken(server.adminToken),
    });
  const client = connect();
  stops.push(() => client.close());
  const crd = parseYaml(readFileSync(new URL('../greeting-crd.yaml', import.meta.url), 'utf8'));
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect(await server.request('POST', path, crd)).toMatchObject({ status: 201 });
  const namespace = await server.namespace();
  const greetings = client.resource(Greeting).in(namespace);
  await vi.waitFor(() => greetings.list(), patience);
  const holder = async () => {
    try {
      const lease = await client.resource(kinds.Lease).in('default').get('greeting-operator');
      return lease.spec?.holderIdentity ?? '';
    } catch (error) {
      if (isNotFound(error)) return '';
      throw error;
    }
  };
  const messageBecomes = (message: string) =>
    vi.waitFor(async () => {
      const configMap = await client.resource(kinds.ConfigMap).in(namespace).get('a');
      expect(configMap.data).toEqual({ message });
    }, patience);
  return { server, client, connect, namespace, greetings, holder, messageBecomes };
}

function startOperator(client: KubeClient) {
  const stopping = new AbortController();
  const running = runOperator(client, stopping.signal, 0);
  running.catch(() => {});
  const stop = async () => {
    stopping.abort();
    await running;
    await client.close();
  };
  stops.push(stop);
  return { stop };
}

const greet = (to: string): Greeting => ({ metadata: { name: 'a' }, spec: { to } });

test('the types are those of the definition', () => {
  const crd = parseYaml(readFileSync(new URL('../greeting-crd.yaml', import.meta.url), 'utf8'));
  const types = readFileSync(new URL('./generated/greeting.ts', import.meta.url), 'utf8');
  expect(types).toBe(typesOfDefinitions([crd as CustomResourceDefinition]));
});

test('the operator greets, follows changes, mends what others broke, and gives its lease back', async () => {
  const { client, connect, namespace, greetings, holder, messageBecomes } = await startCluster();
  await greetings.create(greet('world'));
  const { stop } = startOperator(connect());

  await messageBecomes('Hello, world!');
  await vi.waitFor(
    async () =>
      expect((await greetings.get('a')).status).toMatchObject({
        message: 'Hello, world!',
        observedGeneration: 1,
        conditions: [{ type: 'Ready', status: 'True', reason: 'Greeted' }],
      }),
    patience,
  );
  const list = client.resource(kinds.ConfigMap).in('default');
  expect((await list.get('greetings')).data).toEqual({ [`${namespace}.a`]: 'Hello, world!' });
  await greetings.patch('a', { spec: { to: 'there' } });
  await messageBecomes('Hello, there!');
  const configMaps = client.resource(kinds.ConfigMap).in(namespace);
  await configMaps.patch('a', { data: { message: 'broken' } });
  await messageBecomes('Hello, there!');
  await vi.waitFor(async () => {
    const { items } = await client.resource(kinds.Event).in(namespace).list();
    expect(items.map(({ reason }) => reason)).toContain('Greeted');
  }, patience);
  await greetings.delete('a');
  await vi.waitFor(() => expect(configMaps.get('a')).rejects.toSatisfy(isNotFound), patience);
  await vi.waitFor(() => expect(greetings.get('a')).rejects.toSatisfy(isNotFound), patience);
  expect((await list.get('greetings')).data ?? {}).toEqual({});

  await stop();
  expect(await holder()).toBe('');
});

test('a second replica stands by, and takes over when the first gives up', async () => {
  const { connect, greetings, holder, messageBecomes } = await startCluster();
  const first = startOperator(connect());
  await vi.waitFor(async () => expect(await holder()).not.toBe(''), patience);
  const firstHolder = await holder();
  startOperator(connect());
  await greetings.create(greet('first'));
  await messageBecomes('Hello, first!');
  expect(await holder()).toBe(firstHolder);
  await first.stop();
  await vi.waitFor(async () => {
    expect(await holder()).not.toBe('');
    expect(await holder()).not.toBe(firstHolder);
  }, patience);
  await greetings.patch('a', { spec: { to: 'again' } });
  await messageBecomes('Hello, again!');
});
