import { expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const name = 'widgets.example.com';

const version = (each: string, extra: object, isStored: boolean) => ({
  name: each,
  served: true,
  storage: isStored,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { size: { type: 'integer' }, ...extra } },
      },
    },
  },
});
const onNull = { onNull: { type: 'string', default: 'Ignore' } };

const versions = {
  'v1 as v1beta1': [version('v1beta1', {}, false), version('v1', {}, true)],
  'v1 with a default of its own': [version('v1beta1', {}, false), version('v1', onNull, true)],
  'v1 with a field of its own': [
    version('v1beta1', {}, false),
    version('v1', { onNull: { type: 'string' } }, true),
  ],
  'v1 alone': [version('v1', {}, true)],
};
type Shape = keyof typeof versions;

interface Stored {
  readonly message?: string;
  readonly metadata?: {
    readonly resourceVersion: string;
    readonly managedFields?: readonly object[];
  };
}

async function startWithWidgets() {
  const server = await startTestServer({ controllers: [] });
  onTestFinished(() => server.stop());
  await server.request('POST', definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: versions['v1 as v1beta1'],
    },
  });
  const path = (each: string) => `/apis/example.com/${each}/widgets/a`;
  await expect
    .poll(async () => (await server.request('GET', path('v1'))).body)
    .toMatchObject({
      message: 'widgets.example.com "a" not found',
    });
  const send = async (method: string, url: string, body: unknown, type = 'application/json') => {
    const answer = await server.request(method, url, body, { 'Content-Type': type });
    return { status: answer.status, body: answer.body as Stored };
  };
  return {
    read: async () => (await server.request('GET', path('v1'))).body as Stored,
    send: (method: string, body: unknown, type?: string) => send(method, path('v1'), body, type),
    apply: (each: string, owner: string, spec: object) =>
      send(
        'PATCH',
        `${path(each)}?fieldManager=${owner}&force=true`,
        { apiVersion: `example.com/${each}`, kind: 'Widget', metadata: { name: 'a' }, spec },
        'application/apply-patch+yaml',
      ),
    async redefine(shape: Shape) {
      // A version may go when no objects are said to be stored in it.
      const status = { status: { storedVersions: ['v1'] } };
      const merge = 'application/merge-patch+json';
      await send('PATCH', `${definitions}/${name}/status`, status, merge);
      const spec = { spec: { versions: versions[shape] } };
      expect((await send('PATCH', `${definitions}/${name}`, spec, merge)).status).toBe(200);
      // It is served anew a moment later.
      const schema = async () =>
        JSON.stringify((await server.request('GET', '/openapi/v3/apis/example.com/v1')).body);
      const hasField = shape.includes('of its own');
      await expect.poll(async () => (await schema()).includes('onNull')).toBe(hasField);
      if (shape !== 'v1 alone') return;
      await expect
        .poll(async () => (await server.request('GET', path('v1beta1'))).status)
        .toBe(404);
    },
  };
}

const undeclared = '.spec.onNull: field not declared in schema';
const lastApplied =
  'failed to prune fields: failed to convert merged object to last applied version';

/** What became of the definition since "first" applied in v1beta1; who applies what in v1; what is said. */
test.each<[Shape, string, object, string | undefined]>([
  ['v1 as v1beta1', 'first', { size: 2 }, undefined],
  ['v1 as v1beta1', 'second', { size: 2 }, undefined],
  ['v1 with a default of its own', 'first', { size: 2 }, undeclared],
  ['v1 with a default of its own', 'second', { size: 2 }, undeclared],
  ['v1 with a field of its own', 'first', { size: 2 }, undefined],
  ['v1 with a field of its own', 'first', { onNull: 'x' }, `${lastApplied}: ${undeclared}`],
  [
    'v1 with a field of its own',
    'second',
    { onNull: 'x' },
    `failed to convert new object: ${undeclared}`,
  ],
  [
    'v1 alone',
    'first',
    { size: 2 },
    'request to convert CR to an invalid group/version: example.com/v1beta1',
  ],
  [
    'v1 alone',
    'second',
    { size: 2 },
    'request to convert CR to an invalid group/version: example.com/v1beta1',
  ],
])('%s: %s applies %j', async (shape, owner, spec, why) => {
  const { apply, redefine, send, read } = await startWithWidgets();
  expect((await apply('v1beta1', 'first', { size: 1 })).status).toBe(201);
  await redefine(shape);
  const { status, body } = await apply('v1', owner, spec);
  expect({ status, message: body.message }).toEqual({
    status: why === undefined ? 200 : 500,
    message: why,
  });
  if (why === undefined) return;

  // Owners that are said to have written in the new version are in nobody's way.
  const moved = (await read()).metadata?.managedFields?.map((each) => ({
    ...each,
    apiVersion: 'example.com/v1',
  }));
  const patch = [{ op: 'replace', path: '/metadata/managedFields', value: moved }];
  expect((await send('PATCH', patch, 'application/json-patch+json')).status).toBe(200);
  expect((await apply('v1', owner, spec)).status).toBe(200);
});

test('a write that is no apply goes through, and leaves no owners where one cannot be asked', async () => {
  const { apply, redefine, send, read } = await startWithWidgets();
  await apply('v1beta1', 'first', { size: 1 });
  const label = { metadata: { labels: { a: 'b' } } };
  await send('PATCH', label, 'application/merge-patch+json');
  expect((await read()).metadata?.managedFields).toHaveLength(2);
  await redefine('v1 with a default of its own');
  const other = { metadata: { labels: { a: 'c' } } };
  expect((await send('PATCH', other, 'application/merge-patch+json')).status).toBe(200);
  expect((await read()).metadata?.managedFields).toBeUndefined();
});
