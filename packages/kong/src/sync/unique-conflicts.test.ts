import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CollectionName, entityKind } from '../entity/entity-kinds.ts';
import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import { EntityStore } from '../store/entity-store.ts';
import { createPlan } from './create-plan.ts';
import { KongEntities } from './kong-entities.ts';
import type { Operation } from './operation.ts';
import { solve } from './solve.ts';

const id = (kind: number, number: number) =>
  `0000000${kind}-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Parents before children, with the fields that no two entities share. */
const uniqueFields: readonly (readonly [CollectionName, readonly string[]])[] = [
  ['certificates', []],
  ['consumers', ['username', 'custom_id']],
  ['upstreams', ['name']],
  ['snis', ['name']],
  ['keyauth_credentials', ['key']],
  ['targets', []],
  ['acls', []],
];

function storeOf(state: KongEntities): EntityStore {
  const store = new EntityStore({ validation: 'off' });
  for (const [collection] of uniqueFields) {
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

/** The names that each certificate has, which a write of it says again. */
function namesOf(state: KongEntities): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { certificate, name } of state.values('snis')) {
    const owner = referenceId(certificate) ?? '';
    names.set(owner, [...(names.get(owner) ?? []), String(name)]);
  }
  return names;
}

/** Does an operation as the Admin API would, and fails where it would refuse. */
function perform(
  store: EntityStore,
  { op, collection, ...operation }: Operation,
  names: ReadonlyMap<string, readonly string[]> = new Map(),
): void {
  const snis = collection === 'certificates' ? { snis: names.get(operation.id) ?? [] } : {};
  const [change] = operation.changes;
  const result =
    op === 'delete'
      ? store.delete(collection, operation.id)
      : operation.isRelease
        ? store.update(collection, operation.id, { [change?.path[0] ?? '']: change?.after ?? null })
        : store.upsert(collection, operation.id, { ...operation.after, ...snis });
  if (result.kind === 'error') throw new Error(`${collection}: ${result.error.body.message}`);
}

/** What is wrong with what a server has: nothing may refer to what is not there, or be there twice. */
function faults(store: EntityStore): readonly string[] {
  const state = stateFrom(store);
  return uniqueFields.flatMap(([collection, fields]) => {
    const entities = [...state.values(collection)];
    const shared = fields.filter((field) => {
      const values = entities.map((entity) => entity[field]).filter((value) => value != null);
      return new Set(values).size < values.length;
    });
    const dangling = entityKind(collection).references.filter((reference) =>
      entities.some((entity) => {
        const referred = referenceId(entity[reference.field]);
        return referred !== undefined && state.get(reference.collection, referred) === undefined;
      }),
    );
    return [...shared, ...dangling.map(({ field }) => field)].map((it) => `${collection} ${it}`);
  });
}

interface Row {
  readonly number: number;
  readonly first: number;
  readonly second: number;
  readonly parent: number;
}

const rows = fc.uniqueArray(
  fc.record({
    number: fc.integer({ min: 1, max: 4 }),
    first: fc.integer({ min: 1, max: 4 }),
    second: fc.integer({ min: 0, max: 4 }),
    parent: fc.nat({ max: 3 }),
  }),
  { selector: ({ number }) => number, maxLength: 4 },
);

/** Puts rows in as entities, but for those that need a value which another has already. */
function put(
  state: KongEntities,
  collection: CollectionName,
  list: readonly Row[],
  entityOf: (row: Row) => Omit<StoredEntity, 'id'> | undefined,
  kind: number,
): void {
  const fields = uniqueFields.find(([name]) => name === collection)?.[1] ?? [];
  const together = entityKind(collection).uniqueTogether;
  const taken = new Set<string>();
  for (const row of list) {
    const entity = entityOf(row);
    if (entity === undefined) continue;
    const keys = [...fields.map((field) => [field]), ...together].flatMap((set) =>
      set.some((field) => entity[field] === undefined)
        ? []
        : [JSON.stringify([set, set.map((field) => entity[field])])],
    );
    if (keys.some((key) => taken.has(key))) continue;
    for (const key of keys) taken.add(key);
    state.put(collection, { id: id(kind, row.number), ...entity });
  }
}

const states = fc
  .record({
    certificates: rows,
    consumers: rows,
    upstreams: rows,
    children: fc.tuple(rows, rows, rows, rows),
  })
  .map(({ certificates, consumers, upstreams, children: [snis, keys, targets, acls] }) => {
    const state = new KongEntities();
    const under = (collection: CollectionName, { parent }: Row, field: string) => {
      const parents = [...state.values(collection)];
      const chosen = parents[parent % Math.max(1, parents.length)];
      return chosen === undefined ? undefined : { [field]: { id: chosen.id } };
    };
    put(state, 'certificates', certificates, (row) => ({ cert: `c${row.first}`, key: 'k' }), 1);
    put(
      state,
      'consumers',
      consumers,
      (row) => ({
        username: `user-${row.first}`,
        ...(row.second === 0 ? {} : { custom_id: `id-${row.second}` }),
      }),
      2,
    );
    put(state, 'upstreams', upstreams, (row) => ({ name: `up-${row.first}` }), 3);
    const nested =
      (collection: CollectionName, field: string, own: (row: Row) => object) => (row: Row) => {
        const reference = under(collection, row, field);
        return reference && { ...own(row), ...reference };
      };
    const sni = nested('certificates', 'certificate', ({ first }) => ({ name: `n${first}.test` }));
    put(state, 'snis', snis, sni, 4);
    const key = nested('consumers', 'consumer', ({ first }) => ({ key: `key-${first}` }));
    put(state, 'keyauth_credentials', keys, key, 5);
    const target = nested('upstreams', 'upstream', ({ first }) => ({
      target: `10.0.0.${first}:80`,
    }));
    put(state, 'targets', targets, target, 6);
    const acl = nested('consumers', 'consumer', ({ first }) => ({ group: `g${first}` }));
    put(state, 'acls', acls, acl, 7);
    return state;
  });

const waits = fc.infiniteStream(fc.nat({ max: 30 }));

describe('states in which names, keys and host names change hands', () => {
  it('become each other, and are valid after every single operation', async () => {
    await fc.assert(
      fc.asyncProperty(states, states, waits, async (from, to, wait) => {
        const store = storeOf(from);
        const names = namesOf(from);
        const result = await solve(
          createPlan(stateFrom(store), to),
          async (operation) => {
            // What runs at the same time may come to an end in any order.
            for (let turns = wait.next().value ?? 0; turns > 0; turns -= 1) await Promise.resolve();
            perform(store, operation, names);
            expect(faults(store)).toEqual([]);
          },
          { parallelism: 20 },
        );
        expect(result.failed.map(({ error }) => error.message)).toEqual([]);
        expect(result.left).toEqual([]);
        expect(createPlan(stateFrom(store), to).operations).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('are valid wherever it breaks off, and the next plan does what remains', async () => {
    await fc.assert(
      fc.asyncProperty(states, states, fc.infiniteStream(fc.boolean()), async (from, to, luck) => {
        const store = storeOf(from);
        const result = await solve(createPlan(stateFrom(store), to), async (operation) => {
          if (luck.next().value === false) throw new Error('injected');
          perform(store, operation, namesOf(from));
        });
        const errors = result.failed.map(({ error }) => error.message);
        expect(errors.filter((message) => message !== 'injected')).toEqual([]);
        expect(faults(store)).toEqual([]);
        const names = namesOf(stateFrom(store));
        const rest = await solve(createPlan(stateFrom(store), to), async (operation) =>
          perform(store, operation, names),
        );
        expect(rest.failed.map(({ error }) => error.message)).toEqual([]);
        expect(createPlan(stateFrom(store), to).operations).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

it.each([
  ['hand their names on', (index: number) => index + 1],
  ['take the names of those before', (index: number) => index - 1],
  ['pass them round in a circle', (index: number) => (index + 1) % 3000],
])('three thousand consumers %s, whatever the length of the chain', async (_how, next) => {
  const consumers = (nameOf: (index: number) => number) => {
    const state = new KongEntities();
    for (let index = 0; index < 3000; index += 1) {
      state.put('consumers', { id: id(2, index), username: `user-${nameOf(index)}` });
    }
    return state;
  };
  const store = storeOf(consumers((index) => index));
  const target = consumers(next);
  const result = await solve(createPlan(stateFrom(store), target), async (operation) =>
    perform(store, operation),
  );
  expect([result.failed, result.left]).toEqual([[], []]);
  expect(createPlan(stateFrom(store), target).operations).toEqual([]);
});
