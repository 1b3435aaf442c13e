import type { DynamicObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { typedObject } from './typed-object.ts';

const typed = (object: object) => typedObject(object as DynamicObject);
const named = { name: 'x', namespace: 'n' };
const metadata = { ...named, creationTimestamp: null };

describe('an object as Go prints it', () => {
  test.each([
    [
      'fields that the kind does not have go',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: named, data: { a: 'b' }, foo: 1 },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } },
    ],
    [
      'lists and maps with nothing in them go, where they need not be there',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...named, labels: {} }, data: {} },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata },
    ],
    [
      'a value that is null is none',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: named, data: { a: null } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '' } },
    ],
    [
      'what does not fit its kind stays as it is, but for the status',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: named, data: { a: 1 }, status: {} },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 1 } },
    ],
    [
      'so does a kind that is not built in',
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: named, spec: { a: [] } },
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: { a: [] } },
    ],
    [
      'bytes are base64 without line breaks',
      { apiVersion: 'v1', kind: 'Secret', metadata: named, data: { a: 'aGVs\nbG8=' } },
      { apiVersion: 'v1', kind: 'Secret', metadata, data: { a: 'aGVsbG8=' } },
    ],
    [
      'what is no base64 keeps a Secret as it is',
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: named,
        data: { a: '%' },
        stringData: { b: 'x' },
      },
      { apiVersion: 'v1', kind: 'Secret', metadata, data: { a: '%' }, stringData: { b: 'x' } },
    ],
    [
      'quantities are canonical',
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: named,
        spec: { hard: { cpu: '2000m', memory: '0.5Gi', pods: 10 } },
      },
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata,
        spec: { hard: { cpu: '2', memory: '512Mi', pods: '10' } },
      },
    ],
    [
      'what is needed and not there is null, or nothing of its type',
      { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: named, spec: {} },
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata,
        spec: {
          selector: null,
          template: { metadata: {}, spec: { containers: null } },
          updateStrategy: {},
        },
      },
    ],
  ])('%s', (_name, object, expected) => {
    expect(typed(object)).toEqual(expected);
  });

  test('roles are left alone: their rules may be those of others', () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: named };
    expect(typed(role)).toEqual(role);
  });

  test('what is given is not changed', () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: named,
      spec: { ports: [{ port: 80 }] },
    };
    const before = JSON.stringify(service);
    expect(typed(service)).toMatchObject({ spec: { ports: [{ protocol: 'TCP', targetPort: 0 }] } });
    expect(JSON.stringify(service)).toBe(before);
  });
});
