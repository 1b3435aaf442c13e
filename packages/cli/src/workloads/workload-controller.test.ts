import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { type Kind, type KubeObject, kinds } from '@waygate/schema';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Task, TaskState } from '../processes/task.ts';
import type { Binding } from './binding.ts';
import type { Fit } from './service-bindings.ts';
import { WorkloadController } from './workload-controller.ts';

// The controller on a real API, with tasks that are what the test says.

let server: TestServer;
let client: KubeClient;
let stop: AbortController;
let running: Promise<void>;
let controller: WorkloadController;
let tasks: readonly Task[];
let states: Map<string, TaskState>;
let fit: Fit | undefined;
let problems: ReadonlyMap<string, string>;
let errors: unknown[];

const namespace = 'default';
const stub = (service: string): Binding => ({
  service,
  ports: {},
  place: '',
  kind: 'stub',
  answer: { kind: 'echo' },
});
const program = (service: string): Binding => ({
  service,
  ports: { metrics: 9 },
  place: '',
  kind: 'start',
  command: ['node'],
  directory: '.',
  env: {},
  port: 0,
  ready: { kind: 'tcp' },
  restart: 'always',
});

beforeEach(async () => {
  server = await startTestServer();
  client = new KubeClient({
    server: server.url,
    namespace,
    credentials: staticToken(server.adminToken),
  });
  stop = new AbortController();
  tasks = [];
  states = new Map();
  errors = [];
  running = Promise.resolve();
});

afterEach(async () => {
  stop.abort();
  await running;
  await client.close();
  await server.stop();
  expect(errors).toEqual([]);
});

function start(bindings: readonly Binding[], otherTasks: readonly Task[] = []): void {
  controller = new WorkloadController(
    {
      client,
      host: {
        set: (wanted) => {
          tasks = wanted;
        },
        state: (id) => states.get(id),
      },
      otherTasks,
      lastPort: (id) => (id === 'default/web' ? 4711 : undefined),
      onFit: (now, wrong) => {
        fit = now;
        problems = wrong;
      },
      onError: (error) => errors.push(error),
    },
    bindings,
  );
  running = controller.run(stop.signal);
}

function setState(id: string, more: Partial<TaskState> = {}): void {
  states.set(id, {
    id,
    revision: '',
    port: 5000,
    phase: 'running',
    isReady: true,
    startedMs: Date.UTC(2026, 0, 1),
    restarts: 0,
    ...more,
  });
  controller.changed();
}

const resource = (kind: string) =>
  client.resource((kinds as unknown as Record<string, Kind<KubeObject>>)[kind]!);
const list = async (kind: string) =>
  (await resource(kind).list({ namespace })).items as unknown as readonly Listed[];
interface Listed {
  readonly metadata: { readonly name: string; readonly uid: string; readonly annotations?: object };
  readonly status?: Record<string, unknown>;
  readonly spec?: Record<string, unknown>;
  readonly endpoints?: unknown;
  readonly ports?: unknown;
}
/** Without those that the API makes itself. */
const slices = async () =>
  (await list('EndpointSlice')).filter(({ metadata: { name } }) =>
    /-waygate-up$|^theirs$/.test(name),
  );
const create = (kind: string, object: object) => resource(kind).create(object as never);
const namesOf = async (kind: string) => (await list(kind)).map(({ metadata }) => metadata.name);
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

async function createService(name: string): Promise<void> {
  await create('Service', {
    metadata: { name, namespace },
    spec: {
      selector: { app: name },
      ports: [
        { name: 'http', port: 80 },
        { name: 'metrics', port: 81, protocol: 'TCP', appProtocol: 'http' },
      ],
    },
  });
}

async function createWorkload(kind: string, name: string, more: object = {}, env: object[] = []) {
  await create(kind, {
    metadata: { name, namespace },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: 2 }),
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'c', image: 'i:1', env }] },
      },
      ...more,
    },
  });
}

test('a Deployment that is carried has a ReplicaSet, Pods, a status and endpoints', async () => {
  await createService('web');
  await createWorkload('Deployment', 'web');
  const other = { id: 'backend x' } as Task;
  start([program('web')], [other]);
  await eventually(() =>
    expect(tasks).toEqual([
      other,
      {
        id: 'default/web',
        label: 'web',
        port: 0,
        lastPort: 4711,
        revision: expect.stringMatching(/^\S+ 0$/),
        work: {
          kind: 'start',
          command: ['node'],
          directory: '.',
          env: {},
          restart: 'always',
          ready: { kind: 'tcp' },
        },
      },
    ]),
  );
  expect(fit?.bound.map(({ service }) => service.metadata.name)).toEqual(['web']);
  expect(problems).toEqual(new Map());
  await eventually(async () => expect(await list('Pod')).toHaveLength(2));
  expect(await slices()).toEqual([]);

  setState('default/web');
  await eventually(async () => {
    const [deployment] = await list('Deployment');
    expect(deployment?.status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    expect(deployment?.status).not.toHaveProperty('unavailableReplicas');
  });
  const [replicaSet] = await list('ReplicaSet');
  expect(replicaSet?.status).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
  for (const pod of await list('Pod')) {
    expect(pod.metadata.annotations).toEqual({ 'waygate.dev/stands-for': 'default/web' });
    expect(pod.status).toMatchObject({ phase: 'Running', startTime: '2026-01-01T00:00:00Z' });
  }
  const [slice] = await slices();
  expect(slice).toMatchObject({ metadata: { name: 'web-waygate-up' } });
  expect(slice?.endpoints).toEqual([
    { addresses: ['127.0.0.1'], conditions: { ready: true, serving: true, terminating: false } },
  ]);
  expect(slice?.ports).toEqual([
    { name: 'http', port: 5000, protocol: 'TCP' },
    { name: 'metrics', port: 9, protocol: 'TCP', appProtocol: 'http' },
  ]);

  setState('default/web', { isReady: false, phase: 'waiting', reason: 'CrashLoopBackOff' });
  await eventually(async () => {
    const [deployment] = await list('Deployment');
    expect(deployment?.status?.unavailableReplicas).toBe(2);
    const [set] = await list('ReplicaSet');
    expect(set?.status?.readyReplicas ?? 0).toBe(0);
    const [down] = await slices();
    expect(down?.endpoints).toMatchObject([{ conditions: { ready: false } }]);
  });

  // Nothing stands in for it any more: one Pod says so, and nothing leads there.
  controller.setBindings([]);
  await eventually(async () => {
    expect(await slices()).toEqual([]);
    expect((await list('Pod')).map(({ metadata }) => metadata.annotations)).toEqual([
      { 'waygate.dev/stands-for': '' },
    ]);
    expect(tasks).toEqual([other]);
  });
});

test('a deleted Pod and a changed template are another revision', async () => {
  await createService('web');
  await createWorkload('Deployment', 'web');
  start([stub('web')]);
  await eventually(() => expect(tasks).toHaveLength(1));
  setState('default/web');
  await eventually(async () => expect(await list('Pod')).toHaveLength(2));
  const before = await namesOf('Pod');
  const [set] = await namesOf('ReplicaSet');
  const first = tasks[0]?.revision ?? '';
  await resource('Pod').delete(before[0]!, { namespace, gracePeriodSeconds: 0 });
  await eventually(() => expect(tasks[0]?.revision).toBe(first.replace(/ 0$/, ' 1')));
  await eventually(async () => {
    const names = await namesOf('Pod');
    expect(names).toHaveLength(2);
    expect(names.some((name) => before.includes(name))).toBe(false);
  });

  const labels = { metadata: { labels: { app: 'web', more: 'x' } } };
  await resource('Deployment').patch(
    'web',
    { spec: { template: labels } } as never,
    { namespace, type: 'merge' } as never,
  );
  await eventually(async () => {
    const names = await namesOf('ReplicaSet');
    expect(names).toHaveLength(1);
    expect(names).not.toEqual([set]);
    expect((await namesOf('Pod')).every((name) => name.startsWith(`${names[0]}-`))).toBe(true);
  });
  expect(tasks[0]?.revision).not.toMatch(new RegExp(`^${first.split(' ')[0]} `));

  await resource('Deployment').patch(
    'web',
    { spec: { replicas: 0 } } as never,
    { namespace, type: 'merge' } as never,
  );
  await eventually(async () => {
    expect(tasks).toEqual([]);
    expect(await list('Pod')).toEqual([]);
  });
});

test('what nothing stands in for says so, and what others run is left to them', async () => {
  await createWorkload('StatefulSet', 'data');
  await createWorkload('DaemonSet', 'logs');
  await createWorkload('StatefulSet', 'foreign');
  const [foreign] = (await list('StatefulSet')).filter(
    ({ metadata: { name } }) => name === 'foreign',
  );
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'foreign' };
  await create('Pod', {
    metadata: {
      name: 'theirs',
      namespace,
      ownerReferences: [{ ...owner, uid: foreign?.metadata.uid }],
    },
    spec: { containers: [{ name: 'c', image: 'i:1' }] },
  });
  start([]);
  await eventually(async () => {
    const names = await namesOf('Pod');
    expect(names).toEqual(['data-0', expect.stringMatching(/^logs-/), 'theirs']);
  });
  await eventually(async () => {
    const sets = await list('StatefulSet');
    expect(sets.map(({ metadata, status }) => [metadata.name, status?.replicas ?? 0])).toEqual([
      ['data', 1],
      ['foreign', 0],
    ]);
    const pods = await list('Pod');
    expect(pods[0]?.status).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
    });
  });
  expect(await list('ReplicaSet')).toEqual([]);
});

test('a program waits for the ConfigMap that it needs, and has it then', async () => {
  await createService('web');
  await createWorkload('Deployment', 'web', {}, [
    { name: 'GREETING', valueFrom: { configMapKeyRef: { name: 'words', key: 'hello' } } },
    { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } },
  ]);
  start([program('web')]);
  await eventually(() => expect([...problems.keys()]).toEqual(['default/web']));
  expect(problems.get('default/web')).toContain('words');
  expect(tasks).toEqual([]);
  await create('ConfigMap', { metadata: { name: 'words', namespace }, data: { hello: 'hi' } });
  await eventually(() => expect(problems.get('default/web')).toContain('keys'));
  const k = Buffer.from('s3').toString('base64');
  await create('Secret', { metadata: { name: 'keys', namespace }, data: { k } });
  await eventually(() =>
    expect(tasks.map(({ work }) => 'env' in work && work.env)).toEqual([
      { GREETING: 'hi', KEY: 's3' },
    ]),
  );
});

test('a Service without a workload is not waited for for long', async () => {
  await createService('alone');
  start([stub('alone')]);
  await eventually(() => expect(tasks.map(({ id }) => id)).toEqual(['default/alone']));
  expect(tasks[0]?.revision).toBe(' 0');
});

test('endpoints that an earlier run has left behind go', async () => {
  await createService('web');
  await create('EndpointSlice', {
    metadata: {
      name: 'old-waygate-up',
      namespace,
      labels: { 'endpointslice.kubernetes.io/managed-by': 'waygate-up' },
    },
    addressType: 'IPv4',
    endpoints: [],
    ports: [],
  });
  await create('EndpointSlice', {
    metadata: { name: 'theirs', namespace },
    addressType: 'IPv4',
    endpoints: [],
    ports: [],
  });
  start([stub('web')]);
  states.set('default/web', {
    id: 'default/web',
    revision: '',
    port: 5000,
    phase: 'running',
    isReady: true,
    restarts: 0,
  });
  await eventually(async () =>
    expect((await slices()).map(({ metadata }) => metadata.name)).toEqual([
      'theirs',
      'web-waygate-up',
    ]),
  );
});
