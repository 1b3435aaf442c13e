import { expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { admin, useAdminWorld, world } from '../../test/admin-world.ts';

/** What becomes of custom resources that are written; it runs against a real server as well. */
useAdminWorld();

const merge = { 'Content-Type': 'application/merge-patch+json' };
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const texts = { type: 'object', additionalProperties: { type: 'string' } };

interface Answered {
  readonly metadata: {
    readonly generation: number;
    readonly managedFields?: readonly { readonly manager: string; readonly fieldsV1: unknown }[];
  };
  readonly spec: unknown;
}

/** Where objects of a new definition are, and how one of them begins. */
async function defined(more: object): Promise<{ place: string; head: object }> {
  const group = `${world.fresh('g')}.example.com`;
  const spec = { type: 'object', properties: { labels: texts, size: { type: 'integer' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec, status: open } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...more };
  await admin.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `parts.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'parts', kind: 'Part' },
      versions: [version],
    },
  });
  const place = `/apis/${group}/v1/parts`;
  const isServed = async () => expect((await admin.ask('GET', place)).code).toBe(200);
  await vi.waitFor(isServed, patience);
  return { place, head: { apiVersion: `${group}/v1`, kind: 'Part', metadata: { name: 'a' } } };
}

const patched = async (path: string, patch: object, type = merge) =>
  (await admin.ask('PATCH', path, patch, type)).body as unknown as Answered;

test.each<[string, object, readonly number[]]>([
  ['of its own leaves the generation', { subresources: { status: {} } }, [1, 2]],
  ['that is written with the rest counts', {}, [2, 3]],
])('a status %s', async (_, more, generations) => {
  const { place, head } = await defined(more);
  await admin.ask('POST', place, { ...head, spec: { size: 1 }, status: { is: 'new' } });
  const path = `${place}/a`;
  const changed = await patched(path, { status: { is: 'old' } });
  const again = await patched(path, { status: { is: 'old' } });
  const wanted = await patched(path, { spec: { size: 2 } });
  expect([changed, again, wanted].map(({ metadata }) => metadata.generation)).toEqual([
    generations[0],
    generations[0],
    generations[1],
  ]);
});

test('null in a map that holds none is left out', async () => {
  const { place, head } = await defined({});
  const made = await admin.ask('POST', place, { ...head, spec: { labels: { a: 'b', c: null } } });
  expect([made.message, made.body.spec]).toEqual(['', { labels: { a: 'b' } }]);
});

test('what nobody owned has an owner from the first that is applied', async () => {
  const { place, head } = await defined({});
  await admin.ask('POST', place, { ...head, spec: { size: 1, labels: { a: 'b' } } });
  const path = `${place}/a`;
  await patched(path, { metadata: { managedFields: [{}] } });
  const apply = { 'Content-Type': 'application/apply-patch+yaml' };
  const { metadata } = await patched(
    `${path}?fieldManager=x`,
    { ...head, spec: { size: 1 } },
    apply,
  );
  const owners = metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1]);
  expect(owners).toEqual([
    ['x', { 'f:spec': { 'f:size': {} } }],
    [
      'before-first-apply',
      { 'f:spec': { '.': {}, 'f:labels': { '.': {}, 'f:a': {} }, 'f:size': {} } },
    ],
  ]);
});
