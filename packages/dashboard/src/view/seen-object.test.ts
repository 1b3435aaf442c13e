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
