import { errorFromStatus, KubeError } from '@waygate/kube';
import type { DynamicObject, KubeObject, ManagedFieldsEntry } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { changeOf, printChanges } from './change-set.ts';
import { isImmutableError } from './immutable.ts';
import { managedFieldsCleanup, metadataCleanup, replacedManagers } from './managed-fields.ts';
import { maskedSecrets } from './masked-secret.ts';
import { actionFailure, dryRunFailure } from './object-failure.ts';

const object = (kind: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'a', namespace: 'shop', ...metadata },
});

describe('two states of a Secret', () => {
  const secret = (fields: object): DynamicObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a' },
    ...fields,
  });
  test.each<[object, object, object, object]>([
    [
      { data: { same: 'x', changed: 'x', gone: 'x' } },
      { data: { same: 'x', changed: 'y', come: 'y' } },
      { data: { same: '***', changed: '*** (before)', gone: '***' } },
      { data: { same: '***', changed: '*** (after)', come: '***' } },
    ],
    [
      { stringData: { a: '1' } },
      { stringData: { a: '2' } },
      { stringData: { a: '*** (before)' } },
      { stringData: { a: '*** (after)' } },
    ],
    [{ data: { a: 'x' } }, {}, { data: { a: '***' } }, {}],
    [{ data: 'x' }, { type: 'Opaque' }, { data: 'x' }, { type: 'Opaque' }],
    [
      { data: { a: 'x' } },
      { stringData: { a: 'y' } },
      { data: { a: '***' } },
      { stringData: { a: '***' } },
    ],
  ])('%j and %j', (before, after, shownBefore, shownAfter) => {
    expect(maskedSecrets(secret(before), secret(after))).toEqual([
      secret(shownBefore),
      secret(shownAfter),
    ]);
  });
});

describe('what others left on an object', () => {
  test('is taken off, mark by mark', () => {
    const marked = object('ConfigMap', {
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'kustomize.toolkit.fluxcd.io/checksum': 'x',
        'fluxcd.io/sync-checksum': 'x',
        own: 'x',
      },
      labels: { 'fluxcd.io/sync-gc-mark': 'x', app: 'x' },
    });
    expect(metadataCleanup(marked)).toEqual([
      {
        op: 'remove',
        path: '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration',
      },
      { op: 'remove', path: '/metadata/annotations/kustomize.toolkit.fluxcd.io~1checksum' },
      { op: 'remove', path: '/metadata/annotations/fluxcd.io~1sync-checksum' },
      { op: 'remove', path: '/metadata/labels/fluxcd.io~1sync-gc-mark' },
    ]);
    expect(metadataCleanup(object('ConfigMap'))).toEqual([]);
    expect(metadataCleanup(object('ConfigMap', { labels: { 'a~/b': '' } }), [], ['a~/b'])).toEqual([
      { op: 'remove', path: '/metadata/labels/a~0~1b' },
    ]);
  });

  test('is of these writers', () => {
    expect(
      replacedManagers('us', ['helm']).map(({ name, operation }) => `${name} ${operation}`),
    ).toEqual([
      'kubectl Apply',
      'kubectl Update',
      'before-first-apply Update',
      'us Update',
      'helm Apply',
      'helm Update',
    ]);
  });

  const entry = (
    manager: string,
    operation: 'Apply' | 'Update',
    field: string,
    more: Partial<ManagedFieldsEntry> = {},
  ): ManagedFieldsEntry => ({
    manager,
    operation,
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { [`f:${field}`]: {} } },
    ...more,
  });
  const cleanedUp = (entries: ManagedFieldsEntry[]) =>
    managedFieldsCleanup(
      object('ConfigMap', { managedFields: entries }),
      replacedManagers('us'),
      'us',
    );
  const united = (...fields: string[]) => ({
    fieldsV1: { 'f:data': Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) },
  });

  test.each<[string, ManagedFieldsEntry[], ManagedFieldsEntry[] | undefined]>([
    ['nobody’s', [], undefined],
    ['a stranger’s', [entry('stranger', 'Update', 'a')], undefined],
    ['our own', [entry('us', 'Apply', 'a')], undefined],
    ['of a status', [entry('kubectl', 'Update', 'a', { subresource: 'status' })], undefined],
    [
      'kubectl’s, where we own nothing yet',
      [
        entry('stranger', 'Update', 'z'),
        entry('kubectl-edit', 'Update', 'a', { time: 't1', apiVersion: 'v2' }),
        entry('kubectl', 'Apply', 'b'),
      ],
      [
        entry('stranger', 'Update', 'z'),
        entry('us', 'Apply', '', { time: 't1', apiVersion: 'v2', ...united('a', 'b') }),
      ],
    ],
    [
      'kubectl’s and ours',
      [entry('kubectl', 'Update', 'a'), entry('us', 'Apply', 'b', { time: 't2' })],
      [entry('us', 'Apply', '', { time: 't2', ...united('b', 'a') })],
    ],
    [
      'ours of before',
      [entry('us', 'Update', 'a'), entry('us', 'Apply', 'b', { subresource: 'status' })],
      [entry('us', 'Apply', 'a'), entry('us', 'Apply', 'b', { subresource: 'status' })],
    ],
  ])('becomes ours: %s', (_, entries, kept) => {
    expect(cleanedUp(entries)).toEqual(
      kept === undefined
        ? undefined
        : [{ op: 'replace', path: '/metadata/managedFields', value: kept }],
    );
  });
});

test('changes are told a line each, without what did not change', () => {
  const web = { ...object('Deployment'), apiVersion: 'apps/v1' };
  const changes = [
    changeOf(web, 'created'),
    changeOf(object('Namespace', { namespace: undefined }), 'configured', ['/a']),
    changeOf(web, 'unchanged', []),
    changeOf(web, 'deleted'),
  ];
  expect(printChanges(changes)).toBe('Deployment/shop/a created\nNamespace/a configured');
  expect(printChanges(changes, ['deleted'])).toBe('Deployment/shop/a deleted');
  expect(changes.map(({ paths }) => paths)).toEqual([undefined, ['/a'], undefined, undefined]);
});

const said = (code: number, reason: string, message: string, details?: object) =>
  errorFromStatus({ kind: 'Status', code, reason, message, ...(details && { details }) });

test.each<[unknown, boolean]>([
  [said(422, 'Invalid', 'spec.selector: field is immutable'), true],
  [said(422, 'Invalid', 'spec: Required value'), false],
  [said(409, 'Conflict', 'spec: may not change once set'), true],
  [said(403, 'Forbidden', 'updates to statefulset spec for fields other than replicas'), true],
  [said(400, 'BadRequest', 'field is immutable'), false],
  [said(422, 'Invalid', 'cannot change roleRef'), true],
  [new Error('field is immutable'), false],
])('%s has the object made anew: %s', (error, isImmutable) => {
  expect(isImmutableError(error)).toBe(isImmutable);
});

describe('a failure', () => {
  test.each<[unknown, object, string]>([
    [said(403, 'Forbidden', 'no'), {}, 'ConfigMap/shop/a dry-run failed (Forbidden): no'],
    [said(404, 'NotFound', 'no'), {}, 'ConfigMap/shop/a not found: no'],
    [said(404, 'NotFound', 'no'), { namespace: '' }, 'ConfigMap/a namespace not specified: no'],
    [new KubeError('WG_KUBE_CONNECTION', 'gone'), {}, 'ConfigMap/shop/a dry-run failed: gone'],
    ['text', {}, 'ConfigMap/shop/a dry-run failed: text'],
  ])('of a try: %s', (cause, metadata, message) => {
    expect(dryRunFailure(object('ConfigMap', metadata), cause)).toMatchObject({ message, cause });
  });

  test('quotes no Secret', () => {
    const causes = [
      { field: 'data[a]', reason: 'FieldValueInvalid' },
      { field: 'type', reason: 'FieldValueRequired' },
    ];
    const quoting = said(422, 'Invalid', 'data[a]: Invalid value: "hidden"', { causes });
    expect(actionFailure(object('Secret'), 'apply', quoting).message).toBe(
      'Secret/shop/a apply failed: Secret "a" is invalid: data[a]: FieldValueInvalid, type: FieldValueRequired (values are not shown)',
    );
    expect(actionFailure(object('ConfigMap'), 'apply', quoting).message).toBe(
      'ConfigMap/shop/a apply failed: data[a]: Invalid value: "hidden"',
    );
    expect(actionFailure(object('Secret'), 'delete', said(409, 'Conflict', 'busy')).message).toBe(
      'Secret/shop/a delete failed: busy',
    );
    expect(actionFailure(object('Secret'), 'delete', new Error('odd')).message).toBe(
      'Secret/shop/a delete failed: odd',
    );
  });
});
