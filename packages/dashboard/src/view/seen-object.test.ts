import { expect, test } from 'vitest';
import { healthOf, seenObject } from './seen-object.ts';

const release = (...conditions: readonly object[]) =>
  seenObject({
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: 'shop', namespace: 'default' },
    status: { conditions },
  } as never);

const stalled = {
  type: 'Stalled',
  status: 'True',
  message: 'Failed to install after 1 attempt(s)',
};

test('a release that has given up says why it is not ready, not how often it was tried', () => {
  const ready = { type: 'Ready', status: 'False', message: 'spec.replicas is -1' };
  expect(healthOf(release(stalled, ready))).toEqual({
    health: 'degraded',
    reason: 'spec.replicas is -1',
  });
  expect(healthOf(release(stalled))).toEqual({ health: 'degraded', reason: stalled.message });
});

test('a release is an applier, as a Kustomization is', () => {
  expect(release().stage).toBe('kustomization');
});

const pending = { type: 'Programmed', status: 'False', reason: 'Pending', message: 'on its way' };

test.each([
  ['nothing', [], { health: 'unknown' }],
  ['a condition of its own', [{ type: 'Shiny', status: 'True' }], { health: 'unknown' }],
  ['programmed', [{ type: 'Programmed', status: 'True' }], { health: 'healthy' }],
  ['not programmed yet', [pending], { health: 'progressing', reason: 'on its way' }],
  [
    'not programmed yet, without a word',
    [{ ...pending, message: undefined }],
    { health: 'progressing', reason: 'in progress' },
  ],
  [
    'not programmed yet, and refused',
    [pending, { type: 'Accepted', status: 'False', reason: 'NoMatchingParent' }],
    { health: 'degraded', reason: 'NoMatchingParent' },
  ],
  [
    'not programmed, for good',
    [{ ...pending, reason: 'Invalid' }],
    { health: 'degraded', reason: 'on its way' },
  ],
  [
    'being reconciled',
    [{ type: 'Reconciling', status: 'True' }],
    { health: 'progressing', reason: 'in progress' },
  ],
  [
    'not known to be ready',
    [{ type: 'Ready', status: 'Unknown', message: 'building' }],
    { health: 'progressing', reason: 'building' },
  ],
  ['no longer stalled', [{ type: 'Stalled', status: 'False' }], { health: 'unknown' }],
])('an object that is %s', (_name, conditions, health) => {
  expect(healthOf(release(...conditions))).toEqual(health);
});
