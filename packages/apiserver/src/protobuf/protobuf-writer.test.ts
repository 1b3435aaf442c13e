import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';
import { protobufToJson } from './protobuf-body.ts';
import { protobufOf } from './protobuf-writer.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';

test('what is written can be read again', () => {
  const deployment = {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: {
      name: 'd',
      labels: { b: '2', a: '1' },
      creationTimestamp: '2026-01-02T03:04:05Z',
      managedFields: [{ manager: 'm', operation: 'Update', fieldsV1: { 'f:spec': {} } }],
    },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: '1' } },
      strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      template: {
        metadata: {},
        spec: {
          containers: [
            {
              name: 'c',
              resources: { limits: { cpu: '500m' } },
              livenessProbe: { httpGet: { port: 'http' }, initialDelaySeconds: 5 },
            },
          ],
          terminationGracePeriodSeconds: -1,
        },
      },
    },
    status: {},
  };
  const bytes = protobufOf(deployment) as Buffer;
  expect(JSON.parse(protobufToJson(bytes))).toEqual(deployment);
});

test('a status is written as the real server writes it', () => {
  // Recorded from a kube-apiserver: a ConfigMap that is not there.
  const recorded =
    '6b3873000a0c0a0276311206537461747573124f0a060a0012001a0012074661696c7572651a18636f6e6669676d617073202278' +
    '22206e6f7420666f756e6422084e6f74466f756e642a150a017812001a0a636f6e6669676d61707328003200309403' +
    '1a002200';
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'configmaps "x" not found',
    reason: 'NotFound',
    details: { name: 'x', kind: 'configmaps' },
    code: 404,
  };
  expect(protobufOf(status)?.toString('hex')).toBe(recorded);
});

test('a kind without a protobuf form has none', () => {
  expect(protobufOf({ kind: 'Widget', apiVersion: 'lab.example/v1' })).toBeUndefined();
});

test('objects, lists, errors and watches come in protobuf to those who ask for it', async () => {
  await using server = await startTestServer();
  const namespace = await server.namespace();
  const path = `${server.url}/api/v1/namespaces/${namespace}/configmaps`;
  const headers = { Authorization: `Bearer ${server.adminToken}`, Accept: protobuf };
  await server.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { x: 'y' },
  });
  const read = async (url: string) => {
    const response = await fetch(url, { headers });
    expect(response.headers.get('content-type')).toBe(protobuf);
    return JSON.parse(protobufToJson(Buffer.from(await response.arrayBuffer())));
  };
  expect(await read(`${path}/a`)).toMatchObject({ kind: 'ConfigMap', data: { x: 'y' } });
  expect((await read(`${path}?fieldSelector=metadata.name=a`)).items).toHaveLength(1);
  expect(await read(`${path}/none`)).toMatchObject({ kind: 'Status', code: 404 });

  const watch = await fetch(`${path}?watch=1&fieldSelector=metadata.name=a`, { headers });
  expect(watch.headers.get('content-type')).toBe(`${protobuf};stream=watch`);
  const reader = (watch.body as ReadableStream<Uint8Array>).getReader();
  const first = Buffer.from((await reader.read()).value as Uint8Array);
  expect(first.readUInt32BE(0)).toBe(first.length - 4);
  const object = first.subarray(first.indexOf('k8s\0'));
  expect(JSON.parse(protobufToJson(object))).toMatchObject({ metadata: { name: 'a' } });
  await reader.cancel();
});
