import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

test('a scale is shown as a table when that is asked for', async () => {
  await using server = await startTestServer();
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const labels = { app: 'web' };
  await server.request('POST', path, {
    metadata: { name: 'web' },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  const table = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const { body } = await server.request('GET', `${path}/web/scale`, undefined, table);
  expect(body).toMatchObject({
    kind: 'Table',
    columnDefinitions: ['Name', 'Desired', 'Available', 'Age'].map((name) => ({ name })),
    rows: [{ cells: ['web', 3, 0, expect.any(String)] }],
  });
});
