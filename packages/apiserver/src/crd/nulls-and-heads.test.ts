import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

// As a kube-apiserver v1.36.1 answered.
const path = '/apis/x.io/v1/namespaces/default/foos';
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const listed = {
  type: 'array',
  items: { type: 'object', nullable: true, properties: { a: { type: 'string' } } },
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foos.x.io' },
  spec: {
    group: 'x.io',
    scope: 'Namespaced',
    names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: open,
              list: listed,
              texts: { type: 'array', items: { type: 'string' } },
              emb: { ...open, 'x-kubernetes-embedded-resource': true },
            },
          },
        },
      },
    ],
  },
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.request(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    definition,
  );
  const deadline = Date.now() + 20_000;
  while ((await server.request('GET', path)).status !== 200 && Date.now() < deadline)
    await new Promise((resolve) => setImmediate(resolve));
  await server.request('POST', path, foo('f', { spec: { a: [1, null, { b: null }] } }));
});
afterAll(() => server.stop());

function foo(name: string, more: object) {
  return { apiVersion: 'x.io/v1', kind: 'Foo', metadata: { name }, ...more };
}

const spec = { a: [1, null, { b: null }] };

test.each<[patch: object, parts: object]>([
  [{ spec: { l: [null] } }, { spec: { ...spec, l: [null] } }],
  [{ spec: { l: [{ a: null, b: 1 }] } }, { spec: { ...spec, l: [{ b: 1 }] } }],
  [{ spec: { l: [[null, { x: null }]] } }, { spec: { ...spec, l: [[null, {}]] } }],
  [{ spec: { n: { m: null, l: [null] } } }, { spec: { ...spec, n: { l: [null] } } }],
  [{ spec: { a: null } }, { spec: {} }],
  [{ list: [null, { a: null }] }, { spec, list: [null, {}] }],
])('a merge patch of %j', async (patch, parts) => {
  const { status, body } = await server.request('PATCH', `${path}/f?dryRun=All`, patch, {
    'Content-Type': 'application/merge-patch+json',
  });
  const { apiVersion, kind, metadata, ...rest } = body as Record<string, unknown>;
  expect([status, rest]).toEqual([200, parts]);
});

const unreadable = 'Foo in version "v1" cannot be handled as a Foo: ';

test.each<[head: object, status: number, said: unknown]>([
  [
    { apiVersion: 'v1', kind: 'A', metadata: { name: 'n' } },
    201,
    { apiVersion: 'v1', kind: 'A', metadata: { name: 'n' } },
  ],
  [
    { apiVersion: 'v1', kind: 'A', metadata: { foo: 1, name: 'n' } },
    201,
    { apiVersion: 'v1', kind: 'A', metadata: { name: 'n' } },
  ],
  [
    { apiVersion: 'v1', kind: 'A', metadata: null },
    201,
    { apiVersion: 'v1', kind: 'A', metadata: {} },
  ],
  [{}, 422, 'Foo.x.io "g" is invalid: [emb.apiVersion: Required value, emb.kind: Required value]'],
  [
    { apiVersion: 'a/b/c', kind: 'A' },
    422,
    'Foo.x.io "g" is invalid: emb.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ],
  [
    { apiVersion: 1, kind: 'A' },
    400,
    `${unreadable}emb.apiVersion: Invalid value: 1: must be a string`,
  ],
  [{ apiVersion: 'v1', kind: 2 }, 400, `${unreadable}emb.kind: Invalid value: 2: must be a string`],
  [
    { apiVersion: 'v1', kind: 'A', metadata: 'x' },
    400,
    `${unreadable}emb.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta`,
  ],
  [
    { apiVersion: 'v1', kind: 'A', metadata: { name: 5 } },
    400,
    `${unreadable}emb.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`,
  ],
  [
    { apiVersion: 'v1', kind: 'A', metadata: { labels: 'x' } },
    400,
    `${unreadable}emb.metadata: Invalid value: {"labels":"x"}: json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string`,
  ],
  [
    { apiVersion: 'v1', kind: 'A', metadata: { labels: { a: 1 } } },
    400,
    `${unreadable}emb.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
  ],
  [
    { apiVersion: 'v1', kind: 'A', metadata: { finalizers: 'x' } },
    400,
    `${unreadable}emb.metadata: Invalid value: {"finalizers":"x"}: json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string`,
  ],
])('an embedded object with the head %j', async (emb, status, said) => {
  const answer = await server.request('POST', `${path}?dryRun=All`, foo('g', { emb }));
  const body = answer.body as { message?: string; emb?: object };
  expect([answer.status, body.emb ?? body.message]).toEqual([status, said]);
});
