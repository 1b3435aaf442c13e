import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { type ConfigMap, type CoreEvent, kinds, type Lease } from '@waygate/schema';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { informerSource } from './controller-source.ts';
import { type Metrics, prometheusMetrics } from './metrics.ts';
import { Operator } from './operator.ts';

let server: TestServer;
let client: KubeClient;
let namespace: string;
let metrics: Metrics;

beforeEach(async () => {
  server = await startTestServer();
  namespace = await server.namespace();
  metrics = prometheusMetrics();
  client = new KubeClient(
    { server: server.url, namespace, credentials: staticToken(server.adminToken) },
    { onRequestEnd: metrics.restClient.requested },
  );
});

afterEach(async () => {
  await client.close();
  await server.stop();
});

/** Copies the shout of each ConfigMap into an annotation, in capitals. */
function shouting() {
  const errors: unknown[] = [];
  const operator = new Operator({
    name: 'shouting',
    client,
    metrics,
    scope: { namespace, labelSelector: 'shout' },
    server: { port: 0 },
    leaderElection: { retryPeriodMs: 200 },
    onError: (error) => errors.push(error),
  });
  const configMaps = operator.informerFor(kinds.ConfigMap);
  operator.addController({
    name: 'shout',
    sources: [informerSource(configMaps)],
    reconcile: async (key, { signal }) => {
      const configMap = configMaps.indexer.getByKey(key);
      if (configMap === undefined) return;
      const { name = '', annotations = {} } = configMap.metadata;
      const loud = (configMap.data?.text ?? '').toUpperCase();
      if (annotations.loud === loud) return;
      const patch = { metadata: { annotations: { loud } } };
      await client.resource(kinds.ConfigMap).patch(name, patch, { namespace }, { signal });
      operator.events.event(configMap, 'Normal', 'Shouted', loud);
    },
  });
  const stopping = new AbortController();
  const running = operator.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  return { operator, errors, stop };
}

async function write(
  name: string,
  text: string,
  labels: Record<string, string> = { shout: 'yes' },
) {
  const object: ConfigMap = { metadata: { name, namespace, labels }, data: { text } };
  await client.resource(kinds.ConfigMap).create(object);
}

const loudOf = async (name: string) =>
  (await client.resource(kinds.ConfigMap).get(name, { namespace })).metadata.annotations?.loud;

test('an operator on the embedded API: caches, lease, events, health, metrics, and a clean end', async () => {
  await write('before', 'was here');
  const { operator, errors, stop } = shouting();
  await vi.waitFor(async () => expect(await loudOf('before')).toBe('WAS HERE'), patience);
  await write('after', 'came later');
  await write('quiet', 'not for us', {});
  await vi.waitFor(async () => expect(await loudOf('after')).toBe('CAME LATER'), patience);
  expect(await loudOf('quiet')).toBeUndefined();

  const lease = () => client.resource<Lease>(kinds.Lease).get('shouting', { namespace });
  expect((await lease()).spec?.holderIdentity).not.toBe('');
  const base = `http://127.0.0.1:${operator.manager.address!.port}`;
  expect(await (await fetch(`${base}/readyz`)).text()).toBe('ok');
  const scraped = await (await fetch(`${base}/metrics`)).text();
  expect(scraped).toMatch(
    /controller_runtime_reconcile_total\{controller="shout",result="success"\} [1-9]/,
  );
  expect(scraped).toMatch(
    /rest_client_requests_total\{code="201",method="POST",host="127[^}]*\} [1-9]/,
  );
  expect(scraped).toContain('leader_election_master_status{name="shouting"} 1');

  await stop();
  expect((await lease()).spec?.holderIdentity).toBe('');
  const { items } = await client.resource<CoreEvent>(kinds.Event).list({ namespace });
  const reasons = items.map(({ reason, message }) => `${reason}: ${message}`);
  expect(reasons).toContain('Shouted: WAS HERE');
  expect(reasons.some((reason) => /^LeaderElection: .* became leader$/.test(reason))).toBe(true);
  expect(errors).toEqual([]);
});

test('without an election it acts at once, and writes no Lease', async () => {
  const operator = new Operator({ name: 'alone', client, leaderElection: false });
  const seen: string[] = [];
  const stopping = new AbortController();
  operator.addController({
    name: 'alone',
    sources: [informerSource(operator.informerFor(kinds.ConfigMap))],
    reconcile: (key) => {
      seen.push(key);
    },
  });
  await write('one', 'x');
  const running = operator.run(stopping.signal);
  await vi.waitFor(() => expect(seen).toContain(`${namespace}/one`), patience);
  stopping.abort();
  await running;
  expect((await client.resource(kinds.Lease).list({ namespace })).items).toEqual([]);
});

test('a replica stands by without acting, and takes over at once when the lease is given back', async () => {
  const first = shouting();
  await first.operator.manager.elected;
  const second = shouting();
  let hasTakenOver = false;
  void second.operator.manager.elected.then(() => {
    hasTakenOver = true;
  });
  await write('one', 'first');
  await vi.waitFor(async () => expect(await loudOf('one')).toBe('FIRST'), patience);
  expect(hasTakenOver).toBe(false);
  await first.stop();
  await second.operator.manager.elected;
  await write('two', 'second');
  await vi.waitFor(async () => expect(await loudOf('two')).toBe('SECOND'), patience);
  await second.stop();
});
