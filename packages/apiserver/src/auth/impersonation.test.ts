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

const authentication = 'authentication.k8s.io';
const core = (resource: string, names?: string[], verb = 'impersonate'): AccessRule => ({
  apiGroups: [''],
  resources: [resource],
  verbs: [verb],
  ...(names === undefined ? {} : { resourceNames: names }),
});
const own = (resource: string, names?: string[], verb = 'impersonate'): AccessRule => ({
  ...core(resource, names, verb),
  apiGroups: [authentication],
});

/** A service account with rights, as whoever holds a token of it. */
async function bearer(rules: readonly AccessRule[]): Promise<Actor> {
  const name = world.fresh('sa');
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await world.admin.ask('POST', accounts, { metadata: { name } });
  const { body } = await world.admin.ask('POST', `${accounts}/${name}/token`, {});
  const user = `system:serviceaccount:${namespace}:${name}`;
  const group = 'rbac.authorization.k8s.io';
  const holder = world.holder((body as { status: { token: string } }).status.token, user);
  if (rules.length === 0) return holder;
  await world.admin.ask('POST', `/apis/${group}/v1/clusterroles`, { metadata: { name }, rules });
  await world.admin.ask('POST', `/apis/${group}/v1/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
  });
  await expect
    .poll(async () => {
      const review = { spec: { namespace: 'default' } };
      const { body } = await holder.ask(
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        review,
      );
      return JSON.stringify(body);
    })
    .toContain(JSON.stringify(rules[0]?.resources));
  return holder;
}

const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** What the headers make of the holder of rights: a user, or a refusal. */
const rows: readonly (readonly [
  string,
  readonly AccessRule[],
  Record<string, string>,
  object | string,
])[] = [
  ['nothing wanted', [], {}, {}],
  [
    'a user',
    [core('users')],
    { 'Impersonate-User': 'jane' },
    { username: 'jane', groups: ['system:authenticated'] },
  ],
  [
    'a user by name',
    [core('users', ['jane'])],
    { 'Impersonate-User': 'jane' },
    { username: 'jane' },
  ],
  ['another user than named', [core('users', ['jane'])], { 'Impersonate-User': 'joe' }, '403'],
  ['a user without a right', [], { 'Impersonate-User': 'jane' }, '403'],
  ['a right on groups is none on users', [core('groups')], { 'Impersonate-User': 'jane' }, '403'],
  ['a user of the wrong group of the API', [own('users')], { 'Impersonate-User': 'jane' }, '403'],
  [
    'a group',
    [core('users'), core('groups')],
    { 'Impersonate-User': 'jane', 'Impersonate-Group': 'devs' },
    { groups: ['devs', 'system:authenticated'] },
  ],
  [
    'a group without a right',
    [core('users')],
    { 'Impersonate-User': 'jane', 'Impersonate-Group': 'devs' },
    '403',
  ],
  [
    'the masters by a right on another group',
    [core('users'), core('groups', ['devs'])],
    { 'Impersonate-User': 'jane', 'Impersonate-Group': 'system:masters' },
    '403',
  ],
  [
    'the masters by a right on all',
    [core('users'), core('groups')],
    { 'Impersonate-User': 'jane', 'Impersonate-Group': 'system:masters' },
    { groups: ['system:masters', 'system:authenticated'] },
  ],
  [
    'a uid',
    [core('users'), own('uids')],
    { 'Impersonate-User': 'jane', 'Impersonate-Uid': 'u-1' },
    { uid: 'u-1' },
  ],
  [
    'a uid without a right',
    [core('users')],
    { 'Impersonate-User': 'jane', 'Impersonate-Uid': 'u-1' },
    '403',
  ],
  [
    'a uid of another name',
    [core('users'), own('uids', ['u-2'])],
    { 'Impersonate-User': 'jane', 'Impersonate-Uid': 'u-1' },
    '403',
  ],
  [
    'an extra',
    [core('users'), own('userextras/scopes')],
    { 'Impersonate-User': 'jane', 'Impersonate-Extra-Scopes': 'view' },
    { extra: { scopes: ['view'] } },
  ],
  [
    'an extra with a written-out key',
    [core('users'), own('userextras/example.com/team')],
    { 'Impersonate-User': 'jane', 'Impersonate-Extra-Example.com%2fteam': 'a' },
    { extra: { 'example.com/team': ['a'] } },
  ],
  [
    'an extra of another key',
    [core('users'), own('userextras/other')],
    { 'Impersonate-User': 'jane', 'Impersonate-Extra-Scopes': 'view' },
    '403',
  ],
  [
    'an extra of another value',
    [core('users'), own('userextras/scopes', ['edit'])],
    { 'Impersonate-User': 'jane', 'Impersonate-Extra-Scopes': 'view' },
    '403',
  ],
  [
    'a service account',
    [core('serviceaccounts')],
    { 'Impersonate-User': 'system:serviceaccount:a:b' },
    {
      username: 'system:serviceaccount:a:b',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
    },
  ],
  [
    'a service account by a right on users',
    [core('users')],
    { 'Impersonate-User': 'system:serviceaccount:a:b' },
    '403',
  ],
  [
    'a service account in other groups',
    [core('serviceaccounts')],
    { 'Impersonate-User': 'system:serviceaccount:a:b', 'Impersonate-Group': 'x' },
    '403',
  ],
  [
    'what only looks like a service account',
    [core('serviceaccounts')],
    { 'Impersonate-User': 'system:serviceaccount:a:b:c' },
    '403',
  ],
  ['nobody', [core('users')], { 'Impersonate-User': 'system:anonymous' }, '403'],
  ['a group without a user', [core('groups')], { 'Impersonate-Group': 'devs' }, '400'],
  ['a uid without a user', [own('uids')], { 'Impersonate-Uid': 'u' }, '400'],
  // The constrained ways: one right for the person, one for what is done.
  [
    'a user for this alone',
    [
      own('users', undefined, 'impersonate:user-info'),
      own('selfsubjectreviews', undefined, 'impersonate-on:user-info:create'),
    ],
    { 'Impersonate-User': 'jane' },
    { username: 'jane' },
  ],
  [
    'a user, but not for this',
    [own('users', undefined, 'impersonate:user-info')],
    { 'Impersonate-User': 'jane' },
    '403',
  ],
  [
    'this, but not the user',
    [own('selfsubjectreviews', undefined, 'impersonate-on:user-info:create')],
    { 'Impersonate-User': 'jane' },
    '403',
  ],
  [
    'the masters for this alone',
    [
      own('users', undefined, 'impersonate:user-info'),
      own('groups', undefined, 'impersonate:user-info'),
      own('selfsubjectreviews', undefined, 'impersonate-on:user-info:create'),
    ],
    { 'Impersonate-User': 'jane', 'Impersonate-Group': 'system:masters' },
    '403',
  ],
  [
    'a service account for this alone',
    [
      own('serviceaccounts', undefined, 'impersonate:serviceaccount'),
      own('selfsubjectreviews', undefined, 'impersonate-on:serviceaccount:create'),
    ],
    { 'Impersonate-User': 'system:serviceaccount:a:b' },
    { username: 'system:serviceaccount:a:b' },
  ],
  [
    'a node for this alone',
    [
      own('nodes', ['n1'], 'impersonate:arbitrary-node'),
      own('selfsubjectreviews', undefined, 'impersonate-on:arbitrary-node:create'),
    ],
    { 'Impersonate-User': 'system:node:n1' },
    { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
  ],
  [
    'another node',
    [
      own('nodes', ['n1'], 'impersonate:arbitrary-node'),
      own('selfsubjectreviews', undefined, 'impersonate-on:arbitrary-node:create'),
    ],
    { 'Impersonate-User': 'system:node:n2' },
    '403',
  ],
  [
    'a node as a user for this',
    [
      own('users', undefined, 'impersonate:user-info'),
      own('selfsubjectreviews', undefined, 'impersonate-on:user-info:create'),
    ],
    { 'Impersonate-User': 'system:node:n1' },
    '403',
  ],
];

test.each(rows)('%s', async (_title, rules, headers, wanted) => {
  const who = await bearer(rules);
  const { code, body, message } = await who.ask('POST', whoAmI, {}, headers);
  if (typeof wanted === 'string') {
    expect(`${code}: ${message}`).toMatch(new RegExp(`^${wanted}: `));
    return;
  }
  expect(message).toBe('');
  expect((body as { status: { userInfo: object } }).status.userInfo).toMatchObject(wanted);
});

test('a refusal speaks of the narrowest way', async () => {
  const who = await bearer([]);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const asked = async (user: string) =>
    (await who.ask('GET', path, undefined, { 'Impersonate-User': user })).message;
  for (const [user, mode] of [
    ['jane', 'user-info'],
    ['system:serviceaccount:a:b', 'serviceaccount'],
    ['system:node:n', 'arbitrary-node'],
  ] as const) {
    expect(await asked(user)).toBe(
      `configmaps is forbidden: User "${who.name}" cannot impersonate-on:${mode}:list resource "configmaps" in API group "" in the namespace "${namespace}"`,
    );
  }
});

test('the acting user has the rights of who they act as, and not their own', async () => {
  const who = await bearer([
    core('users'),
    { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] },
  ]);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  expect((await who.ask('GET', path)).code).toBe(200);
  const acting = await who.ask('GET', path, undefined, { 'Impersonate-User': 'jane' });
  expect(acting.message).toContain('User "jane" cannot list resource "configmaps"');
});

test('nobody without credentials acts as anybody', async () => {
  const nobody = world.holder(undefined);
  const { code } = await nobody.ask('GET', '/version', undefined, { 'Impersonate-User': 'admin' });
  expect(code).toBe(403);
});
