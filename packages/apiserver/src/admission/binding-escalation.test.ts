import { describe, expect, test } from 'vitest';
import {
  base,
  bind,
  collection,
  escalate,
  everything,
  giver,
  group,
  harmless,
  manager,
  namespace,
  patch,
  paths,
  reader,
  secrets,
  useRoleWorld,
  world,
} from '../../test/role-world.ts';
import type { Actor } from '../testing/access-world.ts';

useRoleWorld();

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
