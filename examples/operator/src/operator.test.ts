import { KubeClient } from '@waygate/kube';
import { afterEach, expect, test, vi } from 'vitest';
import { ModelApi } from './model-api.ts';
import { runOperator } from './operator.ts';

const greetings = '/apis/example.com/v1/namespaces/shop/greetings';
const configMaps = '/api/v1/namespaces/shop/configmaps';
const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/greeting-operator';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function startApi() {
  const api = new ModelApi();
  const server = await api.listen();
  stops.push(() => api.close());
  return { api, server };
}

function startOperator(server: string) {
  const client = new KubeClient({ server, namespace: 'default' });
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

function greet(to: string) {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Greeting',
    metadata: { name: 'a', namespace: 'shop' },
    spec: { to },
  };
}

test('the operator greets, follows changes, mends what others broke, and leaves nothing behind', async () => {
  const { api, server } = await startApi();
  api.put(`${greetings}/a`, greet('world'));
  const { stop } = startOperator(server);
  const messageBecomes = (message: string) =>
    vi.waitFor(() => expect(api.get(`${configMaps}/a`)?.data).toEqual({ message }), 10_000);

  await messageBecomes('Hello, world!');
  await vi.waitFor(() =>
    expect(api.get(`${greetings}/a`)?.status).toEqual({ message: 'Hello, world!' }),
  );
  api.put(`${greetings}/a`, { ...api.get(`${greetings}/a`)!, spec: { to: 'there' } });
  await messageBecomes('Hello, there!');
  api.put(`${configMaps}/a`, { ...api.get(`${configMaps}/a`)!, data: { message: 'broken' } });
  await messageBecomes('Hello, there!');
  await vi.waitFor(() => expect(api.list('/api/v1/namespaces/shop/events')).not.toEqual([]));

  await stop();
  expect(api.get(lease)?.spec).toMatchObject({ holderIdentity: '' });
  await vi.waitFor(() => expect(api.watchCount).toBe(0));
});

test('a second replica stands by, and takes over when the first gives up', async () => {
  const { api, server } = await startApi();
  const first = startOperator(server);
  const holder = () => (api.get(lease)?.spec as { holderIdentity?: string })?.holderIdentity;
  await vi.waitFor(() => expect(holder()).toMatch(/_/), 10_000);
  const firstHolder = holder();
  startOperator(server);
  await vi.waitFor(() => expect(api.watchCount).toBe(4), 10_000);
  expect(holder()).toBe(firstHolder);
  await first.stop();
  await vi.waitFor(
    () => {
      expect(holder()).toMatch(/_/);
      expect(holder()).not.toBe(firstHolder);
    },
    { timeout: 15_000, interval: 50 },
  );
  api.put(`${greetings}/a`, greet('again'));
  await vi.waitFor(
    () => expect(api.get(`${configMaps}/a`)?.data).toEqual({ message: 'Hello, again!' }),
    10_000,
  );
});
