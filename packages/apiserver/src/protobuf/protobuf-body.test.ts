import { expect, test } from 'vitest';
import { ApiError } from '../status/api-error.ts';
import { protobufToJson } from './protobuf-body.ts';

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
const number = (field: number, value: number) => [...varint(field * 8), ...varint(value)];
const bytes = (field: number, value: string | number[]) => {
  const content = typeof value === 'string' ? [...Buffer.from(value)] : value;
  return [...varint(field * 8 + 2), ...varint(content.length), ...content];
};
const envelope = (apiVersion: string, kind: string, raw: number[]) =>
  Buffer.from([
    ...Buffer.from('k8s\0', 'latin1'),
    ...bytes(1, [...bytes(1, apiVersion), ...bytes(2, kind)]),
    ...bytes(2, raw),
  ]);
const decode = (apiVersion: string, kind: string, raw: number[]) =>
  JSON.parse(protobufToJson(envelope(apiVersion, kind, raw)));

test('fields have their JSON names, and empty ones are left out as in JSON', () => {
  const metadata = [...bytes(1, 'web'), ...bytes(2, ''), ...number(7, 0), ...bytes(8, [])];
  const selector = bytes(1, [...bytes(1, 'app'), ...bytes(2, 'web')]);
  const spec = [...number(1, 0), ...bytes(2, selector), ...number(5, 0), ...number(7, 1)];
  expect(decode('apps/v1', 'Deployment', [...bytes(1, metadata), ...bytes(2, spec)])).toEqual({
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'web' },
    // Zero replicas were asked for: the field is a pointer.
    spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, paused: true },
  });
});

test('bytes, times, quantities and numbers or strings take their JSON form', () => {
  const secret = [
    ...bytes(1, bytes(9, number(1, 1_700_000_000))),
    ...bytes(2, [...bytes(1, 'k'), ...bytes(2, [0, 255])]),
  ];
  expect(decode('v1', 'Secret', secret)).toMatchObject({
    metadata: { deletionTimestamp: '2023-11-14T22:13:20Z' },
    data: { k: 'AP8=' },
  });
  const port = (target: number[]) => bytes(1, [...number(3, 80), ...bytes(4, target)]);
  const service = bytes(2, [
    ...port([...number(1, 0), ...number(2, 8080), ...bytes(3, '')]),
    ...port([...number(1, 1), ...number(2, 0), ...bytes(3, 'http')]),
  ]);
  expect(decode('v1', 'Service', service).spec.ports).toMatchObject([
    { port: 80, targetPort: 8080 },
    { port: 80, targetPort: 'http' },
  ]);
  const quota = bytes(2, bytes(1, [...bytes(1, 'cpu'), ...bytes(2, bytes(1, '500m'))]));
  expect(decode('v1', 'ResourceQuota', quota).spec).toEqual({ hard: { cpu: '500m' } });
});

test('a negative number is read as one', () => {
  const minusOne = [8 + 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
  expect(decode('apps/v1', 'Deployment', bytes(2, minusOne)).spec).toEqual({ replicas: -1 });
});

test('inlined structures have no name of their own', () => {
  const container = [...bytes(1, 'c'), ...bytes(19, bytes(2, bytes(1, bytes(1, 'settings'))))];
  const pod = decode('v1', 'Pod', bytes(2, bytes(2, container)));
  expect(pod.spec.containers[0].envFrom).toEqual([{ configMapRef: { name: 'settings' } }]);
});

test('a key named __proto__ is only a key', () => {
  const data = bytes(2, [...bytes(1, '__proto__'), ...bytes(2, 'x')]);
  const text = protobufToJson(envelope('v1', 'ConfigMap', data));
  expect(text).toContain('{"__proto__":"x"}');
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test.each([
  ['a kind without protobuf', envelope('example.com/v1', 'Widget', []), 415],
  ['no magic', Buffer.from('{}'), 400],
  ['a cut message', envelope('v1', 'ConfigMap', [10, 200, 1, 3]), 400],
  ['an endless number', envelope('v1', 'ConfigMap', new Array(20).fill(255)), 400],
  ['a retired wire type', envelope('v1', 'ConfigMap', [11]), 400],
  ['bad UTF-8', envelope('v1', 'ConfigMap', bytes(1, bytes(1, [255, 254]))), 400],
])('%s is refused', (_what, body, code) => {
  let caught: unknown;
  try {
    protobufToJson(body);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(ApiError);
  expect((caught as ApiError).status.code).toBe(code);
});
