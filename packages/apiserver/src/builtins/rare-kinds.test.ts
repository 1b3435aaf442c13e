import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test.each<[string, object, unknown[]]>([
  [
    'apis/storage.k8s.io/v1/csidrivers',
    { spec: { volumeLifecycleModes: ['Ephemeral'], podInfoOnMount: true } },
    ['x', true, true, false, '<unset>', false, 'Ephemeral'],
  ],
  ['apis/node.k8s.io/v1/runtimeclasses', { handler: 'runc' }, ['x', 'runc']],
  [
    'apis/apps/v1/namespaces/default/controllerrevisions',
    {
      revision: 3,
      metadata: {
        name: 'x',
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true },
        ],
      },
    },
    ['x', 'statefulset.apps/web', 3],
  ],
  [
    'apis/storage.k8s.io/v1/volumeattachments',
    { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
    ['x', 'a', 'v', 'n', false],
  ],
  [
    'apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    {
      spec: {
        policyName: 'p',
        validationActions: ['Deny'],
        paramRef: { name: 'n', namespace: 'm', parameterNotFoundAction: 'Deny' },
      },
    },
    ['x', 'p', 'm/n'],
  ],
])('%s are shown with columns of their own', async (path, fields, cells) => {
  const object = { metadata: { name: 'x' }, ...fields };
  const { status, body } = await server.request('POST', `/${path}`, object, {
    Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
  });
  expect(status).toBe(201);
  const [row] = (body as { rows: { cells: unknown[] }[] }).rows;
  expect(row?.cells.slice(0, cells.length)).toEqual(cells);
});
