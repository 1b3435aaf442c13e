import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

beforeAll(async () => {
  server = await startTestServer();
  const spec = {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1 },
      mode: { type: 'string', default: 'auto' },
      low: { type: 'integer' },
    },
    'x-kubernetes-validations': [
      { rule: '!has(self.low) || self.low <= self.size', message: 'low' },
    ],
  };
  const created = await server.request('POST', definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  });
  expect(created.status).toBe(201);
  await vi.waitFor(async () => {
    expect((await server.request('GET', widgets)).status).toBe(200);
  }, patience);
});

afterAll(() => server.stop());

function widget(name: string, spec: object) {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec };
}

test('unknown fields go and defaults come', async () => {
  const { status, body } = await server.request('POST', widgets, widget('a', { size: 2, x: 1 }));
  expect(status).toBe(201);
  expect((body as { spec: unknown }).spec).toEqual({ size: 2, mode: 'auto' });
});

test.each([
  [{ size: 0 }, 'spec.size in body should be greater than or equal to 1'],
  [{ size: 'x' }, 'must be of type integer'],
  [{}, 'spec.size: Required value'],
  [{ size: 1, low: 2 }, 'spec: Invalid value: low'],
])('%j is refused', async (spec, message) => {
  const { status, body } = await server.request('POST', widgets, widget('bad', spec));
  expect(status).toBe(422);
  expect((body as { message: string }).message).toContain(message);
});

test('the objects go with their definition', async () => {
  await server.request('DELETE', `${definitions}/widgets.example.com`);
  await vi.waitFor(async () => {
    expect((await server.request('GET', widgets)).status).toBe(404);
  }, patience);
});
