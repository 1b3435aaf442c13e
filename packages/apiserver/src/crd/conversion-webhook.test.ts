import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { CertificateAuthority } from '../tls/certificate-authority.ts';

interface Place {
  apiVersion: string;
  metadata: Record<string, unknown> & { name: string; labels?: Record<string, string> };
  spec: { at?: string; host?: string; port?: number; note?: string };
}

interface Review {
  apiVersion: string;
  kind: string;
  request: { uid: string; desiredAPIVersion: string; objects: Place[] };
}

type Answer = (review: Review) => unknown;

let server: TestServer;
let hook: Server;
let asked: Review[] = [];
let answer: Answer;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const at = (version: string, name = '') =>
  `/apis/lab.example/${version}/namespaces/default/places${name === '' ? '' : `/${name}`}`;

/** v1 has `at: host:port`, v2 has both apart. */
const honest: Answer = ({ apiVersion, request }) => ({
  apiVersion,
  kind: 'ConversionReview',
  response: {
    uid: request.uid,
    result: { status: 'Success' },
    convertedObjects: request.objects.map((object) => {
      const [host, port] = (object.spec.at ?? '').split(':');
      const spec = request.desiredAPIVersion.endsWith('/v2')
        ? { host, port: Number(port), extra: 'unknown' }
        : { at: `${object.spec.host}:${object.spec.port}` };
      return { ...object, apiVersion: request.desiredAPIVersion, spec };
    }),
  },
});

const version = (name: string, storage: boolean, properties: object) => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
  },
});
const old = { at: { type: 'string' } };
const next = {
  host: { type: 'string' },
  port: { type: 'integer' },
  note: { type: 'string', default: 'none' },
};

const definition = (client: object, stored: 'v1' | 'v2' = 'v1') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'places.lab.example' },
  spec: {
    group: 'lab.example',
    scope: 'Namespaced',
    names: { plural: 'places', kind: 'Place' },
    versions: [version('v1', stored === 'v1', old), version('v2', stored === 'v2', next)],
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: client, conversionReviewVersions: ['v1'] },
    },
  },
});

let client: { url: string; caBundle: string };

beforeAll(async () => {
  const authority = await CertificateAuthority.create(Date.now);
  const pair = await authority.issueServer(['127.0.0.1']);
  hook = createServer({ cert: pair.certificate, key: pair.privateKey }, (request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const review = JSON.parse(text) as Review;
      asked.push(review);
      response.end(JSON.stringify(answer(review)));
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  client = {
    url: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/convert`,
    caBundle: Buffer.from(authority.pem).toString('base64'),
  };
  server = await startTestServer();
  answer = honest;
  expect((await server.request('POST', definitions, definition(client))).status).toBe(201);
  await vi.waitFor(async () => {
    expect((await server.request('GET', at('v1'))).status).toBe(200);
  }, patience);
  for (const [name, where] of [
    ['a', 'one:80'],
    ['b', 'two:81'],
  ] as const) {
    const made = await server.request('POST', at('v1'), {
      apiVersion: 'lab.example/v1',
      kind: 'Place',
      metadata: { name, labels: { app: name } },
      spec: { at: where },
    });
    expect(made.status).toBe(201);
  }
});

afterAll(async () => {
  await server.stop();
  hook.closeAllConnections();
  await new Promise((resolve) => hook.close(resolve));
});

beforeEach(() => {
  asked = [];
  answer = honest;
});

test('reads in the other version, with its defaults and without what it does not know', async () => {
  const { body } = await server.request('GET', at('v2', 'a'));
  expect(body).toMatchObject({ apiVersion: 'lab.example/v2', kind: 'Place' });
  expect((body as Place).spec).toEqual({ host: 'one', port: 80, note: 'none' });
  expect(asked[0]).toMatchObject({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: {
      desiredAPIVersion: 'lab.example/v2',
      objects: [{ apiVersion: 'lab.example/v1', kind: 'Place', spec: { at: 'one:80' } }],
    },
  });
  asked = [];
  await server.request('GET', at('v2', 'a'));
  expect(asked).toEqual([]);
});

test('lists all in one call, and as a table', async () => {
  const { body } = await server.request('GET', at('v2'));
  const { items } = body as { items: Place[] };
  expect(items.map((item) => [item.apiVersion, item.spec.host])).toEqual([
    ['lab.example/v2', 'one'],
    ['lab.example/v2', 'two'],
  ]);
  expect(asked.length).toBeLessThanOrEqual(1);
  const table = await server.request('GET', at('v2'), undefined, {
    Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
  });
  expect(table.body).toMatchObject({ kind: 'Table', rows: { length: 2 } });
});

test('writes in the other version what is stored in its own', async () => {
  const made = await server.request('POST', at('v2'), {
    apiVersion: 'lab.example/v2',
    kind: 'Place',
    metadata: { name: 'made' },
    spec: { host: 'made', port: 1 },
  });
  expect(made.status).toBe(201);
  expect((made.body as Place).spec).toEqual({ host: 'made', port: 1, note: 'none' });
  expect(((await server.request('GET', at('v1', 'made'))).body as Place).spec).toEqual({
    at: 'made:1',
  });
  const patched = await server.request(
    'PATCH',
    at('v2', 'made'),
    { spec: { port: 2 } },
    { 'Content-Type': 'application/merge-patch+json' },
  );
  expect((patched.body as Place).spec).toMatchObject({ host: 'made', port: 2 });
  const applied = await server.request(
    'PATCH',
    `${at('v2', 'made')}?fieldManager=me&force=true`,
    { apiVersion: 'lab.example/v2', kind: 'Place', metadata: { name: 'made' }, spec: { port: 3 } },
    { 'Content-Type': 'application/apply-patch+yaml' },
  );
  expect(applied.status).toBe(200);
  expect(((await server.request('GET', at('v1', 'made'))).body as Place).spec.at).toBe('made:3');
  expect((await server.request('DELETE', at('v2', 'made'))).status).toBe(200);
});

test('watches in the other version, in order', async () => {
  const controller = new AbortController();
  const response = await fetch(`${server.url}${at('v2')}?watch=1`, {
    headers: { Authorization: `Bearer ${server.adminToken}` },
    signal: controller.signal,
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
    }
  })().catch(() => undefined);
  for (const port of [1, 2, 3]) {
    await server.request(
      'PATCH',
      at('v1', 'a'),
      { spec: { at: `one:${port}` } },
      { 'Content-Type': 'application/merge-patch+json' },
    );
  }
  await vi.waitFor(() => expect(text.trim().split('\n')).toHaveLength(5), patience);
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; object: Place });
  expect(
    events.map(({ type, object }) => `${type} ${object.spec.host}:${object.spec.port}`),
  ).toEqual(['ADDED one:80', 'ADDED two:81', 'MODIFIED one:1', 'MODIFIED one:2', 'MODIFIED one:3']);
  controller.abort();
  await reading;
});

const gvk = 'conversion webhook for lab.example/v1, Kind=Place';
const changed =
  (change: (place: Place) => unknown): Answer =>
  (review) => {
    const honestly = honest(review) as { response: { convertedObjects: Place[] } };
    const convertedObjects = honestly.response.convertedObjects.map(change);
    return { ...honestly, response: { ...honestly.response, convertedObjects } };
  };
const withResponse =
  (response: object | undefined): Answer =>
  (review) => ({
    apiVersion: review.apiVersion,
    kind: 'ConversionReview',
    ...(response === undefined ? {} : { response: { uid: review.request.uid, ...response } }),
  });

test.each<[string, Answer]>([
  ['failed: no response provided', withResponse(undefined)],
  ['failed: it is broken', withResponse({ result: { status: 'Failed', message: 'it is broken' } })],
  [
    "failed: response.result.status was 'Failed', not 'Success'",
    withResponse({ result: { status: 'Failed' } }),
  ],
  ['returned 0 objects, expected 1', withResponse({ result: { status: 'Success' } })],
  [
    'returned invalid object: must have the same name: c != other',
    changed((place) => ({ ...place, metadata: { ...place.metadata, name: 'other' } })),
  ],
  [
    'returned invalid object at index 0: invalid groupVersion (expected lab.example/v2, received lab.example/v1)',
    changed((place) => ({ ...place, apiVersion: 'lab.example/v1' })),
  ],
  [
    'returned invalid metadata: metadata.labels[app] must be a string, but is int64 in converted object',
    changed((place) => ({ ...place, metadata: { ...place.metadata, labels: { app: 1 } } })),
  ],
  [
    'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got v1, Kind=Pod',
    () => ({ apiVersion: 'v1', kind: 'Pod' }),
  ],
])('says of an answer that is none: %s', async (message, wrong) => {
  const object = { apiVersion: 'lab.example/v1', kind: 'Place', spec: { at: 'c:1' } };
  await server.request('POST', at('v1'), { ...object, metadata: { name: 'c' } });
  answer = wrong;
  const { status, body } = await server.request('GET', at('v2', 'c'));
  expect(status).toBe(500);
  expect((body as { message: string }).message).toBe(`${gvk} ${message}`);
  answer = honest;
  await server.request('DELETE', at('v1', 'c'));
});

test('an object stays in the version in which it was stored until it is written again', async () => {
  const current = (await server.request('GET', `${definitions}/places.lab.example`)).body as {
    metadata: object;
  };
  const put = await server.request('PUT', `${definitions}/places.lab.example`, {
    ...definition(client, 'v2'),
    metadata: current.metadata,
  });
  expect(put.status).toBe(200);
  await vi.waitFor(async () => {
    asked = [];
    expect((await server.request('GET', at('v2', 'b'))).body).toMatchObject({
      spec: { host: 'two', port: 81 },
    });
    expect(asked.length).toBe(1);
  }, patience);
  expect(asked[0]?.request.objects[0]?.apiVersion).toBe('lab.example/v1');
  asked = [];
  expect(((await server.request('GET', at('v1', 'b'))).body as Place).spec).toEqual({
    at: 'two:81',
  });
  expect(asked).toEqual([]);
});

test('a webhook that does not answer is told of in the words of the API', async () => {
  const name = 'nobody.lab.example';
  const lost = { service: { name: 'hook', namespace: 'default' } };
  const base = definition(lost);
  await server.request('POST', definitions, {
    ...base,
    metadata: { name },
    spec: { ...base.spec, names: { plural: 'nobody', kind: 'Nobody' } },
  });
  const path = (served: string) => `/apis/lab.example/${served}/namespaces/default/nobody`;
  const object = { apiVersion: 'lab.example/v1', kind: 'Nobody', metadata: { name: 'x' } };
  await vi.waitFor(async () => {
    expect((await server.request('POST', path('v1'), object)).status).toBe(201);
  }, patience);
  const { status, body } = await server.request('GET', `${path('v2')}/x`);
  expect(status).toBe(500);
  expect((body as { message: string }).message).toBe(
    'conversion webhook for lab.example/v1, Kind=Nobody failed: Post "https://hook.default.svc:443/?timeout=30s": service "hook" not found',
  );
});
