import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { condition, of, said } from '../testing/health-text.ts';
import { objectHealth } from './object-health.ts';

// The rules of kstatus, as Flux waits by them: which state, by which reason, in which words.

describe('a Deployment', () => {
  const deployment = of('apps/v1', 'Deployment');
  const whole = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
  const available = condition('Available', 'True');
  const progressed = condition('Progressing', 'True', 'NewReplicaSetAvailable');
  test.each([
    [
      { replicas: 2 },
      { ...whole, conditions: [available] },
      'Current: Deployment is available. Replicas: 2',
    ],
    [{}, { replicas: 0 }, 'InProgress LessReplicas: Replicas: 0/1'],
    [{ replicas: 3 }, whole, 'InProgress LessReplicas: Replicas: 2/3'],
    [{ replicas: 2 }, { ...whole, updatedReplicas: 1 }, 'InProgress LessUpdated: Updated: 1/2'],
    [{ replicas: 1 }, whole, 'InProgress ExtraPods: Pending termination: 1'],
    [
      { replicas: 2 },
      { ...whole, availableReplicas: 1 },
      'InProgress LessAvailable: Available: 1/2',
    ],
    [{ replicas: 2 }, { ...whole, readyReplicas: 1 }, 'InProgress LessReady: Ready: 1/2'],
    [{ replicas: 2 }, whole, 'InProgress DeploymentNotAvailable: Deployment not Available'],
    [
      { replicas: 2 },
      { ...whole, conditions: [condition('Available', 'False')] },
      'InProgress DeploymentNotAvailable: Deployment not Available',
    ],
    [
      { replicas: 2, progressDeadlineSeconds: 600 },
      { ...whole, conditions: [available] },
      'InProgress ReplicaSetNotAvailable: ReplicaSet not Available',
    ],
    [
      { replicas: 2, progressDeadlineSeconds: 600 },
      {
        ...whole,
        conditions: [available, condition('Progressing', 'False', 'NewReplicaSetAvailable')],
      },
      'InProgress ReplicaSetNotAvailable: ReplicaSet not Available',
    ],
    [
      { replicas: 2, progressDeadlineSeconds: 600 },
      { ...whole, conditions: [available, progressed] },
      'Current: Deployment is available. Replicas: 2',
    ],
    [
      { replicas: 2, progressDeadlineSeconds: 2 ** 31 - 1 },
      { ...whole, conditions: [available] },
      'Current: Deployment is available. Replicas: 2',
    ],
    [
      { replicas: 2 },
      {
        ...whole,
        conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'too late')],
      },
      'Failed ProgressDeadlineExceeded: Progress deadline exceeded',
    ],
    [{ replicas: '2' }, whole, 'InProgress ExtraPods: Pending termination: 1'],
  ])('with %j and %j', (spec, status, expected) => {
    expect(said(deployment(spec, status))).toBe(expected);
    expect(said(of('extensions/v1beta1', 'Deployment')(spec, status))).toBe(expected);
  });

  test('may count in whole numbers of any size', () => {
    expect(said(deployment({ replicas: 2n }, { ...whole, conditions: [available] }))).toBe(
      'Current: Deployment is available. Replicas: 2',
    );
  });

  test('of another group is judged as any object is', () => {
    expect(said(of('example.com/v1', 'Deployment')({ replicas: 3 }, whole))).toBe(
      'Current: Resource is current',
    );
  });

  test('that came too late says in its condition what the controller said', () => {
    const late = (message: string) =>
      objectHealth(
        deployment(
          {},
          { conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded', message)] },
        ) as KubeObject,
      ).conditions[0]?.message;
    expect(late('ReplicaSet "a" has timed out')).toBe('ReplicaSet "a" has timed out');
    expect(late('')).toBe('Progress deadline exceeded');
  });
});

describe('a ReplicaSet', () => {
  const replicaSet = of('apps/v1', 'ReplicaSet');
  const whole = { replicas: 2, readyReplicas: 2, availableReplicas: 2, fullyLabeledReplicas: 2 };
  test.each([
    [{ replicas: 2 }, whole, 'Current: ReplicaSet is available. Replicas: 2'],
    [{}, {}, 'InProgress LessLabelled: Labelled: 0/1'],
    [
      { replicas: 2 },
      { ...whole, fullyLabeledReplicas: 1 },
      'InProgress LessLabelled: Labelled: 1/2',
    ],
    [
      { replicas: 2 },
      { ...whole, availableReplicas: 1 },
      'InProgress LessAvailable: Available: 1/2',
    ],
    [{ replicas: 2 }, { ...whole, readyReplicas: 1 }, 'InProgress LessReady: Ready: 1/2'],
    [{ replicas: 1 }, whole, 'InProgress ExtraPods: Pending termination: 1'],
    [
      { replicas: 2 },
      { ...whole, conditions: [condition('ReplicaFailure', 'True')] },
      'InProgress ReplicaFailure: Replica Failure condition. Check Pods',
    ],
    [
      { replicas: 2 },
      { ...whole, conditions: [condition('ReplicaFailure', 'False'), condition('Other', 'True')] },
      'Current: ReplicaSet is available. Replicas: 2',
    ],
  ])('with %j and %j', (spec, status, expected) => {
    expect(said(replicaSet(spec, status))).toBe(expected);
  });
});

describe('a StatefulSet', () => {
  const statefulSet = of('apps/v1', 'StatefulSet');
  const whole = { replicas: 3, readyReplicas: 3, currentReplicas: 3, updatedReplicas: 3 };
  const partition = (at: number) => ({
    replicas: 3,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: at } },
  });
  test.each([
    [{ replicas: 3 }, whole, 'Current: All replicas scheduled as expected. Replicas: 3'],
    [
      { updateStrategy: { type: 'OnDelete' } },
      {},
      'Current: StatefulSet is using the ondelete update strategy',
    ],
    [{}, {}, 'InProgress LessReplicas: Replicas: 0/1'],
    [{ replicas: 3 }, { ...whole, readyReplicas: 2 }, 'InProgress LessReady: Ready: 2/3'],
    [{ replicas: 2 }, whole, 'InProgress ExtraPods: Pending termination: 1'],
    [{ replicas: 3 }, { ...whole, currentReplicas: 2 }, 'InProgress LessCurrent: current: 2/3'],
    [
      { replicas: 3 },
      { ...whole, currentRevision: 'a', updateRevision: 'b' },
      'InProgress RevisionMismatch: Waiting for updated revision to match current',
    ],
    [partition(1), { ...whole, updatedReplicas: 1 }, 'InProgress PartitionRollout: updated: 1/2'],
    [
      partition(1),
      { ...whole, updatedReplicas: 2 },
      'Current: Partition rollout complete. updated: 2',
    ],
    [partition(0), { ...whole, updatedReplicas: 2 }, 'InProgress PartitionRollout: updated: 2/3'],
  ])('with %j and %j', (spec, status, expected) => {
    expect(said(statefulSet(spec, status))).toBe(expected);
  });
});

describe('a DaemonSet', () => {
  const daemonSet = of('apps/v1', 'DaemonSet');
  const whole = {
    observedGeneration: 1,
    desiredNumberScheduled: 2,
    currentNumberScheduled: 2,
    updatedNumberScheduled: 2,
    numberAvailable: 2,
    numberReady: 2,
  };
  test.each([
    [whole, 'Current: All replicas scheduled as expected. Replicas: 2'],
    [
      { ...whole, desiredNumberScheduled: 0 },
      'Current: All replicas scheduled as expected. Replicas: 0',
    ],
    [
      { ...whole, observedGeneration: undefined },
      'InProgress NoObservedGeneration: DaemonSet status.observedGeneration not found',
    ],
    [
      { ...whole, desiredNumberScheduled: undefined },
      'InProgress NoDesiredNumber: Missing .status.desiredNumberScheduled',
    ],
    [{ ...whole, currentNumberScheduled: 1 }, 'InProgress LessCurrent: Current: 1/2'],
    [{ ...whole, updatedNumberScheduled: 1 }, 'InProgress LessUpdated: Updated: 1/2'],
    [{ ...whole, numberAvailable: 1 }, 'InProgress LessAvailable: Available: 1/2'],
    [{ ...whole, numberReady: 1 }, 'InProgress LessReady: Ready: 1/2'],
  ])('with %j', (status, expected) => {
    expect(said(daemonSet({}, status))).toBe(expected);
  });

  test('without a generation has not been looked at', () => {
    expect(said(daemonSet({}, whole, { generation: undefined }))).toBe(
      'InProgress NoGeneration: DaemonSet metadata.generation not found',
    );
  });
});

describe('a count that is not said yet is none', () => {
  const counted = (kind: string, spec: object, status: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.keys(status)
        .filter((field) => field !== 'observedGeneration')
        .map((field) => [
          field,
          said(of('apps/v1', kind)(spec, { ...status, [field]: undefined })),
        ]),
    );

  test.each([
    [
      'Deployment',
      { replicas: 2 },
      { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
      {
        replicas: 'InProgress LessReplicas: Replicas: 0/2',
        updatedReplicas: 'InProgress LessUpdated: Updated: 0/2',
        readyReplicas: 'InProgress LessReady: Ready: 0/2',
        availableReplicas: 'InProgress LessAvailable: Available: 0/2',
      },
    ],
    [
      'ReplicaSet',
      { replicas: 2 },
      { readyReplicas: 2, availableReplicas: 2, fullyLabeledReplicas: 2 },
      {
        readyReplicas: 'InProgress LessReady: Ready: 0/2',
        availableReplicas: 'InProgress LessAvailable: Available: 0/2',
        fullyLabeledReplicas: 'InProgress LessLabelled: Labelled: 0/2',
      },
    ],
    [
      'StatefulSet',
      { replicas: 2 },
      { replicas: 2, readyReplicas: 2, currentReplicas: 2 },
      {
        replicas: 'InProgress LessReplicas: Replicas: 0/2',
        readyReplicas: 'InProgress LessReady: Ready: 0/2',
        currentReplicas: 'InProgress LessCurrent: current: 0/2',
      },
    ],
    [
      'DaemonSet',
      {},
      {
        observedGeneration: 1,
        desiredNumberScheduled: 2,
        currentNumberScheduled: 2,
        updatedNumberScheduled: 2,
        numberAvailable: 2,
        numberReady: 2,
      },
      {
        desiredNumberScheduled:
          'InProgress NoDesiredNumber: Missing .status.desiredNumberScheduled',
        currentNumberScheduled: 'InProgress LessCurrent: Current: 0/2',
        updatedNumberScheduled: 'InProgress LessUpdated: Updated: 0/2',
        numberAvailable: 'InProgress LessAvailable: Available: 0/2',
        numberReady: 'InProgress LessReady: Ready: 0/2',
      },
    ],
  ])('of a %s', (kind, spec, status, expected) => {
    expect(counted(kind, spec, status)).toEqual(expected);
  });
});
