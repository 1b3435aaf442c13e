import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AccessRule,
  type AccessWorld,
  type Actor,
  startAccessWorld,
} from '../testing/access-world.ts';

let world: AccessWorld;
let namespace: string;

beforeAll(async () => {
  world = await startAccessWorld();
  namespace = await world.namespace();
});

afterAll(() => world.stop());

const on = (resource: string, verbs: readonly string[], group = ''): AccessRule => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
});

const mediaType = (type: string) => ({ 'Content-Type': `application/${type}` });
const configMaps = () => `/api/v1/namespaces/${namespace}/configmaps`;
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

test('an apply that creates needs "create" beside "patch"', async () => {
  const apply = (who: Actor, name: string, query = '') =>
    who.ask(
      'PATCH',
      `${configMaps()}/${name}?fieldManager=t${query}`,
      configMap(name),
      mediaType('apply-patch+yaml'),
    );
  const patcher = await world.user([on('configmaps', ['patch'])], namespace);
  const name = world.fresh('new');
  for (const query of ['', '&dryRun=All']) {
    const verdict = await apply(patcher, name, query);
    expect(verdict.message).toBe(
      `configmaps "${name}" is forbidden: User "${patcher.name}" cannot create resource "configmaps" in API group "" in the namespace "${namespace}"`,
    );
    expect(verdict.code).toBe(403);
    expect(verdict.body).toMatchObject({ details: { name, kind: 'configmaps' } });
  }
  const both = await world.user([on('configmaps', ['patch', 'create'])], namespace);
  expect((await apply(both, name)).code).toBe(201);
  expect((await apply(patcher, name)).code).toBe(200);
  const named = world.fresh('named');
  const forName = await world.user(
    [on('configmaps', ['patch']), { ...on('configmaps', ['create']), resourceNames: [named] }],
    namespace,
  );
  expect((await apply(forName, named)).code).toBe(201);
  expect((await forName.ask('POST', configMaps(), configMap(named))).code).toBe(403);
});

test('an object that would not be valid is refused for that first', async () => {
  const patcher = await world.user([on('configmaps', ['patch'])], namespace);
  const verdict = await patcher.ask(
    'PATCH',
    `${configMaps()}/Upper?fieldManager=t`,
    configMap('Upper'),
    mediaType('apply-patch+yaml'),
  );
  expect(verdict.code).toBe(422);
});

test.each([
  ['leases', 'coordination.k8s.io', 'Lease', {}],
  ['roles', 'rbac.authorization.k8s.io', 'Role', { rules: [] }],
])(
  'a PUT that creates one of %s needs "create" beside "update"',
  async (plural, group, kind, rest) => {
    const place = `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
    const name = world.fresh('put');
    const object = { apiVersion: `${group}/v1`, kind, metadata: { name }, ...rest };
    const updater = await world.user([on(plural, ['update'], group)], namespace);
    const verdict = await updater.ask('PUT', `${place}/${name}`, object);
    expect(verdict.message).toBe(
      `${plural}.${group} "${name}" is forbidden: User "${updater.name}" cannot create resource "${plural}" in API group "${group}" in the namespace "${namespace}"`,
    );
    expect(verdict.code).toBe(403);
    const both = await world.user([on(plural, ['update', 'create'], group)], namespace);
    expect((await both.ask('PUT', `${place}/${name}`, object)).code).toBe(201);
  },
);

test('no other patch creates', async () => {
  const who = await world.user([on('configmaps', ['patch', 'create', 'update'])], namespace);
  for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json']) {
    const body = type.startsWith('json') ? [] : {};
    expect((await who.ask('PATCH', `${configMaps()}/none`, body, mediaType(type))).code).toBe(404);
  }
  expect((await who.ask('PUT', `${configMaps()}/none`, configMap('none'))).code).toBe(404);
});

test.each<[string, string, string, (who: Actor) => Promise<{ code: number; message: string }>]>([
  ['create', 'configmaps', 'create', (who) => who.ask('POST', configMaps(), configMap('x'))],
  [
    'update',
    'configmaps',
    'update',
    (who) => who.ask('PUT', `${configMaps()}/seed`, configMap('seed')),
  ],
  ...['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'].map(
    (type) =>
      [
        type,
        'configmaps',
        'patch',
        (who: Actor) =>
          who.ask(
            'PATCH',
            `${configMaps()}/seed?fieldManager=t`,
            configMap('seed'),
            mediaType(type),
          ),
      ] as [string, string, string, (who: Actor) => Promise<{ code: number; message: string }>],
  ),
  [
    'json-patch+json',
    'configmaps',
    'patch',
    (who) => who.ask('PATCH', `${configMaps()}/seed`, [], mediaType('json-patch+json')),
  ],
  ['delete', 'configmaps', 'delete', (who) => who.ask('DELETE', `${configMaps()}/seed`)],
  ['deletecollection', 'configmaps', 'deletecollection', (who) => who.ask('DELETE', configMaps())],
  ['get', 'configmaps', 'get', (who) => who.ask('GET', `${configMaps()}/seed`)],
  ['list', 'configmaps', 'list', (who) => who.ask('GET', configMaps())],
  [
    'watch',
    'configmaps',
    'watch',
    (who) => who.ask('GET', `${configMaps()}?watch=true&timeoutSeconds=1`),
  ],
  [
    'the old watch path',
    'configmaps',
    'watch',
    (who) => who.ask('GET', `/api/v1/watch/namespaces/${namespace}/configmaps?timeoutSeconds=1`),
  ],
  [
    'eviction',
    'pods/eviction',
    'create',
    (who) =>
      who.ask('POST', `/api/v1/namespaces/${namespace}/pods/seed/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'seed' },
      }),
  ],
  [
    'binding',
    'pods/binding',
    'create',
    (who) =>
      who.ask('POST', `/api/v1/namespaces/${namespace}/pods/seed/binding`, {
        metadata: { name: 'seed' },
        target: { name: 'n' },
      }),
  ],
  [
    'token',
    'serviceaccounts/token',
    'create',
    (who) => who.ask('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/seed/token`, {}),
  ],
  [
    'scale',
    'replicationcontrollers/scale',
    'update',
    (who) =>
      who.ask('PUT', `/api/v1/namespaces/${namespace}/replicationcontrollers/seed/scale`, {
        metadata: { name: 'seed' },
        spec: { replicas: 3 },
      }),
  ],
  [
    'status',
    'resourcequotas/status',
    'patch',
    (who) =>
      who.ask(
        'PATCH',
        `/api/v1/namespaces/${namespace}/resourcequotas/seed/status`,
        {},
        mediaType('merge-patch+json'),
      ),
  ],
  [
    'finalize',
    'namespaces/finalize',
    'update',
    (who) =>
      who.ask('PUT', `/api/v1/namespaces/${namespace}/finalize`, {
        metadata: { name: namespace },
        spec: { finalizers: ['kubernetes'] },
      }),
  ],
  [
    'exec',
    'pods/exec',
    'create',
    (who) => who.ask('POST', `/api/v1/namespaces/${namespace}/pods/seed/exec?command=a`),
  ],
])('%s wants exactly its own right', async (_title, resource, verb, send) => {
  await world.admin.ask('POST', configMaps(), configMap('seed'));
  const [plural = ''] = resource.split('/');
  const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
  const others = await world.user(
    [
      on(
        resource,
        all.filter((each) => each !== verb),
      ),
      // The resource without the subresource, another subresource, and another namespace's right.
      ...(resource === plural
        ? [on(`${plural}/status`, ['*'])]
        : [on(plural, ['*']), on(`${plural}/other`, ['*'])]),
    ],
    namespace,
  );
  const refused = await send(others);
  expect(refused.code).toBe(403);
  expect(refused.message).toContain(
    `User "${others.name}" cannot ${verb} resource "${resource}" in API group "" in the namespace "${namespace}"`,
  );
  const allowed = await send(await world.user([on(resource, [verb])], namespace));
  expect(allowed.code).not.toBe(403);
});

test('a WebSocket to a pod opens with GET and needs "create" beside "get"', async () => {
  const getter = await world.user(
    [on('pods/exec', ['get']), on('pods/attach', ['get'])],
    namespace,
  );
  for (const subresource of ['exec', 'attach']) {
    const path = `/api/v1/namespaces/${namespace}/pods/none/${subresource}?command=sh`;
    const verdict = await getter.ask('GET', path);
    expect(verdict.code).toBe(403);
    expect(verdict.message).toBe('pods "none" is forbidden: ');
  }
});

test('scale changes the replicas and nothing else', async () => {
  const place = `/api/v1/namespaces/${namespace}/replicationcontrollers`;
  const name = world.fresh('rc');
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  await world.admin.ask('POST', place, { metadata: { name }, spec: { replicas: 1, template } });
  const scaler = await world.user(
    [on('replicationcontrollers/scale', ['update', 'patch'])],
    namespace,
  );
  await scaler.ask('PUT', `${place}/${name}/scale`, {
    metadata: { name, labels: { evil: 'yes' }, annotations: { evil: 'yes' } },
    spec: { replicas: 2, template: { spec: { serviceAccountName: 'admin' } } },
  });
  await scaler.ask(
    'PATCH',
    `${place}/${name}/scale`,
    { metadata: { labels: { evil: 'yes' } }, spec: { replicas: 3, selector: { x: 'y' } } },
    mediaType('merge-patch+json'),
  );
  const { body } = await world.admin.ask('GET', `${place}/${name}`);
  expect(body).toMatchObject({ spec: { replicas: 3, selector: { a: 'b' }, template } });
  expect(JSON.stringify(body.spec)).not.toMatch(/admin|evil/);
  expect(
    JSON.stringify((body as { metadata: { labels?: object } }).metadata.labels ?? {}),
  ).not.toContain('evil');
});

test('owner references may block a deletion without a right on the owner', async () => {
  const who = await world.user([on('configmaps', ['create'])], namespace);
  const owner = {
    apiVersion: 'v1',
    kind: 'Secret',
    name: 'o',
    uid: 'u-1',
    blockOwnerDeletion: true,
  };
  const name = world.fresh('owned');
  const object = { ...configMap(name), metadata: { name, ownerReferences: [owner] } };
  expect((await who.ask('POST', configMaps(), object)).code).toBe(201);
});
