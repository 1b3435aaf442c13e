import { expect, test, vi } from 'vitest';
import type { TaskState } from '../processes/task.ts';
import type { Binding } from '../workloads/binding.ts';
import type { Fit } from '../workloads/service-bindings.ts';
import { serviceProblems } from './service-problems.ts';

const now = 1_000_000;
const service = (name: string) => ({ metadata: { name, namespace: 'shop' } });
const start = { kind: 'start', port: 0, place: 'waygate.yaml:3' } as Binding;
const stub = { kind: 'stub', place: 'waygate.yaml:4' } as Binding;
const fit = (binding: Binding = start, more: Partial<Fit> = {}): Fit =>
  ({
    bound: [{ service: service('web'), binding, workloads: [] }],
    unbound: [],
    problems: [],
    ...more,
  }) as unknown as Fit;

const problemsOf = (
  state: Partial<TaskState> | undefined,
  binding?: Binding,
  more: { fit?: Partial<Fit>; isApplied?: boolean; missing?: string } = {},
) => {
  vi.spyOn(Date, 'now').mockReturnValue(now);
  return serviceProblems({
    fit: fit(binding, more.fit),
    isApplied: more.isApplied ?? true,
    taskProblems: new Map(more.missing === undefined ? [] : [['shop/web', more.missing]]),
    state: (id) =>
      id === 'shop/web' && state !== undefined
        ? ({ id, port: 4000, restarts: 0, isReady: false, phase: 'running', ...state } as TaskState)
        : undefined,
  });
};

const problem = (message: string, fix: string) => [
  { key: 'task shop/web', object: 'Service shop/web', message, fix },
];

test.each<[string, Partial<TaskState> | undefined]>([
  ['of which nothing is known yet', undefined],
  ['that is ready', { isReady: true, startedMs: 0 }],
  ['that is starting', { phase: 'starting', startedMs: 0 }],
  ['that was started a moment ago', { startedMs: now - 4_999 }],
  ['that was never seen to start', {}],
  ['that ended once', { phase: 'waiting', reason: 'CrashLoopBackOff', restarts: 1 }],
])('nothing is wrong with a program %s', (_name, state) => {
  expect(problemsOf(state)).toEqual([]);
});

const told =
  'it was told to listen on PORT=4000; if it listens elsewhere, say so with port: in waygate.yaml:3';

test.each<[string, Partial<TaskState>, Binding, string, string]>([
  [
    'does not listen',
    { startedMs: now - 5_000, message: 'does not listen on port 4000' },
    start,
    'has nothing behind it: its program does not listen on port 4000',
    told,
  ],
  [
    'does not listen where it should',
    { startedMs: 0, message: 'x' },
    { ...start, port: 3 } as Binding,
    'has nothing behind it: its program x',
    'waygate.yaml:3',
  ],
  [
    'says nothing',
    { startedMs: 0 },
    start,
    'has nothing behind it: its program is not ready',
    told,
  ],
  [
    'ends again and again',
    { phase: 'waiting', reason: 'CrashLoopBackOff', restarts: 2, message: 'ended with 1' },
    start,
    'has nothing behind it: its program ended with 1',
    'waygate.yaml:3',
  ],
  [
    'is not there',
    { phase: 'waiting', reason: 'CreateContainerError', message: 'there is no nod' },
    start,
    'has nothing behind it: there is no nod',
    'waygate.yaml:3',
  ],
  [
    'cannot be run',
    { phase: 'waiting', reason: 'RunContainerError', message: 'no' },
    start,
    'has nothing behind it: no',
    'waygate.yaml:3',
  ],
  [
    'finds its port taken',
    { phase: 'waiting', reason: 'PortTaken', message: 'port 3 is taken' },
    start,
    'has nothing behind it: port 3 is taken',
    'waygate.yaml:3',
  ],
  [
    'has ended for good',
    { phase: 'ended', message: 'has ended' },
    start,
    'has nothing behind it: its program has ended',
    'waygate.yaml:3',
  ],
  [
    'is a stub without its file',
    { startedMs: 0, message: 'cannot read a.har' },
    stub,
    'has nothing behind it: cannot read a.har',
    'waygate.yaml:4',
  ],
])('what %s', (_name, state, binding, message, fix) => {
  expect(problemsOf(state, binding)).toEqual(problem(message, fix));
});

test('what it needs is missing', () => {
  expect(problemsOf({ isReady: true }, start, { missing: 'ConfigMap a is missing' })).toEqual(
    problem(
      'cannot be started: ConfigMap a is missing',
      'add it to the manifests, or make it optional',
    ),
  );
});

test.each([true, false])(
  'what does not fit comes first, once the project is applied: %s',
  (isApplied) => {
    const more = {
      bound: [],
      problems: ['there is no Service mail'],
      unbound: [service('db')],
    } as unknown as Fit;
    const unbound = {
      key: 'unbound shop/db',
      object: 'Service shop/db',
      message: 'has nothing behind it: nothing runs pods here',
      fix: 'say in waygate.yaml what stands in for it: waygate init proposes one',
    };
    const message = 'there is no Service mail';
    const unfit = { key: message, object: 'waygate.yaml', message };
    expect(problemsOf(undefined, start, { fit: more, isApplied })).toEqual(
      isApplied ? [unfit, unbound] : [unbound],
    );
  },
);
