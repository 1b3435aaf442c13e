import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../entity/entities.ts';
import type { CollectionName } from '../entity/entity-kinds.ts';
import { EntityStore } from '../store/entity-store.ts';
import { createPlan } from './create-plan.ts';
import { KongEntities } from './kong-entities.ts';
import type { Operation } from './operation.ts';
import { solve } from './solve.ts';

const id = (kind: number, number: number) => `0000000${kind}-0000-4000-8000-00000000000${number}`;

type Rows = readonly (readonly [CollectionName, JsonObject & { readonly id: string }])[];

function stateOf(rows: Rows): KongEntities {
  const state = new KongEntities();
  for (const [collection, entity] of rows) state.put(collection, entity);
  return state;
}

function storeOf(state: KongEntities): EntityStore {
  const store = new EntityStore();
  const collections: readonly CollectionName[] = [
    'services',
    'routes',
    'consumers',
    'plugins',
    'acls',
  ];
  for (const collection of collections) {
    for (const entity of state.values(collection)) {
      const result = store.insert(collection, entity);
      if (result.kind === 'error') throw new Error(result.error.body.message);
    }
  }
  return store;
}

function stateFrom(store: EntityStore): KongEntities {
  const state = new KongEntities();
  for (const [collection, entity] of store.entries()) state.put(collection, entity);
  return state;
}

/** Does an operation as the Admin API would, and fails where it would refuse. */
function perform(store: EntityStore) {
  return async (operation: Operation): Promise<void> => {
    const { collection } = operation;
    if (operation.op === 'delete') {
      const result = store.delete(collection, operation.id);
      if (result.kind === 'error') throw new Error(result.error.body.message);
      return;
    }
    const result = operation.isRelease
      ? store.update(collection, operation.id, {
          [operation.changes[0]?.path[0] ?? '']: operation.changes[0]?.after ?? null,
        })
      : store.upsert(collection, operation.id, operation.after ?? {});
    if (result.kind === 'error') throw new Error(result.error.body.message);
  };
}

const service = (number: number, name: string, port = 80) =>
  ['services', { id: id(1, number), name, host: 'a.test', port }] as const;
const route = (number: number, name: string, parent: number) =>
  ['routes', { id: id(2, number), name, paths: ['/a'], service: { id: id(1, parent) } }] as const;

describe('createPlan', () => {
  it('finds no difference between a state and itself, with or without defaults', () => {
    const bare = stateOf([service(1, 'a'), route(1, 'r', 1)]);
    const stored = stateFrom(storeOf(bare));
    expect(createPlan(stored, bare).operations).toEqual([]);
    expect(createPlan(bare, bare).operations).toEqual([]);
  });

  it('names what an update changes', () => {
    const [operation] = createPlan(
      stateFrom(storeOf(stateOf([service(1, 'a', 80)]))),
      stateOf([service(1, 'a', 81)]),
    ).operations;
    expect(operation).toMatchObject({
      op: 'update',
      changes: [{ path: ['port'], before: 80, after: 81 }],
    });
  });

  it('keeps what the server made up, also when something else changes', () => {
    const made = { provision_key: 'made-by-kong', scopes: ['a'], mandatory_scope: true };
    const oauth2 = (config: JsonObject) =>
      stateOf([['plugins', { id: id(3, 1), name: 'oauth2', config }]]);
    const file = { scopes: ['a'], mandatory_scope: true, enable_client_credentials: true };
    const current = oauth2({ ...made, enable_client_credentials: true });
    expect(createPlan(current, oauth2(file)).operations).toEqual([]);
    const [update] = createPlan(current, oauth2({ ...file, scopes: ['b'] })).operations;
    expect(update?.changes).toEqual([{ path: ['config', 'scopes'], before: ['a'], after: ['b'] }]);
    expect(update?.after?.config).toMatchObject({ provision_key: 'made-by-kong' });
  });

  it('swaps two names by way of a third', async () => {
    const current = stateFrom(storeOf(stateOf([service(1, 'a'), service(2, 'b')])));
    const target = stateOf([service(1, 'b'), service(2, 'a')]);
    const plan = createPlan(current, target);
    expect(plan.operations.map(({ isRelease }) => isRelease === true)).toEqual([
      true,
      false,
      false,
    ]);
    const store = storeOf(current);
    const result = await solve(plan, perform(store));
    expect(result.failed).toEqual([]);
    expect(store.get('services', 'a')?.id).toBe(id(1, 2));
  });

  it('gives a service a new id while its route moves over', async () => {
    const current = stateFrom(storeOf(stateOf([service(1, 'a'), route(1, 'r', 1)])));
    const target = stateOf([service(2, 'a'), route(1, 'r', 2)]);
    const store = storeOf(current);
    const result = await solve(createPlan(current, target), perform(store));
    expect(result.failed).toEqual([]);
    expect(createPlan(stateFrom(store), target).operations).toEqual([]);
  });

  it('replaces a plugin under a new id by deleting the old one first', () => {
    const plugin = (number: number) =>
      ['plugins', { id: id(4, number), name: 'cors', config: {} }] as const;
    const plan = createPlan(stateOf([plugin(1)]), stateOf([plugin(2)]));
    expect(plan.operations.map(({ op }) => op)).toEqual(['delete', 'create']);
  });

  it('otherwise creates before it deletes', () => {
    const plan = createPlan(stateOf([service(1, 'a')]), stateOf([service(2, 'b')]));
    expect(plan.operations.map(({ op }) => op)).toEqual(['create', 'delete']);
  });
});

const services = fc
  .uniqueArray(
    fc.record({
      number: fc.integer({ min: 1, max: 4 }),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      port: fc.constantFrom(80, 81),
    }),
    { selector: ({ number }) => number, maxLength: 4 },
  )
  .map((list) =>
    list.filter((one, index) => list.findIndex((other) => other.name === one.name) === index),
  );

const states = services.chain((list) =>
  fc
    .record({
      routes: fc.uniqueArray(
        fc.record({
          number: fc.integer({ min: 1, max: 4 }),
          name: fc.constantFrom('r', 's', 't'),
          parent:
            list.length === 0
              ? fc.constant(undefined)
              : fc.constantFrom(...list.map(({ number }) => number)),
        }),
        { selector: ({ number }) => number, maxLength: 4 },
      ),
      consumers: fc.uniqueArray(
        fc.record({
          number: fc.integer({ min: 1, max: 3 }),
          username: fc.constantFrom('x', 'y', 'z'),
        }),
        { selector: ({ username }) => username, maxLength: 3 },
      ),
      plugins: fc.uniqueArray(
        fc.record({ number: fc.integer({ min: 1, max: 3 }), scope: fc.constantFrom(0, 1, 2) }),
        {
          selector: ({ number }) => number,
          maxLength: 3,
        },
      ),
    })
    .map(({ routes, consumers, plugins }): KongEntities => {
      const state = new KongEntities();
      for (const { number, name, port } of list) state.put(...service(number, name, port));
      const names = new Set<string>();
      for (const { number, name, parent } of routes) {
        if (names.has(name)) continue;
        names.add(name);
        const reference = parent === undefined ? {} : { service: { id: id(1, parent) } };
        state.put('routes', { id: id(2, number), name, paths: ['/a'], ...reference });
      }
      for (const { number, username } of consumers) {
        if (state.get('consumers', id(3, number)) === undefined) {
          state.put('consumers', { id: id(3, number), username });
        }
      }
      const scopes = new Set<string>();
      for (const { number, scope } of plugins) {
        const first = [...state.values('services')][0];
        const reference = scope === 0 || first === undefined ? {} : { service: { id: first.id } };
        const key = JSON.stringify(reference);
        if (scopes.has(key)) continue;
        scopes.add(key);
        state.put('plugins', { id: id(4, number), name: 'cors', config: {}, ...reference });
      }
      return state;
    }),
);

describe('any two states', () => {
  it('one becomes the other, by operations that the server takes in any allowed order', async () => {
    await fc.assert(
      fc.asyncProperty(
        states,
        states,
        fc.integer({ min: 1, max: 5 }),
        async (from, to, parallelism) => {
          const store = storeOf(from);
          const current = stateFrom(store);
          const plan = createPlan(current, to);
          const result = await solve(plan, perform(store), { parallelism });
          expect(result.failed.map(({ error }) => error.message)).toEqual([]);
          expect(result.left).toEqual([]);
          expect(createPlan(stateFrom(store), to).operations).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a failed operation leaves a valid state, and what remains is found by the next plan', async () => {
    await fc.assert(
      fc.asyncProperty(states, states, fc.nat(), async (from, to, seed) => {
        const store = storeOf(from);
        const plan = createPlan(stateFrom(store), to);
        if (plan.operations.length === 0) return;
        const doomed = seed % plan.operations.length;
        const real = perform(store);
        const result = await solve(plan, async (operation) => {
          if (operation.index === doomed) throw new Error('injected');
          await real(operation);
        });
        const others = result.failed.filter(({ error }) => error.message !== 'injected');
        expect(others.map(({ error }) => error.message)).toEqual([]);
        const rest = await solve(createPlan(stateFrom(store), to), real);
        expect(rest.failed.map(({ error }) => error.message)).toEqual([]);
        expect(createPlan(stateFrom(store), to).operations).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('every operation comes after what it waits for', () => {
    fc.assert(
      fc.property(states, states, (from, to) => {
        for (const { index, dependsOn } of createPlan(from, to).operations) {
          for (const earlier of dependsOn) expect(earlier).toBeLessThan(index);
        }
      }),
    );
  });
});

describe('lists of ids', () => {
  const authority = id(6, 1);
  const service = { id: id(1, 1), host: 'a', ca_certificates: [authority] };
  const rows: Rows = [
    ['ca_certificates', { id: authority, cert: 'c' }],
    ['services', service],
  ];
  const orderOf = (from: Rows, to: Rows): readonly string[] =>
    createPlan(stateOf(from), stateOf(to)).operations.map(
      ({ op, collection, dependsOn }) => `${op} ${collection} after ${dependsOn.join()}`,
    );

  it('let an authority go after the service that names it has gone', () => {
    expect(orderOf(rows, [])).toEqual(['delete services after ', 'delete ca_certificates after 0']);
  });

  it('let it go after the service has dropped it', () => {
    expect(orderOf(rows, [['services', { ...service, ca_certificates: null }]])).toEqual([
      'update services after ',
      'delete ca_certificates after 0',
    ]);
  });

  it('make it before the service', () => {
    expect(orderOf([], [...rows].reverse())).toEqual([
      'create ca_certificates after ',
      'create services after 0',
    ]);
  });
});
