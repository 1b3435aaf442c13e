import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

// As a kube-apiserver v1.36.1 answered.
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ controllers: [] });
  await server.request('POST', '/api/v1/namespaces/default/configmaps', {
    metadata: { name: 'cm' },
    data: { a: 'b' },
  });
});
afterAll(() => server.stop());

const maps = '/api/v1/namespaces/default/configmaps';
const view = (as: string, version = 'v1', group = 'meta.k8s.io') =>
  `application/json;as=${as};g=${group};v=${version}`;
const others =
  'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';

test.each<[method: string, path: string, accept: string, status: number, said: string]>([
  ['GET', `${maps}/cm`, view('Table'), 200, 'meta.k8s.io/v1 Table'],
  ['GET', maps, view('Table', 'v1beta1'), 200, 'meta.k8s.io/v1beta1 Table'],
  ['GET', maps, view('Table', 'v2'), 406, others],
  ['GET', maps, view('Table', 'v1', 'foo'), 406, others],
  ['GET', maps, view('Foo'), 406, others],
  ['GET', maps, `${view('Foo')},application/json`, 200, 'v1 ConfigMapList'],
  ['GET', `${maps}/cm`, view('PartialObjectMetadata'), 200, 'meta.k8s.io/v1 PartialObjectMetadata'],
  ['GET', maps, view('PartialObjectMetadataList'), 200, 'meta.k8s.io/v1 PartialObjectMetadataList'],
  [
    'GET',
    maps,
    view('PartialObjectMetadata'),
    406,
    'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
  ],
  [
    'GET',
    `${maps}/cm`,
    view('PartialObjectMetadataList'),
    406,
    'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
  ],
  ['GET', `${maps}?watch=1&timeoutSeconds=1`, view('Foo'), 406, others],
  ['GET', `${maps}/none`, view('Table'), 404, 'configmaps "none" not found'],
  ['DELETE', `${maps}/cm?dryRun=All`, view('Table'), 200, 'v1 Status'],
  ['GET', '/api', view('Table'), 406, others],
  ['GET', '/api/v1', view('Table'), 406, others],
  ['GET', '/apis', view('Table'), 406, others],
  ['GET', '/apis', view('APIGroupDiscoveryList', 'v9', 'apidiscovery.k8s.io'), 406, others],
])('%s %s as %s', async (method, path, accept, status, said) => {
  const answer = await server.request(method, path, undefined, { Accept: accept });
  const { message, apiVersion, kind } = answer.body as Record<string, string>;
  expect([answer.status, answer.status < 300 ? `${apiVersion} ${kind}` : message]).toEqual([
    status,
    said,
  ]);
});
