import { expect, test } from 'vitest';
import type { Carried } from './pod-objects.ts';
import { workloadStatusOf } from './workload-status.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');

function statusOf(kind: string, changes: object = {}, replicas = 2) {
  const object = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', namespace: 'shop', generation: 4 },
    spec: { template: { spec: { containers: [] } } },
  };
  const workload = { kind, name: 'web', namespace: 'shop', replicas, object, template: {} };
  return workloadStatusOf({ workload, ...changes } as unknown as Carried, nowMs) as Record<
    string,
    unknown
  >;
}

const running = { task: { state: { isReady: true, phase: 'running' } } };
const starting = { task: { state: { isReady: false, phase: 'running', message: 'it starts' } } };
const ended = { task: { state: { isReady: false, phase: 'ended', message: 'exit 1' } } };

test.each([
  ['ready', running, 1, 1],
  ['not ready', starting, 0, 1],
  ['a problem', { ...running, problem: 'no' }, 0, 1],
  ['no task', {}, 0, 0],
])('a DaemonSet with %s', (_name, changes, ready, updated) => {
  expect(statusOf('DaemonSet', changes, 1)).toEqual({
    observedGeneration: 4,
    currentNumberScheduled: 1,
    desiredNumberScheduled: 1,
    numberMisscheduled: 0,
    numberReady: ready,
    numberAvailable: ready,
    updatedNumberScheduled: updated,
    numberUnavailable: 1 - ready,
  });
});

test.each([
  ['ready', running, 2, 2],
  ['not ready', starting, 2, 0],
  ['no task', {}, 1, 0],
])('a StatefulSet with %s', (_name, changes, shown, ready) => {
  const status = statusOf('StatefulSet', changes);
  expect(status).toMatchObject({
    observedGeneration: 4,
    replicas: shown,
    updatedReplicas: shown,
    currentReplicas: shown,
    readyReplicas: ready,
    availableReplicas: ready,
    currentRevision: status.updateRevision,
  });
  expect(status.currentRevision).toMatch(/^web-./);
});

test.each([
  [
    'ready',
    running,
    2,
    0,
    ['True', 'MinimumReplicasAvailable'],
    ['True', 'NewReplicaSetAvailable'],
  ],
  [
    'starting',
    starting,
    2,
    2,
    ['False', 'MinimumReplicasUnavailable'],
    ['True', 'ReplicaSetUpdated'],
  ],
  [
    'ended',
    ended,
    2,
    2,
    ['False', 'MinimumReplicasUnavailable'],
    ['False', 'ProgressDeadlineExceeded'],
  ],
  [
    'without a task',
    {},
    2,
    2,
    ['False', 'MinimumReplicasUnavailable'],
    ['False', 'ProgressDeadlineExceeded'],
  ],
  [
    'without replicas',
    {},
    0,
    0,
    ['True', 'MinimumReplicasAvailable'],
    ['True', 'NewReplicaSetAvailable'],
  ],
])('a Deployment %s', (_name, changes, replicas, unavailable, available, progressing) => {
  const status = statusOf('Deployment', changes, replicas);
  expect(status.unavailableReplicas).toBe(unavailable);
  const conditions = status.conditions as { type: string; status: string; reason: string }[];
  expect(conditions.map(({ type, status: is, reason }) => [type, is, reason])).toEqual([
    ['Available', ...available],
    ['Progressing', ...progressing],
  ]);
});

test('a Deployment says why', () => {
  const messages = (changes: object) =>
    (
      statusOf('Deployment', changes).conditions as { message: string; lastUpdateTime: string }[]
    ).map(({ message, lastUpdateTime }) => {
      expect(lastUpdateTime).toBe('2026-01-01T00:00:00Z');
      return message.replace(/"web-\w+"/, '"web"');
    });
  expect(messages(running)).toEqual([
    'Deployment has minimum availability.',
    'ReplicaSet "web" has successfully progressed.',
  ]);
  expect(messages(starting)).toEqual(['it starts', 'ReplicaSet "web" is progressing: it starts']);
  expect(messages(ended)).toEqual(['exit 1', 'exit 1']);
  expect(messages({ ...running, problem: 'nothing runs it' })[0]).toBe('nothing runs it');
  expect(messages({ task: {} })[0]).toBe('the process is not ready yet');
});
