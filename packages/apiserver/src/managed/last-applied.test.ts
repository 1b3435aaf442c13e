import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';
import { lastAppliedAnnotation } from './last-applied.ts';

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm' },
  data,
});
const noted = (data: Record<string, string>, last: Record<string, string>) => ({
  ...configMap(data),
  metadata: {
    name: 'm',
    annotations: { [lastAppliedAnnotation]: JSON.stringify(configMap(last)) },
  },
});
const headers = { 'Content-Type': 'application/apply-patch+yaml' };

test('kubectl may take over what its note says it applied, and the note follows', async () => {
  await using server = await startTestServer();
  const created = noted({ a: '1', b: '1' }, { a: '1', b: '1' });
  await server.request('POST', `${path}?fieldManager=kubectl-client-side-apply`, created);
  const apply = (manager: string) =>
    server.request('PATCH', `${path}/m?fieldManager=${manager}`, configMap({ a: '<2>' }), headers);
  expect((await apply('other')).status).toBe(409);
  const { status, body } = await apply('kubectl');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: { a: '<2>', b: '1' },
    metadata: {
      annotations: {
        [lastAppliedAnnotation]:
          '{"apiVersion":"v1","data":{"a":"\\u003c2\\u003e"},"kind":"ConfigMap","metadata":{"name":"m"}}\n',
      },
    },
  });
});

test('what differs from the note was changed by somebody else and stays a conflict', async () => {
  await using server = await startTestServer();
  const created = noted({ a: '1', b: 'changed' }, { a: '1', b: '1' });
  await server.request('POST', `${path}?fieldManager=somebody`, created);
  const wanted = configMap({ a: '2', b: '2' });
  const refused = await server.request('PATCH', `${path}/m?fieldManager=kubectl`, wanted, headers);
  expect(refused.body).toMatchObject({
    code: 409,
    details: { causes: [{ field: '.data.b' }] },
  });
});
