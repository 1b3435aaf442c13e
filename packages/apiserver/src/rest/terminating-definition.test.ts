import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const collection = '/apis/example.com/v1/things';
const merge = { 'Content-Type': 'application/merge-patch+json' };
const apply = { 'Content-Type': 'application/apply-patch+yaml' };
const thing = (name: string, more: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name, ...more },
});

test('while a definition goes its objects may change and go, and no new ones come', async () => {
  await using server = await startTestServer({ controllers: [] });
  await server.request('POST', definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  });
  const held = thing('held', { finalizers: ['example.com/hold'] });
  await expect.poll(async () => (await server.request('POST', collection, held)).status).toBe(201);
  const definition = `${definitions}/things.example.com`;
  await server.request('DELETE', definition);

  const refused = (name: string) => ({
    status: 403,
    body: expect.objectContaining({
      reason: 'Forbidden',
      message: `things.example.com${name} is forbidden: create not allowed while custom resource definition is terminating`,
    }),
  });
  expect(await server.request('POST', collection, thing('new'))).toEqual(refused(' "new"'));
  const generated = { ...thing(''), metadata: { generateName: 'new-' } };
  expect(await server.request('POST', collection, generated)).toEqual(refused(''));
  const dryRun = `${collection}/new?fieldManager=me&dryRun=All`;
  expect(await server.request('PATCH', dryRun, thing('new'), apply)).toEqual(refused(' "new"'));

  const labelled = { metadata: { labels: { a: 'b' } } };
  const known = `${collection}/held`;
  expect((await server.request('PATCH', known, labelled, merge)).status).toBe(200);
  const { status } = await server.request(
    'PATCH',
    `${known}?fieldManager=me`,
    thing('held'),
    apply,
  );
  expect(status).toBe(200);
  await server.request('PATCH', known, { metadata: { finalizers: null } }, merge);
  await expect.poll(async () => (await server.request('GET', definition)).status).toBe(404);
});
