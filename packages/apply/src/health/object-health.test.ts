import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { condition, of, said } from '../testing/health-text.ts';
import { completedJobHealth } from './job-rule.ts';

// The rules of kstatus, as Flux waits by them: which state, by which reason, in which words.

describe('any object', () => {
  const any = of('example.com/v1', 'Widget');
  test.each([
    ['says nothing', any({}, {}), 'Current: Resource is current'],
    ['has no status at all', any({}, undefined), 'Current: Resource is current'],
    [
      'is being deleted',
      any({}, { observedGeneration: 7 }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      'Terminating: Resource scheduled for deletion',
    ],
    [
      'has an empty time of deletion',
      any({}, {}, { deletionTimestamp: '' }),
      'Current: Resource is current',
    ],
    ['has none of it', any({}, {}, { deletionTimestamp: null }), 'Current: Resource is current'],
    [
      'was changed since its controller looked',
      any({}, { observedGeneration: 2 }, { generation: 3 }),
      'InProgress LatestGenerationNotObserved: Widget generation is 3, but latest observed generation is 2',
    ],
    [
      'is being reconciled',
      any({}, { conditions: [condition('Reconciling', 'True', 'Progressing', 'busy')] }),
      'InProgress Progressing: busy',
    ],
    [
      'is stalled',
      any({}, { conditions: [condition('Stalled', 'True', 'Broken', 'no way')] }),
      'Failed Broken: no way',
    ],
    [
      'says the first of two first',
      any(
        {},
        {
          conditions: [
            condition('Stalled', 'True', 'S', 's'),
            condition('Reconciling', 'True', 'R', 'r'),
          ],
        },
      ),
      'Failed S: s',
    ],
    [
      'is stalled no more',
      any(
        {},
        {
          conditions: [condition('Stalled', 'False', 'S', 's'), condition('Reconciling', 'False')],
        },
      ),
      'Current: Resource is current',
    ],
    [
      'is ready',
      any({}, { conditions: [condition('Ready', 'True')] }),
      'Current: Resource is Ready',
    ],
    [
      'is not ready',
      any({}, { conditions: [condition('Ready', 'False', 'Why', 'because')] }),
      'InProgress Why: because',
    ],
    [
      'does not know',
      any({}, { conditions: [condition('Ready', 'Unknown', 'Why', 'because')] }),
      'InProgress Why: because',
    ],
    [
      'has a condition that is none',
      any({}, { conditions: [condition('Ready', 'Perhaps'), 'text', null] }),
      'Current: Resource is current',
    ],
    [
      'has conditions that are no list',
      any({}, { conditions: { Ready: true } }),
      'Current: Resource is current',
    ],
  ])('that %s', (_what, object, expected) => {
    expect(said(object)).toBe(expected);
  });
});

describe('a Pod', () => {
  const pod = of('v1', 'Pod');
  const waiting = (name: string, reason: string) => ({ name, state: { waiting: { reason } } });
  const unschedulable = condition('PodScheduled', 'False', 'Unschedulable');
  test.each([
    [{}, 'InProgress PodNotObserved: Pod phase not available'],
    [{ phase: 'Succeeded' }, 'Current: Pod has completed successfully'],
    [{ phase: 'Failed' }, 'Current: Pod has completed, but not successfully'],
    [{ phase: 'Lost' }, 'Unknown: unknown phase Lost'],
    [{ phase: 'Running', conditions: [condition('Ready', 'True')] }, 'Current: Pod is Ready'],
    [
      { phase: 'Running', conditions: [condition('Ready', 'False')] },
      'InProgress PodRunningNotReady: Pod is running but is not Ready',
    ],
    [
      {
        phase: 'Running',
        containerStatuses: [
          waiting('a', 'CrashLoopBackOff'),
          waiting('b', 'PodInitializing'),
          waiting('c', 'CrashLoopBackOff'),
        ],
      },
      'Failed ContainerCrashLooping: Containers in CrashLoop state: a,c',
    ],
    [{ phase: 'Pending' }, 'InProgress PodPending: Pod is in the Pending phase'],
    [
      { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'SchedulingGated')] },
      'InProgress PodPending: Pod is in the Pending phase',
    ],
    [
      { phase: 'Pending', conditions: [unschedulable] },
      'Failed PodUnschedulable: Pod could not be scheduled',
    ],
  ])('with %j', (status, expected) => {
    expect(said(pod({}, status, { creationTimestamp: '2026-01-01T00:00:45Z' }))).toBe(expected);
  });

  test('has 15 seconds to find a node', () => {
    const young = { creationTimestamp: '2026-01-01T00:00:46Z' };
    expect(said(pod({}, { phase: 'Pending', conditions: [unschedulable] }, young))).toBe(
      'InProgress PodNotScheduled: Pod has not been scheduled',
    );
  });
});

describe('a Job', () => {
  const job = of('batch/v1', 'Job');
  const running = { startTime: '2026-01-01T00:00:00Z', succeeded: 1, active: 2, failed: 3 };
  const complete = [condition('Complete', 'True')];
  test.each([
    [
      {},
      {},
      'InProgress JobNotStarted: Job not started',
      'InProgress: Job not started. active: 0/1',
    ],
    [
      { completions: 4 },
      running,
      'Current: Job in progress. success:1, active: 2, failed: 3',
      'InProgress: Job in progress. success:1, active: 2, failed: 3',
    ],
    [
      { completions: 4 },
      { ...running, conditions: complete },
      'Current: Job Completed. succeeded: 1/4',
      'Current: Job Completed. succeeded: 1/4',
    ],
    [
      { parallelism: 5 },
      { ...running, conditions: complete },
      'Current: Job Completed. succeeded: 1/5',
      'Current: Job Completed. succeeded: 1/5',
    ],
    [
      {},
      { ...running, conditions: [condition('Complete', 'False'), condition('Failed', 'True')] },
      'Failed JobFailed: Job Failed. failed: 3/1',
      'Failed: Job Failed. failed: 3/1',
    ],
    [
      {},
      { conditions: [condition('Suspended', 'True')] },
      'InProgress JobNotStarted: Job not started',
      'Current: Job is suspended',
    ],
    [
      {},
      { conditions: [condition('Suspended', 'False')] },
      'InProgress JobNotStarted: Job not started',
      'InProgress: Job not started. active: 0/1',
    ],
  ])('with %j and %j', (spec, status, expected, asWaitedFor) => {
    const object = job(spec, status);
    expect(said(object)).toBe(expected);
    const { status: state, message } = completedJobHealth(object as KubeObject);
    expect(`${state}: ${message}`).toBe(asWaitedFor);
  });

  test('that is waited for may be going away, or be changed since', () => {
    const health = (metadata: object) =>
      completedJobHealth(
        job(
          {},
          { ...running, observedGeneration: 1, conditions: complete },
          metadata,
        ) as KubeObject,
      ).status;
    expect(health({ deletionTimestamp: '2026-01-01T00:00:00Z' })).toBe('Terminating');
    expect(health({ generation: 2 })).toBe('InProgress');
    expect(health({})).toBe('Current');
  });
});

describe('other kinds', () => {
  const claim = of('v1', 'PersistentVolumeClaim');
  const service = of('v1', 'Service');
  const definition = (...conditions: object[]) =>
    of('apiextensions.k8s.io/v1', 'CustomResourceDefinition')({}, { conditions });
  test.each([
    [of('v1', 'ConfigMap')(undefined, undefined), 'Current: Resource is always ready'],
    [of('v1', 'Secret')(undefined, undefined), 'Current: Resource is always ready'],
    [of('batch/v1', 'CronJob')({}, {}), 'Current: Resource is always ready'],
    [
      of('policy/v1', 'PodDisruptionBudget')({}, {}),
      'Current: AllowedDisruptions has been computed.',
    ],
    [claim({}, { phase: 'Bound' }), 'Current: PVC is Bound'],
    [claim({}, { phase: 'Pending' }), 'InProgress NotBound: PVC is not Bound. phase: Pending'],
    [claim({}, {}), 'InProgress NotBound: PVC is not Bound. phase: unknown'],
    [service({}, {}), 'Current: Service is ready'],
    [service({ type: 'NodePort' }, {}), 'Current: Service is ready'],
    [
      service({ type: 'LoadBalancer' }, {}),
      'InProgress NoIPAssigned: ClusterIP not set. Service type: LoadBalancer',
    ],
    [
      service({ type: 'LoadBalancer' }, { loadBalancer: { ingress: [] } }),
      'InProgress NoIPAssigned: ClusterIP not set. Service type: LoadBalancer',
    ],
    [service({ type: 'LoadBalancer', clusterIP: '10.0.0.1' }, {}), 'Current: Service is ready'],
    [
      service({ type: 'LoadBalancer' }, { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }),
      'Current: Service is ready',
    ],
    [definition(), 'InProgress Installing: Install in progress'],
    [
      definition(condition('NamesAccepted', 'True'), condition('Established', 'True')),
      'Current: CRD is established',
    ],
    [
      definition(condition('NamesAccepted', 'False', 'Taken', 'another has it')),
      'Failed Taken: another has it',
    ],
    [
      definition(condition('Established', 'False', 'Installing')),
      'InProgress Installing: Install in progress',
    ],
    [definition(condition('Established', 'False', 'NotAccepted', 'no')), 'Failed NotAccepted: no'],
  ])('%j', (object, expected) => {
    expect(said(object)).toBe(expected);
  });
});
