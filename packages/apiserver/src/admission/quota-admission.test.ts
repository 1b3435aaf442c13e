import { expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

function pod(name: string, resources: object = {}) {
  const containers = [{ name: 'c', image: 'x', resources }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } };
}

const messageOf = (body: unknown) => (body as { message?: string }).message;

async function usedOf(server: TestServer, path: string): Promise<Record<string, string>> {
  const { body } = await server.request('GET', path);
  return (body as { status: { used?: Record<string, string> } }).status.used ?? {};
}

test('a quota counts, refuses what is too much, and lets in again what was freed', async () => {
  await using server = await startTestServer();
  const namespace = `/api/v1/namespaces/${await server.namespace()}`;
  await server.request('POST', `${namespace}/resourcequotas`, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard: { pods: '1', 'requests.cpu': '1' } },
  });
  const quota = `${namespace}/resourcequotas/q`;
  await until('the quota is counted', async () => (await usedOf(server, quota)).pods === '0');

  const silent = await server.request('POST', `${namespace}/pods`, pod('a'));
  expect(messageOf(silent.body)).toBe(
    'pods "a" is forbidden: failed quota: q: must specify requests.cpu for: c',
  );
  const some = { requests: { cpu: '600m' } };
  expect((await server.request('POST', `${namespace}/pods`, pod('a', some))).status).toBe(201);
  expect(await usedOf(server, quota)).toEqual({ pods: '1', 'requests.cpu': '600m' });
  const more = await server.request('POST', `${namespace}/pods`, pod('b', some));
  expect(more.status).toBe(403);
  expect(messageOf(more.body)).toBe(
    'pods "b" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=600m, used: pods=1,requests.cpu=600m, limited: pods=1,requests.cpu=1',
  );
  await server.request('DELETE', `${namespace}/pods/a`);
  await until('the quota is counted', async () => (await usedOf(server, quota)).pods === '0');
  expect((await server.request('POST', `${namespace}/pods`, pod('b', some))).status).toBe(201);
});

test('many at once take no more than there is', async () => {
  await using server = await startTestServer();
  const namespace = `/api/v1/namespaces/${await server.namespace()}`;
  await server.request('POST', `${namespace}/resourcequotas`, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard: { pods: '3' } },
  });
  await until(
    'the quota is counted',
    async () => (await usedOf(server, `${namespace}/resourcequotas/q`)).pods === '0',
  );
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => server.request('POST', `${namespace}/pods`, pod(`p${i}`))),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
});

test('limits fill in what a container leaves open, and bound what it asks for', async () => {
  await using server = await startTestServer();
  const namespace = `/api/v1/namespaces/${await server.namespace()}`;
  await server.request('POST', `${namespace}/limitranges`, {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'l' },
    spec: { limits: [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '500m' } }] },
  });
  const { body } = await server.request('POST', `${namespace}/pods`, pod('a'));
  const { metadata, spec } = body as {
    metadata: { annotations: object };
    spec: { containers: { resources: object }[] };
  };
  expect(spec.containers[0]?.resources).toEqual({
    limits: { cpu: '500m' },
    requests: { cpu: '500m' },
  });
  expect(metadata.annotations).toEqual({
    'kubernetes.io/limit-ranger':
      'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
  });
  const greedy = await server.request(
    'POST',
    `${namespace}/pods`,
    pod('b', { limits: { cpu: '3' } }),
  );
  expect(messageOf(greedy.body)).toBe(
    'pods "b" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
  );
});
