import { describe, expect, test } from 'vitest';
import type { TaskState } from '../processes/task.ts';
import { type Carried, keepTimes, podStatusOf, podsOf, replicaSetOf } from './pod-objects.ts';
import { templateHash, type Workload } from './workload.ts';

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const nowText = '2026-01-02T03:04:05Z';
const startedMs = now - 60_000;
const startedText = '2026-01-02T03:03:05Z';

const workload = (kind: Workload['kind'], replicas = 2): Workload =>
  ({
    kind,
    name: 'web',
    namespace: 'shop',
    replicas,
    template: {
      metadata: { labels: { app: 'web' }, annotations: { team: 'a' } },
      spec: { nodeName: 'far', containers: [{ name: 'c', image: 'i:1' }, { name: 'side' }] },
    },
    object: { metadata: { name: 'web', namespace: 'shop', uid: 'u1' } },
  }) as unknown as Workload;

const carried = (more: Partial<Carried> = {}, kind: Workload['kind'] = 'Deployment'): Carried => ({
  workload: workload(kind),
  container: 'c',
  task: { id: 'shop/web', state: undefined },
  problem: undefined,
  round: 0,
  ...more,
});

const hash = templateHash(workload('Deployment'));
const owner = (kind: string, name: string, uid: string) => [
  { apiVersion: 'apps/v1', kind, name, uid, controller: true, blockOwnerDeletion: true },
];

test('the ReplicaSet of a Deployment', () => {
  const labels = { app: 'web', 'pod-template-hash': hash };
  const { template } = workload('Deployment');
  expect(replicaSetOf(carried())).toEqual({
    metadata: {
      name: `web-${hash}`,
      namespace: 'shop',
      labels,
      annotations: { 'waygate.dev/stands-for': '', 'deployment.kubernetes.io/revision': '1' },
      ownerReferences: owner('Deployment', 'web', 'u1'),
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { labels, annotations: { team: 'a' } } },
    },
  });
});

describe('Pods', () => {
  const replicaSet = { metadata: { name: `web-${hash}`, uid: 'r1' } };
  const namesOf = (of: Carried) => podsOf(of, undefined).map(({ metadata }) => metadata.name);

  test('of a Deployment are those of its ReplicaSet', () => {
    const pods = podsOf(carried(), replicaSet);
    expect(pods).toHaveLength(2);
    expect(pods[0]).toEqual({
      metadata: {
        name: expect.stringMatching(new RegExp(`^web-${hash}-[a-z0-9]{5}$`)),
        namespace: 'shop',
        labels: { app: 'web', 'pod-template-hash': hash },
        annotations: { team: 'a', 'waygate.dev/stands-for': 'shop/web' },
        ownerReferences: owner('ReplicaSet', `web-${hash}`, 'r1'),
      },
      spec: { containers: [{ name: 'c', image: 'i:1' }, { name: 'side' }] },
    });
    expect(pods[1]?.metadata.name).not.toBe(pods[0]?.metadata.name);
  });

  test('of a StatefulSet are numbered, and its own', () => {
    const pods = podsOf(carried({}, 'StatefulSet'), undefined);
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(['web-0', 'web-1']);
    expect(pods[0]?.metadata).toMatchObject({
      labels: { app: 'web' },
      ownerReferences: owner('StatefulSet', 'web', 'u1'),
    });
    expect(pods[0]?.metadata.labels).toEqual({ app: 'web' });
  });

  test('of a DaemonSet have letters', () => {
    expect(namesOf(carried({}, 'DaemonSet'))[0]).toMatch(/^web-[a-z0-9]{5}$/);
  });

  test('are the same from look to look, and others once one was deleted', () => {
    expect(namesOf(carried())).toEqual(namesOf(carried()));
    const later = namesOf(carried({ round: 1 }));
    for (const name of namesOf(carried())) expect(later).not.toContain(name);
  });

  test.each([
    [0, 0],
    [1, 1],
    [3, 1],
  ])('of a workload of %i that nothing carries: %i', (replicas, count) => {
    const pods = podsOf(
      carried({ workload: workload('Deployment', replicas), task: undefined }),
      undefined,
    );
    expect(pods).toHaveLength(count);
    for (const { metadata } of pods)
      expect(metadata.annotations).toEqual({ team: 'a', 'waygate.dev/stands-for': '' });
  });
});

describe('the status of a Pod', () => {
  const state = (more: Partial<TaskState>): TaskState => ({
    id: 'shop/web',
    revision: '',
    port: 1,
    phase: 'running',
    isReady: true,
    startedMs,
    restarts: 0,
    ...more,
  });
  const condition = (type: string, status: string, more: object = {}) => ({
    type,
    status,
    lastTransitionTime: nowText,
    ...more,
  });
  const lastEnd = { exitCode: 3, startedMs: startedMs - 9_000, endedMs: startedMs - 1_000 };
  const ended = (exitCode: number, reason: string) => ({
    terminated: {
      exitCode,
      reason,
      startedAt: '2026-01-02T03:02:56Z',
      finishedAt: '2026-01-02T03:03:04Z',
    },
  });
  const running = { running: { startedAt: startedText } };

  test.each<[string, Partial<TaskState> | undefined, string | undefined, object]>([
    ['that runs', {}, undefined, { phase: 'Running', is: running, ready: true, started: true }],
    [
      'that runs and does not answer yet',
      { isReady: false, message: 'no answer' },
      undefined,
      {
        phase: 'Running',
        is: running,
        ready: false,
        started: true,
        why: { reason: 'ContainersNotReady', message: 'no answer' },
      },
    ],
    [
      'of which nothing is known',
      undefined,
      undefined,
      {
        phase: 'Pending',
        is: { waiting: { reason: 'ContainerCreating' } },
        ready: false,
        started: false,
        why: {},
        startTime: undefined,
      },
    ],
    [
      'that is starting',
      { phase: 'starting', isReady: false, startedMs: undefined, reason: 'Starting' },
      undefined,
      {
        phase: 'Pending',
        is: { waiting: { reason: 'ContainerCreating' } },
        ready: false,
        started: false,
        why: { reason: 'Starting' },
        startTime: undefined,
      },
    ],
    [
      'that is tried again',
      {
        phase: 'waiting',
        isReady: false,
        reason: 'CrashLoopBackOff',
        message: 'in 5 s',
        restarts: 4,
        lastEnd,
      },
      undefined,
      {
        phase: 'Running',
        is: { waiting: { reason: 'CrashLoopBackOff', message: 'in 5 s' } },
        was: ended(3, 'Error'),
        ready: false,
        started: false,
        restarts: 4,
        why: { reason: 'CrashLoopBackOff', message: 'in 5 s' },
      },
    ],
    [
      'that waits without a word',
      { phase: 'waiting', isReady: false, restarts: -1 },
      undefined,
      {
        phase: 'Running',
        is: { waiting: { reason: 'Waiting', message: '' } },
        ready: false,
        started: false,
        why: {},
      },
    ],
    [
      'that has done its work',
      { phase: 'ended', isReady: false, lastEnd: { ...lastEnd, exitCode: 0 } },
      undefined,
      {
        phase: 'Succeeded',
        is: ended(0, 'Completed'),
        was: ended(0, 'Completed'),
        ready: false,
        started: false,
        why: {},
      },
    ],
    [
      'that has failed',
      { phase: 'ended', isReady: false, lastEnd },
      undefined,
      {
        phase: 'Failed',
        is: ended(3, 'Error'),
        was: ended(3, 'Error'),
        ready: false,
        started: false,
        why: {},
      },
    ],
    [
      'whose ConfigMap is missing',
      {},
      'ConfigMap a is missing',
      {
        phase: 'Running',
        is: {
          waiting: { reason: 'CreateContainerConfigError', message: 'ConfigMap a is missing' },
        },
        ready: false,
        started: true,
        why: { reason: 'ContainersNotReady', message: 'ConfigMap a is missing' },
      },
    ],
  ])('%s', (_name, more, problem, expected) => {
    const { phase, is, was, ready, started, restarts, why, ...rest } = {
      was: {},
      restarts: 0,
      startTime: startedText,
      ...expected,
    } as Record<string, unknown> & { why?: object };
    const of = { id: 'shop/web', state: more && state(more) };
    const status = podStatusOf(carried({ task: of, problem }), now) as object;
    const container = { imageID: '', ready, started, restartCount: restarts };
    const isReady = ready === true ? 'True' : 'False';
    expect(status).toEqual({
      phase,
      hostIP: '127.0.0.1',
      ...(rest.startTime === undefined ? {} : { startTime: rest.startTime }),
      conditions: [
        condition('PodScheduled', 'True'),
        condition('Initialized', 'True'),
        condition('ContainersReady', isReady, why),
        condition('Ready', isReady, why),
      ],
      containerStatuses: [
        { name: 'c', image: 'i:1', ...container, state: is, lastState: was },
        { name: 'side', image: '', ...container, state: is, lastState: was },
      ],
    });
  });

  test('that nothing carries', () => {
    expect(podStatusOf(carried({ task: undefined, problem: 'nothing runs it' }), now)).toEqual({
      phase: 'Pending',
      conditions: [
        condition('PodScheduled', 'False', { reason: 'Unschedulable', message: 'nothing runs it' }),
      ],
    });
  });
});

test('conditions keep their time for as long as they say the same', () => {
  const before = [
    { type: 'Ready', status: 'True', lastTransitionTime: 'then' },
    { type: 'Odd', status: 'True' },
    { type: 'Turned', status: 'False', lastTransitionTime: 'then' },
  ] as const;
  const next = ['Ready', 'Odd', 'Turned', 'New'].map((type) => ({
    type,
    status: 'True' as const,
    lastTransitionTime: 'now',
  }));
  expect(keepTimes(next, before).map((each) => each.lastTransitionTime)).toEqual([
    'then',
    'now',
    'now',
    'now',
  ]);
});
