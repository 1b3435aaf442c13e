import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStageKinds, sortForApply, sortForDelete, stageOf } from './apply-order.ts';

const object = (apiVersion: string, kind: string, name = 'a', namespace?: string) => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});

const wanted = [
  object('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
  object('v1', 'Namespace'),
  object('rbac.authorization.k8s.io/v1', 'ClusterRole'),
  object('storage.k8s.io/v1', 'StorageClass'),
  object('v1', 'ServiceAccount'),
  object('v1', 'ConfigMap', 'a', 'a'),
  object('v1', 'ConfigMap', 'b', 'a'),
  object('v1', 'ConfigMap', 'a', 'b'),
  object('v1', 'Secret'),
  object('v1', 'Service'),
  object('apps/v1', 'Deployment'),
  object('policy/v1', 'PodDisruptionBudget'),
  object('v1', 'Pod'),
  object('batch/v1', 'Job'),
  object('example.com/v1', 'Alpha'),
  object('example.com/v1', 'Beta'),
  object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'),
  object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'),
];

describe('the order', () => {
  test('of applying is one, however objects come, and that of deleting its reverse', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(wanted, { minLength: wanted.length }), (shuffled) => {
        expect(sortForApply(shuffled)).toEqual(wanted);
        expect(sortForDelete(shuffled)).toEqual([...wanted].reverse());
      }),
      { numRuns: 30 },
    );
  });
});

describe('the stage', () => {
  test.each([
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'definitions'],
    ['example.com/v1', 'CustomResourceDefinition', 'resources'],
    ['v1', 'Namespace', 'definitions'],
    ['v2', 'Namespace', 'resources'],
    ['example.com/v1', 'Namespace', 'resources'],
    ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'definitions'],
    ['example.com/v1', 'ClusterRole', 'resources'],
    ['storage.k8s.io/v1', 'StorageClass', 'classes'],
    ['example.com/v1', 'WidgetClass', 'classes'],
    ['example.com/v1', 'Widget', 'custom'],
    ['other.com/v1', 'Widget', 'resources'],
    ['v1', 'Secret', 'custom'],
    ['apps/v1', 'Deployment', 'resources'],
  ])('of %s %s is %s', (apiVersion, kind, stage) => {
    expect(stageOf({ apiVersion, kind }, parseStageKinds('example.com/Widget, Secret,,'))).toBe(
      stage,
    );
  });

  test('of something that says nothing of itself is the last', () => {
    expect(stageOf({})).toBe('resources');
  });
});
