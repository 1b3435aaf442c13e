import fc from 'fast-check';
import { expect, test } from 'vitest';
import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import { createPlan } from './create-plan.ts';
import { guardRoutes } from './guard-routes.ts';
import { KongEntities } from './kong-entities.ts';
import type { Operation } from './operation.ts';
import { solve } from './solve.ts';

const waiting = { name: 'waiting', id: 'waiting-id', tags: ['ours'] };

/** What a small gateway should hold: routes with their plugins, on services with theirs. */
const wish = fc.record({
  routes: fc.dictionary(
    fc.constantFrom('r1', 'r2', 'r3'),
    fc.record({
      service: fc.constantFrom('s1', 's2'),
      path: fc.constantFrom('/a', '/b'),
      plugins: fc.subarray(['key-auth', 'acl', 'cors']),
    }),
  ),
  services: fc.record({
    s1: fc.subarray(['key-auth', 'acl']),
    s2: fc.subarray(['key-auth', 'acl']),
  }),
  global: fc.subarray(['ip-restriction']),
});

type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never;

function stateOf({ routes, services, global }: Wish): KongEntities {
  const state = new KongEntities();
  const put = (collection: 'services' | 'routes' | 'plugins', entity: object) =>
    state.put(collection, entity as StoredEntity);
  const used = new Set(Object.values(routes).map(({ service }) => service));
  for (const name of used) {
    put('services', { id: name, name, host: 'h' });
    for (const plugin of services[name])
      put('plugins', { id: `${plugin}-${name}`, name: plugin, service: { id: name } });
  }
  for (const [name, { service, path, plugins }] of Object.entries(routes)) {
    put('routes', { id: name, name, paths: [path], service: { id: service } });
    for (const plugin of plugins)
      put('plugins', { id: `${plugin}-${name}`, name: plugin, route: { id: name } });
  }
  for (const name of global) put('plugins', { id: name, name });
  return state;
}

/** The plugins that a request to a live route passes, or undefined for a route that is not live. */
function guards(state: KongEntities, route: string): Set<string> | undefined {
  const entity = state.get('routes', route);
  const service = referenceId(entity?.service);
  if (entity === undefined || state.get('services', service ?? '')?.enabled === false)
    return undefined;
  const names = new Set<string>();
  for (const plugin of state.values('plugins')) {
    const on = referenceId(plugin.route) ?? referenceId(plugin.service);
    if (on === undefined || on === route || on === service) names.add(String(plugin.name));
  }
  return names;
}

function apply(state: KongEntities, { op, collection, id, after }: Operation): void {
  if (op === 'delete') {
    state.delete(collection, id);
    for (const plugin of [...state.values('plugins')])
      if (collection === 'routes' && referenceId(plugin.route) === id)
        state.delete('plugins', plugin.id);
  } else if (after !== undefined) state.put(collection, after);
}

test('no route is ever without a plugin that it has before and after, wherever the work is cut', async () => {
  await fc.assert(
    fc.asyncProperty(wish, wish, fc.nat(), async (before, after, failing) => {
      const current = stateOf(before);
      const target = stateOf(after);
      const plan = guardRoutes(createPlan(current, target), waiting);
      const now = current.copy();
      const { left } = await solve(
        plan,
        async (operation) => {
          if (failing % 3 === 0 && operation.index === failing % (plan.operations.length + 1))
            throw new Error('refused');
          apply(now, operation);
          for (const route of ['r1', 'r2', 'r3']) {
            const found = guards(now, route);
            if (found === undefined) continue;
            const old = guards(current, route);
            const wanted = guards(target, route);
            // As it was, as it shall be, or with what both have: never with less.
            const least = [...(wanted ?? old ?? [])].filter((one) => old?.has(one) ?? true);
            for (const one of least) expect([route, ...found]).toContain(one);
            const isMoved =
              JSON.stringify(now.get('routes', route)) !==
              JSON.stringify(current.get('routes', route));
            if (isMoved && wanted !== undefined)
              for (const one of wanted) expect([route, ...found]).toContain(one);
          }
        },
        { parallelism: 1 },
      );
      if (failing % 3 === 0) return;
      expect(left).toEqual([]);
      expect(createPlan(now, target).operations).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('a cut plan is finished by the next one, from the service that was left behind', async () => {
  const none = new KongEntities();
  const target = stateOf({
    routes: { r1: { service: 's1', path: '/a', plugins: ['key-auth'] } },
    services: { s1: [], s2: [] },
    global: [],
  });
  const first = guardRoutes(createPlan(none, target), waiting);
  for (let cut = 0; cut <= first.operations.length; cut += 1) {
    const now = none.copy();
    let count = 0;
    await solve(
      first,
      async (operation) => {
        if (count >= cut) throw new Error('killed');
        count += 1;
        apply(now, operation);
      },
      { parallelism: 1 },
    );
    const found = guards(now, 'r1');
    expect(found === undefined || found.has('key-auth')).toBe(true);
    const next = guardRoutes(createPlan(now, target), { ...waiting, id: 'another' });
    await solve(next, async (operation) => apply(now, operation), { parallelism: 1 });
    expect(createPlan(now, target).operations).toEqual([]);
  }
});
