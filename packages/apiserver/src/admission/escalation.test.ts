import { describe, expect, test } from 'vitest';
import {
  bind,
  collection,
  configMaps,
  escalate,
  everything,
  giver,
  group,
  harmless,
  isRole,
  manager,
  part,
  patch,
  paths,
  plurals,
  refusalText,
  secrets,
  useRoleWorld,
  world,
} from '../../test/role-world.ts';
import type { AccessRule } from '../testing/access-world.ts';

useRoleWorld();

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
