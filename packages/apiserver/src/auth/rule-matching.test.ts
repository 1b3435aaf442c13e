import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessRule, type AccessWorld, startAccessWorld } from '../testing/access-world.ts';

let world: AccessWorld;
let namespace: string;

beforeAll(async () => {
  world = await startAccessWorld();
  namespace = await world.namespace();
  for (const name of ['a', 'b']) {
    await world.admin.ask('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name },
    });
  }
});

afterAll(() => world.stop());

const rule = (
  resources: string[],
  verbs: string[],
  rest: Partial<AccessRule> = {},
): AccessRule => ({
  apiGroups: [''],
  resources,
  verbs,
  ...rest,
});

/** The rule, the request, and whether it passes. `NS` is the namespace. */
const rows: readonly (readonly [string, AccessRule, string, string, boolean])[] = [
  ['its verb', rule(['configmaps'], ['get']), 'GET', '/api/v1/namespaces/NS/configmaps/a', true],
  [
    'another verb',
    rule(['configmaps'], ['list']),
    'GET',
    '/api/v1/namespaces/NS/configmaps/a',
    false,
  ],
  ['every verb', rule(['configmaps'], ['*']), 'GET', '/api/v1/namespaces/NS/configmaps/a', true],
  ['every resource', rule(['*'], ['get']), 'GET', '/api/v1/namespaces/NS/configmaps/a', true],
  [
    'every resource, and so every subresource',
    rule(['*'], ['get']),
    'GET',
    '/api/v1/namespaces/NS/pods/x/log',
    true,
  ],
  [
    'every group is not wanted for the core one',
    rule(['configmaps'], ['get'], { apiGroups: ['*'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps/a',
    true,
  ],
  [
    'another group',
    rule(['configmaps'], ['get'], { apiGroups: ['apps'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps/a',
    false,
  ],
  [
    'a resource is not its subresource',
    rule(['pods'], ['*']),
    'GET',
    '/api/v1/namespaces/NS/pods/x/log',
    false,
  ],
  [
    'a subresource is not its resource',
    rule(['pods/log'], ['*']),
    'GET',
    '/api/v1/namespaces/NS/pods/x',
    false,
  ],
  [
    'pods/* is no pattern',
    rule(['pods/*'], ['*']),
    'GET',
    '/api/v1/namespaces/NS/pods/x/log',
    false,
  ],
  ['*/log is one', rule(['*/log'], ['*']), 'GET', '/api/v1/namespaces/NS/pods/x/log', true],
  [
    '*/scale of a group',
    rule(['*/scale'], ['get'], { apiGroups: ['apps'] }),
    'GET',
    '/apis/apps/v1/namespaces/NS/deployments/x/scale',
    true,
  ],
  [
    '*/scale is not */status',
    rule(['*/scale'], ['*'], { apiGroups: ['*'] }),
    'GET',
    '/apis/apps/v1/namespaces/NS/deployments/x/status',
    false,
  ],
  [
    'its name',
    rule(['configmaps'], ['get'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps/a',
    true,
  ],
  [
    'another name',
    rule(['configmaps'], ['get'], { resourceNames: ['b'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps/a',
    false,
  ],
  [
    'a list of all with names',
    rule(['configmaps'], ['list'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps',
    false,
  ],
  [
    'a list of one by field',
    rule(['configmaps'], ['list'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps?fieldSelector=metadata.name%3Da',
    true,
  ],
  [
    'a list of one by field, ==',
    rule(['configmaps'], ['list'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps?fieldSelector=metadata.name%3D%3Da',
    true,
  ],
  [
    'a list of one by field and more',
    rule(['configmaps'], ['list'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps?fieldSelector=metadata.namespace%3DNS,metadata.name%3Da',
    true,
  ],
  [
    'a list of another by field',
    rule(['configmaps'], ['list'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps?fieldSelector=metadata.name%3Db',
    false,
  ],
  [
    'a list of all but one by field',
    rule(['configmaps'], ['list'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps?fieldSelector=metadata.name!%3Da',
    false,
  ],
  [
    'a list whose second selector is for show',
    rule(['configmaps'], ['list'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps?fieldSelector=metadata.name%3Db&fieldSelector=metadata.name%3Da',
    false,
  ],
  [
    'a watch of one by field',
    rule(['configmaps'], ['watch'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da',
    true,
  ],
  [
    'a watch of all with names',
    rule(['configmaps'], ['watch'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/namespaces/NS/configmaps?watch=1&timeoutSeconds=1',
    false,
  ],
  [
    'a watch of one by the old path',
    rule(['configmaps'], ['watch'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/watch/namespaces/NS/configmaps/a?timeoutSeconds=1',
    true,
  ],
  [
    'a watch by the old path with a selector',
    rule(['configmaps'], ['watch'], { resourceNames: ['a'] }),
    'GET',
    '/api/v1/watch/namespaces/NS/configmaps?timeoutSeconds=1&fieldSelector=metadata.name%3Da',
    false,
  ],
  [
    'a deletion of a collection by field',
    rule(['configmaps'], ['deletecollection'], { resourceNames: ['a'] }),
    'DELETE',
    '/api/v1/namespaces/NS/configmaps?dryRun=All&fieldSelector=metadata.name%3Da',
    false,
  ],
  [
    'a creation with names',
    rule(['configmaps'], ['create'], { resourceNames: ['c'] }),
    'POST',
    '/api/v1/namespaces/NS/configmaps?dryRun=All',
    false,
  ],
  [
    'a list of all namespaces by a right for them',
    rule(['configmaps'], ['list']),
    'GET',
    '/api/v1/configmaps',
    true,
  ],
  [
    'HEAD is a get',
    rule(['configmaps'], ['list']),
    'HEAD',
    '/api/v1/namespaces/NS/configmaps/a',
    false,
  ],
  ['a namespace itself', rule(['namespaces'], ['get']), 'GET', '/api/v1/namespaces/NS', true],
  ['its path', { nonResourceURLs: ['/metrics'], verbs: ['get'] }, 'GET', '/metrics', true],
  [
    'below its path',
    { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    'GET',
    '/metrics/slis',
    false,
  ],
  [
    'a path and below',
    { nonResourceURLs: ['/metrics/*'], verbs: ['get'] },
    'GET',
    '/metrics/slis',
    true,
  ],
  [
    'a path and below is not the path',
    { nonResourceURLs: ['/metrics/*'], verbs: ['get'] },
    'GET',
    '/metrics',
    false,
  ],
  [
    'another verb of a path',
    { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    'POST',
    '/metrics',
    false,
  ],
  ['every path', { nonResourceURLs: ['*'], verbs: ['*'] }, 'POST', '/nowhere', true],
  [
    'every path is no resource',
    { nonResourceURLs: ['*'], verbs: ['*'] },
    'GET',
    '/api/v1/namespaces/NS/configmaps/a',
    false,
  ],
  ['every resource is no path', rule(['*'], ['*'], { apiGroups: ['*'] }), 'GET', '/metrics', false],
];

test.each(rows)('%s', async (_title, held, method, path, isAllowed) => {
  const who = await world.user([held]);
  const body =
    method === 'POST' && path.startsWith('/api') ? { metadata: { name: 'c' } } : undefined;
  const { code } = await who.ask(method, path.replaceAll('NS', namespace), body);
  expect(code === 403).toBe(!isAllowed);
});

describe('rights of a namespace', () => {
  test('hold in it, for itself, and nowhere else', async () => {
    const other = await world.namespace();
    const who = await world.user([rule(['configmaps', 'namespaces'], ['get', 'list'])], namespace);
    const code = async (path: string) => (await who.ask('GET', path)).code;
    expect(await code(`/api/v1/namespaces/${namespace}/configmaps`)).toBe(200);
    expect(await code(`/api/v1/namespaces/${namespace}`)).toBe(200);
    expect(await code(`/api/v1/namespaces/${other}/configmaps`)).toBe(403);
    expect(await code('/api/v1/configmaps')).toBe(403);
    expect(await code('/api/v1/namespaces')).toBe(403);
    const refused = await who.ask('GET', `/api/v1/namespaces/${other}`);
    expect(refused.message).toBe(
      `namespaces "${other}" is forbidden: User "${who.name}" cannot get resource "namespaces" in API group "" in the namespace "${other}"`,
    );
  });

  test('a list of one by name is named in the refusal', async () => {
    const who = await world.user();
    const path = `/api/v1/namespaces/${namespace}/configmaps?fieldSelector=metadata.name%3Da`;
    const { message, body } = await who.ask('GET', path);
    expect(message).toBe(
      `configmaps "a" is forbidden: User "${who.name}" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
    );
    expect(body).toMatchObject({ details: { name: 'a', kind: 'configmaps' } });
  });

  test('a selection of two names shows neither', async () => {
    const who = await world.user([rule(['configmaps'], ['list'], { resourceNames: ['a'] })]);
    const path = `/api/v1/namespaces/${namespace}/configmaps?fieldSelector=metadata.name%3Da,metadata.name%3Db`;
    const { code, body } = await who.ask('GET', path);
    expect(code).toBe(200);
    expect(body.items).toEqual([]);
  });
});

test('a binding to a role that is gone is named in the refusal', async () => {
  const who = await world.user([rule(['configmaps'], ['list'])]);
  const name = world.fresh('lost');
  const group = 'rbac.authorization.k8s.io';
  await world.admin.ask('POST', `/apis/${group}/v1/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: group, kind: 'User', name: who.name }],
  });
  await expect
    .poll(async () => (await who.ask('GET', '/api/v1/secrets')).message)
    .toBe(
      `secrets is forbidden: User "${who.name}" cannot list resource "secrets" in API group "" at the cluster scope: RBAC: clusterrole.${group} "${name}" not found`,
    );
  const review = await who.ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    spec: { namespace },
  });
  expect(review.body.status).toMatchObject({
    incomplete: false,
    evaluationError: `clusterrole.${group} "${name}" not found`,
  });
});

test('what a stranger is called is not passed on as markup', async () => {
  const { message } = await world.admin.ask('GET', '/api/v1/secrets', undefined, {
    'Impersonate-User': '<script>&',
  });
  expect(message).toContain('User "&lt;script&gt;&amp;" cannot list');
});

test('loss of a right holds for the next request', async () => {
  const who = await world.user([rule(['configmaps'], ['list', 'watch'])]);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  expect((await who.ask('GET', path)).code).toBe(200);
  const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  await world.admin.ask('DELETE', `${bindings}/${who.name}`);
  await expect.poll(async () => (await who.ask('GET', path)).code).toBe(403);
  expect((await who.ask('GET', `${path}?watch=1`)).code).toBe(403);
});
