import { KubeError } from '@waygate/kube';
import { describe, expect, test } from 'vitest';
import { HealthExpressions } from './health/expression-health.ts';
import { isImmutableError, isImmutableMessage } from './immutable.ts';
import { managedFieldsCleanup, metadataCleanup, replacedManagers } from './managed-fields.ts';
import { actionFailure, dryRunFailure } from './object-failure.ts';

const refusal = (code: number, reason: string, message: string, details: object = {}) =>
  new KubeError('WG_KUBE_API', message, {
    status: { status: 'Failure', code, reason, message, details } as never,
  });

describe('fields that cannot be changed', () => {
  test.each([
    ['spec.selector: Invalid value: field is immutable', true],
    ['some fields are immutable', true],
    ['this is an immutable field', true],
    ['spec.clusterIPs[0]: may not change once set', true],
    ["updates to statefulset spec for fields other than 'replicas' are forbidden", true],
    ['pod updates may not change fields other than `spec.containers[*].image`', true],
    ['cannot change roleRef', true],
    ['cannot change the roleRef of it', true],
    ['spec.replicas: Invalid value: -1', false],
    ['', false],
  ])('"%s" says so: %s', (message, isSo) => {
    expect(isImmutableMessage(message)).toBe(isSo);
    expect(isImmutableError(refusal(422, 'Invalid', message))).toBe(isSo);
  });

  test('only an API that refuses says so', () => {
    const message = 'field is immutable';
    for (const [code, reason] of [
      [422, 'Invalid'],
      [409, 'Conflict'],
      [403, 'Forbidden'],
    ] as const)
      expect(isImmutableError(refusal(code, reason, message))).toBe(true);
    expect(isImmutableError(refusal(500, 'InternalError', message))).toBe(false);
    expect(isImmutableError(new Error(message))).toBe(false);
    expect(isImmutableError(undefined)).toBe(false);
  });
});

describe('what could not be done', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } };
  const homeless = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const secret = { ...map, kind: 'Secret' };
  const causes = [
    { field: 'data[a]', reason: 'FieldValueInvalid', message: 'hunter2' },
    { field: 'type', reason: 'FieldValueRequired', message: 'hunter2' },
  ];

  test.each([
    [map, refusal(404, 'NotFound', 'gone'), 'ConfigMap/n/a not found: gone'],
    [homeless, refusal(404, 'NotFound', 'gone'), 'ConfigMap/a namespace not specified: gone'],
    [map, refusal(422, 'Invalid', 'no'), 'ConfigMap/n/a dry-run failed (Invalid): no'],
    [map, refusal(422, '', 'no'), 'ConfigMap/n/a dry-run failed: no'],
    [map, new Error('no'), 'ConfigMap/n/a dry-run failed: no'],
    [map, 'no', 'ConfigMap/n/a dry-run failed: no'],
    [map, refusal(422, 'Invalid', 'hunter2', { causes }), 'dry-run failed (Invalid): hunter2'],
    [
      secret,
      refusal(422, 'Invalid', 'hunter2', { causes }),
      'Secret "a" is invalid: data[a]: FieldValueInvalid, type: FieldValueRequired (values are not shown)',
    ],
    [secret, refusal(422, 'Invalid', 'no'), 'Secret/n/a dry-run failed (Invalid): no'],
    [secret, new Error('no'), 'Secret/n/a dry-run failed: no'],
  ])('%#: is told with what the API said', (object, cause, message) => {
    const failure = dryRunFailure(object, cause);
    expect(failure.message).toContain(message);
    expect(failure.cause).toBe(cause);
  });

  test('and with what was tried', () => {
    const { message, id, subject } = actionFailure(map, 'delete', new Error('no'));
    expect(message).toBe('ConfigMap/n/a delete failed: no');
    expect(subject).toBe('ConfigMap/n/a');
    expect(id).toMatchObject({ kind: 'ConfigMap', name: 'a', namespace: 'n' });
    const told = actionFailure(secret, 'apply', refusal(422, 'Invalid', 'hunter2', { causes }));
    expect(told.message).not.toContain('hunter2');
  });
});

describe('health by expressions', () => {
  const widget = (phase: string, more: object = {}) =>
    ({
      apiVersion: 'acme.test/v1',
      kind: 'Widget',
      metadata: { name: 'a', generation: 2 },
      status: { phase, ...more },
    }) as never;
  const rule = new HealthExpressions({
    current: "status.phase == 'Ready' || status.phase == 'Both'",
    inProgress: "status.phase == 'Busy' || status.phase == 'Both'",
    failed: "status.phase == 'Bad' || status.phase == 'Busy'",
  });

  test.each([
    ['Ready', {}, 'Current', 'Resource is current'],
    ['Both', {}, 'InProgress', 'holds'],
    ['Busy', {}, 'InProgress', 'holds'],
    ['Bad', {}, 'Failed', 'holds'],
    ['Else', {}, 'InProgress', 'does not hold'],
    ['Ready', { observedGeneration: 1 }, 'InProgress', 'latest observed generation is 1'],
    ['Ready', { observedGeneration: 2 }, 'Current', 'Resource is current'],
  ])('%s with %j is %s', (phase, more, status, message) => {
    const health = rule.health(widget(phase, more));
    expect(health.status).toBe(status);
    expect(health.message).toContain(message);
  });

  test('only the one for what is current is needed', () => {
    const alone = new HealthExpressions({ current: 'true', inProgress: '', failed: '' });
    expect(alone.health(widget('x')).status).toBe('Current');
    expect(() => new HealthExpressions({ current: '' })).toThrow('Current not specified');
    expect(() => new HealthExpressions({ current: '(' })).toThrow('failed to parse');
  });
});

describe('what other tools left behind', () => {
  const object = (metadata: object) =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata } }) as never;

  test('their marks go', () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'kustomize.toolkit.fluxcd.io/checksum': 'x',
      kept: 'y',
    };
    const labels = { 'fluxcd.io/sync-gc-mark': 'z', kept: 'y' };
    expect(metadataCleanup(object({ annotations, labels }))).toEqual([
      {
        op: 'remove',
        path: '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration',
      },
      { op: 'remove', path: '/metadata/annotations/kustomize.toolkit.fluxcd.io~1checksum' },
      { op: 'remove', path: '/metadata/labels/fluxcd.io~1sync-gc-mark' },
    ]);
    expect(metadataCleanup(object({}))).toEqual([]);
    expect(metadataCleanup(object({ annotations: null, labels: null }))).toEqual([]);
    expect(metadataCleanup(object({ labels: { 'a~/b': '' } }), [], ['a~/b'])).toEqual([
      { op: 'remove', path: '/metadata/labels/a~0~1b' },
    ]);
  });

  const entry = (manager: string, operation: string, fieldsV1: object, more: object = {}) => ({
    manager,
    operation,
    fieldsV1,
    ...more,
  });
  const data = (key: string) => ({ 'f:data': { [`f:${key}`]: {} } });
  const taken = (...managedFields: object[]) =>
    managedFieldsCleanup(object({ managedFields }), replacedManagers('me', ['tool']), 'me');

  test('their fields become ours', () => {
    const other = entry('else', 'Update', data('o'));
    const status = entry('kubectl', 'Update', data('s'), { subresource: 'status' });
    const found = taken(
      other,
      entry('kubectl-edit', 'Update', data('a'), { apiVersion: 'v1', time: 't' }),
      entry('tool', 'Apply', data('b'), { apiVersion: 'v2' }),
      status,
    );
    const united = { manager: 'me', operation: 'Apply', fieldsType: 'FieldsV1' };
    const fieldsV1 = { 'f:data': { 'f:a': {}, 'f:b': {} } };
    expect(found).toEqual([
      {
        op: 'replace',
        path: '/metadata/managedFields',
        value: [other, { ...united, apiVersion: 'v1', time: 't', fieldsV1 }, status],
      },
    ]);
  });

  test('an entry of ours keeps its place', () => {
    const found = taken(
      entry('kubectl', 'Apply', data('a')),
      entry('me', 'Apply', data('m'), { apiVersion: 'v3' }),
      entry('me', 'Update', data('u')),
    );
    expect(found).toMatchObject([
      {
        value: [
          {
            manager: 'me',
            operation: 'Apply',
            apiVersion: 'v3',
            fieldsV1: { 'f:data': { 'f:m': {}, 'f:a': {}, 'f:u': {} } },
          },
        ],
      },
    ]);
    expect(found).toMatchObject([{ value: { length: 1 } }]);
  });

  test('without them nothing is to be done', () => {
    expect(taken()).toBeUndefined();
    expect(taken(entry('me', 'Apply', data('m')))).toBeUndefined();
    expect(taken(entry('else', 'Apply', data('m')), {})).toBeUndefined();
    expect(taken(entry('before-first-apply', 'Apply', data('m')))).toBeUndefined();
    expect(taken(entry('before-first-apply', 'Update', data('m')))).toBeDefined();
  });
});
