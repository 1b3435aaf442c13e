import { expect, test } from 'vitest';
import { parseServiceRange } from '../resources/cluster-settings.ts';
import { startTestServer } from '../testing/test-server.ts';

test.each([
  ['10.0.0.0/24', { first: 0x0a000001, last: 0x0a0000fe }],
  ['10.0.0.77/24', { first: 0x0a000001, last: 0x0a0000fe }],
  ['192.168.0.0/16', { first: 0xc0a80001, last: 0xc0a8fffe }],
  ['10.0.0.0', undefined],
  ['10.0.0.0/31', undefined],
  ['10.0.0.0/24/1', undefined],
  ['fd00::/108', undefined],
  ['x/24', undefined],
])('%s is %j', (text, range) => {
  expect(parseServiceRange(text)).toEqual(range);
});

test('a range that is full refuses the next Service, and has room again when one goes', async () => {
  await using server = await startTestServer({
    cluster: {
      serviceAddresses: { first: 0x0a000001, last: 0x0a000003 },
      nodePorts: { first: 31000, last: 31000 },
    },
  });
  const path = '/api/v1/namespaces/default/services';
  const create = (name: string, spec = {}) =>
    server.request('POST', path, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    });
  const own = await server.request('GET', `${path}/kubernetes`);
  expect(own.body).toMatchObject({ spec: { clusterIP: '10.0.0.1' } });
  const addresses = [await create('a', { type: 'NodePort' }), await create('b')].map(
    ({ body }) => (body as { spec: { clusterIP: string } }).spec.clusterIP,
  );
  expect(addresses.sort()).toEqual(['10.0.0.2', '10.0.0.3']);
  expect(await create('c')).toMatchObject({
    status: 500,
    body: { message: 'Internal error occurred: failed to allocate a serviceIP: range is full' },
  });
  await server.request('DELETE', `${path}/b`);
  expect(await create('c', { type: 'NodePort' })).toMatchObject({
    status: 500,
    body: { message: 'Internal error occurred: failed to allocate a nodePort: range is full' },
  });
  expect((await create('c')).status).toBe(201);
});
