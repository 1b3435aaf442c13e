import { expect, test } from 'vitest';
import { podState, restartsText } from './pod-state.ts';

const container = { name: 'c', image: 'x' };
const now = Date.parse('2026-01-01T01:00:00Z');
const ended = (finishedAt: string) => ({ terminated: { exitCode: 1, finishedAt } });

function pod(status: object, metadata: object = {}, spec: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...metadata },
    spec: { containers: [container], ...spec },
    status,
  };
}

const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };

// What cannot be recorded of a server without a kubelet: pods that end, and times.
test.each<[string, ReturnType<typeof pod>, [reason: string, ready: string, restarts: string]]>([
  ['a pod that ends', pod({ phase: 'Running' }, deleted), ['Terminating', '0/1', '0']],
  ['one that ended before', pod({ phase: 'Succeeded' }, deleted), ['Succeeded', '0/1', '0']],
  [
    'one whose node is lost',
    pod({ phase: 'Running', reason: 'NodeLost' }, deleted),
    ['Unknown', '0/1', '0'],
  ],
  ['one of which nothing is known', pod({}), ['Unknown', '0/1', '0']],
  [
    'the latest end counts, of containers and sidecars',
    pod(
      {
        phase: 'Running',
        initContainerStatuses: [
          {
            name: 's',
            started: true,
            restartCount: 1,
            state: { running: {} },
            lastState: ended('2026-01-01T00:30:00Z'),
          },
        ],
        containerStatuses: [
          { name: 'c', restartCount: 2, lastState: ended('2026-01-01T00:20:00Z'), state: {} },
        ],
      },
      {},
      { initContainers: [{ name: 's', image: 'x', restartPolicy: 'Always' }] },
    ),
    ['Running', '0/2', '3 (30m ago)'],
  ],
  [
    'a pod that is prepared though a container of that sort fails later',
    pod(
      {
        phase: 'Running',
        conditions: [{ type: 'Initialized', status: 'True' }],
        initContainerStatuses: [{ name: 'i', restartCount: 7, state: { waiting: {} } }],
        containerStatuses: [{ name: 'c', ready: true, restartCount: 1, state: { running: {} } }],
      },
      {},
      { initContainers: [{ name: 'i', image: 'x' }] },
    ),
    ['Running', '1/1', '1'],
  ],
  [
    'some are done and the others are not ready',
    pod({
      phase: 'Running',
      containerStatuses: [
        { name: 'c', state: { terminated: { exitCode: 0, reason: 'Completed' } } },
        { name: 'd', ready: true, state: { running: {} } },
      ],
    }),
    ['NotReady', '1/1', '0'],
  ],
])('%s', (_what, object, expected) => {
  const state = podState(object);
  expect([state.reason, state.ready, restartsText(state, now)]).toEqual(expected);
});
