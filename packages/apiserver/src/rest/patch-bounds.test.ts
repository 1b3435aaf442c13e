import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

// Whatever a client sends as a patch costs what a body of its size may cost, and is refused with a 4xx.

let server: TestServer;
const things = '/apis/example.com/v1/namespaces/default/things';
const maps = '/api/v1/namespaces/default/configmaps';
const sets = '/apis/apps/v1/namespaces/default/deployments';

beforeAll(async () => {
  server = await startTestServer();
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await server.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: {} };
  await vi.waitFor(
    async () => expect((await server.request('POST', things, thing)).status).toBe(201),
    patience,
  );
  await server.request('POST', maps, { metadata: { name: 'a' } });
  const labels = { app: 'a' };
  await server.request('POST', sets, {
    metadata: { name: 'a' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
});

afterAll(() => server.stop());

const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const json = 'application/json-patch+json';
const apply = 'application/apply-patch+yaml';

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

async function patch(path: string, type: string, body: unknown) {
  const answer = await server.request('PATCH', path, body, { 'Content-Type': type });
  const { message, reason } = answer.body as { message?: string; reason?: string };
  return { status: answer.status, message, reason };
}

describe('a patch that nests too deeply is refused', () => {
  test.each([
    [merge, 'error decoding patch: exceeded max depth'],
    [strategic, 'exceeded max depth'],
    [json, 'error decoding patch: exceeded max depth'],
  ])('%s', async (type, message) => {
    for (const depth of [500, 100_000]) {
      for (const path of [`${maps}/a`, `${sets}/a/scale`]) {
        expect(await patch(path, type, nested(depth))).toMatchObject({ status: 400, message });
      }
    }
  });

  test('and so is a configuration', async () => {
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${nested(5000)}}`;
    expect((await patch(`${maps}/a?fieldManager=x`, apply, body)).status).toBe(400);
    const yaml = { 'Content-Type': 'application/yaml' };
    expect((await server.request('POST', maps, body, yaml)).status).toBe(400);
  });

  test.each([
    [
      'by additions',
      [
        { op: 'add', path: '/spec/a', value: {} },
        ...Array.from({ length: 5000 }, (_, at) => ({
          op: 'add',
          path: `/spec${'/a'.repeat(at + 2)}`,
          value: {},
        })).slice(0, 1000),
      ],
    ],
    [
      'by copies of itself',
      [
        { op: 'add', path: '/spec/a', value: JSON.parse(nested(50)) },
        ...Array.from({ length: 30 }, () => ({
          op: 'copy',
          from: '/spec/a',
          path: `/spec${'/a'.repeat(50)}`,
        })),
      ],
    ],
    [
      'by moves',
      Array.from({ length: 300 }, () => [
        { op: 'add', path: '/spec/b', value: {} },
        { op: 'move', from: '/spec/a', path: '/spec/b/a' },
        { op: 'move', from: '/spec/b', path: '/spec/a' },
      ]).flat(),
    ],
  ])('and what would nest step by step: %s', async (_how, operations) => {
    await patch(`${things}/a`, merge, { spec: { a: { a: 1 } } });
    expect((await patch(`${things}/a`, json, operations)).status).toBe(422);
  });
});

describe('a patch of the scale that is none is refused', () => {
  test.each([
    [merge, '{', 400],
    [strategic, '[]', 400],
    [json, '[{"op":"test","path":"/spec/replicas","value":7}]', 422],
    [json, '{}', 400],
    [json, JSON.stringify(Array(10_001).fill({ op: 'test', path: '/kind', value: 'Scale' })), 413],
  ])('%s %.30s', async (type, body, status) => {
    expect((await patch(`${sets}/a/scale`, type, body)).status).toBe(status);
  });
});

test('an object does not grow past what a body may be, and may shrink', async () => {
  const text = 'x'.repeat(1024 * 1024);
  const path = `${things}/a`;
  expect((await patch(path, merge, { spec: { one: text } })).status).toBe(200);
  expect((await patch(path, merge, { spec: { two: text } })).status).toBe(200);
  expect(await patch(path, merge, { spec: { three: text } })).toMatchObject({
    status: 413,
    reason: 'RequestEntityTooLarge',
    message: expect.stringMatching(/^Request entity too large: limit is 3145728/),
  });
  expect((await patch(path, merge, { spec: { two: null } })).status).toBe(200);
  expect((await patch(path, merge, { spec: { three: text } })).status).toBe(200);
});
