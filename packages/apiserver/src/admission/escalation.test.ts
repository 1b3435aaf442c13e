import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AccessRule,
  type AccessWorld,
  type Actor,
  startAccessWorld,
  type Verdict,
} from '../testing/access-world.ts';

const group = 'rbac.authorization.k8s.io';
const base = `/apis/${group}/v1`;
const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const configMaps = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
/** All that one can do with roles and bindings, without the right to give more than one has. */
const manager: AccessRule = {
  apiGroups: [group],
  resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
};
const escalate = { ...manager, verbs: ['escalate'] };
const bind = { ...manager, verbs: ['bind'] };
const everything = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

let world: AccessWorld;
let namespace: string;
/** A ClusterRole that reads Secrets, and a Role that does. */
let reader: string;

beforeAll(async () => {
  world = await startAccessWorld();
  namespace = await world.namespace();
  reader = world.fresh('reader');
  const metadata = { name: reader };
  await world.admin.ask('POST', `${base}/clusterroles`, { metadata, rules: [secrets] });
  await world.admin.ask('POST', `${base}/namespaces/${namespace}/roles`, {
    metadata,
    rules: [secrets],
  });
});

afterAll(() => world.stop());

type Plural = 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings';
const kinds: Readonly<Record<Plural, string>> = {
  roles: 'Role',
  clusterroles: 'ClusterRole',
  rolebindings: 'RoleBinding',
  clusterrolebindings: 'ClusterRoleBinding',
};
const plurals = Object.keys(kinds) as Plural[];
const isRole = (plural: Plural) => plural.endsWith('roles');

function collection(plural: Plural): string {
  return plural.startsWith('cluster')
    ? `${base}/${plural}`
    : `${base}/namespaces/${namespace}/${plural}`;
}

/** An object that gives the right to read Secrets to `to`. */
function giver(plural: Plural, name: string, to: string): Record<string, unknown> {
  const shared = { apiVersion: `${group}/v1`, kind: kinds[plural], metadata: { name } };
  if (isRole(plural)) return { ...shared, rules: [secrets] };
  const kind = plural === 'rolebindings' ? 'Role' : 'ClusterRole';
  return {
    ...shared,
    roleRef: { apiGroup: group, kind, name: reader },
    subjects: [{ apiGroup: group, kind: 'User', name: to }],
  };
}

/** The same object before anybody tampered with it: a role that gives nothing, a binding to nobody. */
function harmless(plural: Plural, name: string): Record<string, unknown> {
  const object = giver(plural, name, '');
  return isRole(plural) ? { ...object, rules: [] } : { ...object, subjects: [] };
}

function part(object: Record<string, unknown>): Record<string, unknown> {
  return 'rules' in object ? { rules: object.rules } : { subjects: object.subjects };
}

/** Every way to write an object: on one that is there, or on none. */
const paths: Readonly<
  Record<
    string,
    {
      readonly isNew: boolean;
      send(
        who: Actor,
        place: string,
        object: Record<string, unknown>,
        name: string,
      ): Promise<Verdict>;
    }
  >
> = {
  create: { isNew: true, send: (who, place, object) => who.ask('POST', place, object) },
  'create, dry run': {
    isNew: true,
    send: (who, place, object) => who.ask('POST', `${place}?dryRun=All`, object),
  },
  'update of none': {
    isNew: true,
    send: (who, place, object, name) => who.ask('PUT', `${place}/${name}`, object),
  },
  'apply of none': {
    isNew: true,
    send: (who, place, object, name) => patch(who, `${place}/${name}`, 'apply-patch+yaml', object),
  },
  update: {
    isNew: false,
    send: (who, place, object, name) => who.ask('PUT', `${place}/${name}`, object),
  },
  'merge patch': {
    isNew: false,
    send: (who, place, object, name) =>
      patch(who, `${place}/${name}`, 'merge-patch+json', part(object)),
  },
  'strategic merge patch': {
    isNew: false,
    send: (who, place, object, name) =>
      patch(who, `${place}/${name}`, 'strategic-merge-patch+json', part(object)),
  },
  'JSON patch': {
    isNew: false,
    send: (who, place, object, name) => {
      const [[key, value]] = Object.entries(part(object)) as [[string, unknown]];
      const operations = [{ op: 'add', path: `/${key}`, value }];
      return patch(who, `${place}/${name}`, 'json-patch+json', operations);
    },
  },
  apply: {
    isNew: false,
    send: (who, place, object, name) => patch(who, `${place}/${name}`, 'apply-patch+yaml', object),
  },
};

function patch(who: Actor, path: string, type: string, body: unknown): Promise<Verdict> {
  const query = type.startsWith('apply') ? '?fieldManager=test&force=true' : '';
  return who.ask('PATCH', `${path}${query}`, body, { 'Content-Type': `application/${type}` });
}

function refusalText(user: string, rights: string): string {
  return `user "${user}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${rights}`;
}

describe.each(plurals)('%s', (plural) => {
  const right = isRole(plural) ? escalate : bind;
  const rights: readonly (readonly [string, readonly AccessRule[], boolean])[] = [
    ['a manager of roles', [manager], false],
    [`a manager with "${right.verbs[0]}"`, [manager, right], true],
    ['a manager who holds the rights', [manager, secrets], true],
    [
      'a manager who holds them for one name',
      [manager, { ...secrets, resourceNames: ['a'] }],
      false,
    ],
    [
      'a manager with full rights on another group',
      [manager, { apiGroups: ['apps'], resources: ['*'], verbs: ['*'] }],
      false,
    ],
    ['whoever may do all', everything, true],
  ];
  const rows = Object.keys(paths).flatMap((way) =>
    rights.map(([who, rules, isAllowed]) => ({ way, who, rules, isAllowed })),
  );
  test.each(rows)('$way by $who: $isAllowed', async ({ way, rules, isAllowed }) => {
    const { isNew, send } = paths[way] as (typeof paths)[string];
    const name = world.fresh('given');
    const place = collection(plural);
    if (!isNew) await world.admin.ask('POST', place, harmless(plural, name));
    const who = await world.user(rules);
    const object = giver(plural, name, who.name);
    const verdict = await send(who, place, object, name);
    if (isAllowed) {
      expect(verdict.message).toBe('');
      expect(verdict.code).toBe(isNew ? 201 : 200);
      return;
    }
    const missing = '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';
    expect(verdict.message).toBe(
      `${plural}.${group} "${name}" is forbidden: ${refusalText(who.name, missing)}`,
    );
    expect(verdict.code).toBe(403);
    // Nothing of it came through.
    const after = await world.admin.ask('GET', `${place}/${name}`);
    if (isNew) expect(after.code).toBe(404);
    else expect(part({ subjects: undefined, ...after.body })).not.toEqual(part(object));
  });
});

test('delete and create anew is no way around', async () => {
  const name = world.fresh('given');
  const place = collection('clusterroles');
  await world.admin.ask('POST', place, giver('clusterroles', name, ''));
  const who = await world.user([manager]);
  expect((await who.ask('DELETE', `${place}/${name}`)).code).toBe(200);
  expect((await who.ask('POST', place, giver('clusterroles', name, ''))).code).toBe(403);
});

describe('aggregation', () => {
  const rule = { clusterRoleSelectors: [{ matchLabels: { 'gather/me': 'true' } }] };
  const why = 'must have cluster-admin privileges to use the aggregationRule';

  test.each(
    Object.keys(paths).flatMap((way) => [
      { way, who: 'a manager', rules: [manager], isAllowed: false },
      {
        way,
        who: 'one whose star holds "escalate"',
        rules: everything.slice(0, 1),
        isAllowed: true,
      },
      { way, who: 'one who may escalate', rules: [manager, escalate], isAllowed: true },
      { way, who: 'an administrator', rules: everything, isAllowed: true },
    ]),
  )('$way with an aggregationRule by $who: $isAllowed', async ({ way, rules, isAllowed }) => {
    const { isNew, send } = paths[way] as (typeof paths)[string];
    const name = world.fresh('sum');
    const place = collection('clusterroles');
    if (!isNew) await world.admin.ask('POST', place, harmless('clusterroles', name));
    const who = await world.user(rules);
    const object = { ...harmless('clusterroles', name), aggregationRule: rule };
    const aimed = way.includes('JSON')
      ? await patch(who, `${place}/${name}`, 'json-patch+json', [
          { op: 'add', path: '/aggregationRule', value: rule },
        ])
      : way.includes('merge')
        ? await patch(
            who,
            `${place}/${name}`,
            way === 'merge patch' ? 'merge-patch+json' : 'strategic-merge-patch+json',
            { aggregationRule: rule },
          )
        : await send(who, place, object, name);
    expect(aimed.message).toBe(
      isAllowed ? '' : `clusterroles.${group} "${name}" is forbidden: ${why}`,
    );
    expect(aimed.code).toBe(isAllowed ? (isNew ? 201 : 200) : 403);
  });

  test('who gathers cannot be changed by who could not gather', async () => {
    const name = world.fresh('sum');
    const place = collection('clusterroles');
    await world.admin.ask('POST', place, {
      ...harmless('clusterroles', name),
      aggregationRule: rule,
    });
    const who = await world.user([manager]);
    for (const change of [
      { aggregationRule: null },
      { metadata: { labels: { a: 'b' } } },
      { rules: [{ nonResourceURLs: ['/version'], verbs: ['get'] }] },
    ]) {
      const verdict = await patch(who, `${place}/${name}`, 'merge-patch+json', change);
      expect(verdict.message).toBe(`clusterroles.${group} "${name}" is forbidden: ${why}`);
    }
  });
});

describe('bindings', () => {
  test.each([
    ['rolebindings', 'Role', 'roles'],
    ['rolebindings', 'ClusterRole', 'clusterroles'],
    ['clusterrolebindings', 'ClusterRole', 'clusterroles'],
  ] as const)('%s to a %s that is not there need "bind"', async (plural, kind, roles) => {
    const object = (name: string) => ({
      ...giver(plural, name, 'x'),
      roleRef: { apiGroup: group, kind, name: 'not-there' },
    });
    for (const isApply of [false, true]) {
      const send = (who: Actor, name: string) =>
        isApply
          ? patch(who, `${collection(plural)}/${name}`, 'apply-patch+yaml', object(name))
          : who.ask('POST', collection(plural), object(name));
      const refused = await send(await world.user([manager]), world.fresh('b'));
      expect(refused.message).toBe(`${plural}.${group} "not-there" not found`);
      expect(refused.code).toBe(404);
      const binder = await world.user([manager, { ...bind, resources: [roles] }]);
      expect((await send(binder, world.fresh('b'))).code).toBe(201);
      const named = await world.user([manager, { ...bind, resourceNames: ['not-there'] }]);
      expect((await send(named, world.fresh('b'))).code).toBe(201);
      const other = await world.user([manager, { ...bind, resourceNames: ['another'] }]);
      expect((await send(other, world.fresh('b'))).code).toBe(404);
    }
  });

  test('"bind" in one namespace binds there and nowhere else', async () => {
    const other = await world.namespace();
    const who = await world.user([manager, { ...bind, resources: ['clusterroles'] }], namespace);
    const object = (name: string) => ({
      ...giver('rolebindings', name, who.name),
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: reader },
    });
    const at = (space: string) => `${base}/namespaces/${space}/rolebindings`;
    expect((await who.ask('POST', at(namespace), object(world.fresh('b')))).code).toBe(201);
    expect((await who.ask('POST', at(other), object(world.fresh('b')))).message).toContain(
      `User "${who.name}" cannot create resource "rolebindings" in API group "${group}" in the namespace "${other}"`,
    );
    const wide = await who.ask(
      'POST',
      collection('clusterrolebindings'),
      giver('clusterrolebindings', world.fresh('b'), who.name),
    );
    expect(wide.code).toBe(403);
  });

  test('rights in a namespace do not cover a binding for the cluster', async () => {
    const who = await world.user([manager]);
    const name = world.fresh('local');
    await world.admin.ask('POST', collection('roles'), { metadata: { name }, rules: [secrets] });
    await world.admin.ask('POST', collection('rolebindings'), {
      metadata: { name },
      roleRef: { apiGroup: group, kind: 'Role', name },
      subjects: [{ apiGroup: group, kind: 'User', name: who.name }],
    });
    const local = giver('rolebindings', world.fresh('b'), 'x');
    expect((await who.ask('POST', collection('rolebindings'), local)).code).toBe(201);
    const wide = giver('clusterrolebindings', world.fresh('b'), 'x');
    expect((await who.ask('POST', collection('clusterrolebindings'), wide)).code).toBe(403);
  });

  test('the role of a binding stays', async () => {
    const name = world.fresh('b');
    const place = collection('clusterrolebindings');
    await world.admin.ask('POST', place, harmless('clusterrolebindings', name));
    const who = await world.user(everything);
    const ref = { roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' } };
    const verdict = await patch(who, `${place}/${name}`, 'merge-patch+json', ref);
    expect(verdict.code).toBe(422);
    expect(verdict.message).toContain('cannot change roleRef');
  });
});

test('"escalate" with names holds for what a path names, and never for a POST', async () => {
  const name = world.fresh('named');
  const place = collection('clusterroles');
  const who = await world.user([manager, { ...escalate, resourceNames: [name] }]);
  const object = giver('clusterroles', name, '');
  expect((await who.ask('POST', place, object)).code).toBe(403);
  expect((await who.ask('PUT', `${place}/${name}`, object)).code).toBe(201);
  expect(
    (await patch(who, `${place}/${name}`, 'merge-patch+json', { rules: [configMaps] })).code,
  ).toBe(200);
});

test('what a collector needs to change is free', async () => {
  const name = world.fresh('owned');
  const place = collection('clusterroles');
  await world.admin.ask('POST', place, giver('clusterroles', name, ''));
  const who = await world.user([manager]);
  const held = await patch(who, `${place}/${name}`, 'merge-patch+json', {
    metadata: { finalizers: ['example.com/hold'] },
  });
  expect(held.message).toBe('');
  const labelled = await patch(who, `${place}/${name}`, 'merge-patch+json', {
    metadata: { labels: { a: 'b' } },
  });
  expect(labelled.code).toBe(403);
  await world.admin.ask('DELETE', `${place}/${name}`);
  const freed = await patch(who, `${place}/${name}`, 'merge-patch+json', {
    metadata: { finalizers: null },
  });
  expect(freed.code).toBe(200);
});

test.each<[string, AccessRule[], AccessRule[], string | undefined]>([
  [
    'several verbs in one line',
    [],
    [{ ...secrets, verbs: ['get', 'list', 'get'] }],
    '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "get"]}',
  ],
  [
    'names each in a line',
    [],
    [{ ...secrets, resourceNames: ['b', 'a'] }],
    '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}\n{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}',
  ],
  [
    'paths each in a line',
    [],
    [{ nonResourceURLs: ['/b', '/a'], verbs: ['get', 'post'] }],
    '{NonResourceURLs:["/a"], Verbs:["get"]}\n{NonResourceURLs:["/a"], Verbs:["post"]}\n{NonResourceURLs:["/b"], Verbs:["get"]}\n{NonResourceURLs:["/b"], Verbs:["post"]}',
  ],
  [
    'only what is missing',
    [secrets],
    [{ ...secrets, verbs: ['get', 'list'] }],
    '{APIGroups:[""], Resources:["secrets"], Verbs:["list"]}',
  ],
  [
    'a star is more than its parts',
    [{ ...secrets, verbs: ['get', 'list', 'create'] }],
    [{ ...secrets, verbs: ['*'] }],
    '{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}',
  ],
  [
    'all of a resource is not its subresources',
    [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    [{ apiGroups: [''], resources: ['pods/log'], verbs: ['get'] }],
    '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
  ],
  [
    '*/scale covers deployments/scale',
    [{ apiGroups: ['apps'], resources: ['*/scale'], verbs: ['get'] }],
    [{ apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['get'] }],
    undefined,
  ],
  [
    'pods/* is a name and no star',
    [{ apiGroups: [''], resources: ['pods/*'], verbs: ['get'] }],
    [{ apiGroups: [''], resources: ['pods/log'], verbs: ['get'] }],
    '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
  ],
  [
    'a star of paths covers what begins so',
    [{ nonResourceURLs: ['/metrics/*'], verbs: ['get'] }],
    [{ nonResourceURLs: ['/metrics/a'], verbs: ['get'] }],
    undefined,
  ],
  ['all names cover one', [secrets], [{ ...secrets, resourceNames: ['a'] }], undefined],
  [
    'one name covers not all',
    [{ ...secrets, resourceNames: ['a'] }],
    [secrets],
    '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
  ],
])('what is missing: %s', async (_title, held, wanted, missing) => {
  const who = await world.user([manager, ...held]);
  const name = world.fresh('r');
  const verdict = await who.ask('POST', collection('clusterroles'), {
    metadata: { name },
    rules: wanted,
  });
  expect(verdict.message).toBe(
    missing === undefined
      ? ''
      : `clusterroles.${group} "${name}" is forbidden: ${refusalText(who.name, missing)}`,
  );
});
