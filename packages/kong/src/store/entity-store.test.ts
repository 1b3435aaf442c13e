import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CollectionName } from '../entity/entity-kinds.ts';
import { entityKinds } from '../entity/entity-kinds.ts';
import { referenceId } from './entity-collection.ts';
import { type EntityChange, EntityStore, type WriteResult } from './entity-store.ts';

function written(result: WriteResult) {
  if (result.kind === 'error') throw new Error(result.error.body.message);
  return result.entity;
}

function refusal(result: { readonly kind: string; readonly error?: unknown }) {
  expect(result.kind).toBe('error');
  return (result as { error: { status: number; body: { message: string; code: number } } }).error;
}

describe('EntityStore', () => {
  it('keeps unique fields unique', () => {
    const store = new EntityStore();
    written(store.insert('services', { name: 's1', host: 'a.test' }));
    expect(refusal(store.insert('services', { name: 's1', host: 'b.test' }))).toEqual({
      status: 409,
      body: {
        code: 5,
        name: 'unique constraint violation',
        message: 'UNIQUE violation detected on \'{name="s1"}\'',
        fields: { name: 's1' },
      },
    });
  });

  it('keeps a plugin unique in its scope, and names the scope', () => {
    const store = new EntityStore();
    const service = written(store.insert('services', { host: 'a.test' }));
    const plugin = { name: 'key-auth', service: { id: service.id } };
    written(store.insert('plugins', plugin));
    written(store.insert('plugins', { name: 'key-auth' }));
    expect(refusal(store.insert('plugins', plugin)).body.message).toBe(
      `UNIQUE violation detected on '{consumer=null,name="key-auth",route=null,service={id="${service.id}"}}'`,
    );
  });

  it('refuses an id that is taken, a missing reference and an unresolved name', () => {
    const store = new EntityStore();
    const { id } = written(store.insert('services', { host: 'a.test' }));
    expect(refusal(store.insert('services', { id, host: 'b.test' })).body.code).toBe(3);
    const missing = { paths: ['/'], service: { id: 'deadbeef-dead-4bad-8bad-deadbeefdead' } };
    expect(refusal(store.insert('routes', missing)).body.message).toBe(
      "the foreign key '{id=\"deadbeef-dead-4bad-8bad-deadbeefdead\"}' does not reference an existing 'services' entity.",
    );
    const named = { paths: ['/'], service: { name: 'nope' } };
    expect(refusal(store.insert('routes', named)).body.code).toBe(13);
  });

  it('refuses to delete what routes refer to, and cascades to plugins', () => {
    const store = new EntityStore();
    const service = written(store.insert('services', { name: 's', host: 'a.test' }));
    const route = written(store.insert('routes', { paths: ['/'], service: { name: 's' } }));
    written(store.insert('plugins', { name: 'key-auth', service: { id: service.id } }));
    expect(refusal(store.delete('services', 's')).body.message).toBe(
      "an existing 'routes' entity references this 'services' entity",
    );
    expect(store.delete('routes', route.id).kind).toBe('deleted');
    expect(store.delete('services', 's').kind).toBe('deleted');
    expect(store.count()).toBe(0);
    expect(store.delete('services', 's').kind).toBe('missing');
  });

  it('puts by name: keeps the id, ignores another name in the body', () => {
    const store = new EntityStore();
    const first = written(store.upsert('services', 's', { host: 'a.test', retries: 1 }));
    const second = written(store.upsert('services', 's', { name: 'other', host: 'b.test' }));
    expect(second).toMatchObject({ id: first.id, name: 's', host: 'b.test', retries: 5 });
    const refused = store.upsert('services', 'bad name', { host: 'a.test' });
    expect(refusal(refused).body.code).toBe(10);
  });

  it('keeps the names of a certificate in snis', () => {
    const store = new EntityStore();
    const vault = { cert: '{vault://env/cert}', key: '{vault://env/key}' };
    const one = written(store.insert('certificates', { ...vault, snis: ['b.test', 'a.test'] }));
    expect(one.snis).toEqual(['a.test', 'b.test']);
    const taken = store.insert('certificates', { ...vault, snis: ['a.test'] });
    expect(refusal(taken).body.message).toContain(
      `a.test already associated with existing certificate '${one.id}'`,
    );
    const patched = written(store.update('certificates', one.id, { snis: ['c.test'] }));
    expect(patched.snis).toEqual(['c.test']);
    expect(written(store.update('certificates', one.id, { tags: ['t'] })).snis).toEqual(['c.test']);
    expect(written(store.upsert('certificates', one.id, vault)).snis).toEqual([]);
  });

  it('hashes basic-auth passwords once', () => {
    const store = new EntityStore();
    const consumer = written(store.insert('consumers', { username: 'c' }));
    const reference = { consumer: { id: consumer.id } };
    const credential = written(
      store.insert('basicauth_credentials', { ...reference, username: 'u', password: 'p' }),
    );
    expect(credential.password).toMatch(/^[0-9a-f]{40}$/);
    const same = written(store.update('basicauth_credentials', credential.id, { tags: ['a'] }));
    expect(same.password).toBe(credential.password);
  });

  it('normalises targets and lists them newest first, by number', () => {
    let now = 1_800_000_000_000;
    const store = new EntityStore({ now: () => (now += 1000) });
    const { id } = written(store.insert('upstreams', { name: 'u' }));
    const upstream = { id };
    for (const target of ['10.0.0.1', '10.0.0.2:80', '[::1]:80']) {
      written(store.insert('targets', { target, upstream }));
    }
    const page = store.list('targets', { size: 2 }, { field: 'upstream', id });
    expect(page).toMatchObject({ kind: 'page', page: { offset: '2' } });
    expect(page.kind === 'page' && page.page.data.map(({ target }) => target)).toEqual([
      '[0000:0000:0000:0000:0000:0000:0000:0001]:80',
      '10.0.0.2:80',
    ]);
    const found = store.getUnder('targets', { field: 'upstream', id }, '10.0.0.1:8000');
    expect(found?.target).toBe('10.0.0.1:8000');
  });

  it('pages by id and filters by tags', () => {
    const store = new EntityStore();
    for (let index = 0; index < 5; index += 1) {
      const id = `0000000${index}-0000-4000-8000-000000000000`;
      const tags = ['all', index % 2 === 0 ? 'even' : 'odd'];
      written(store.insert('services', { id, host: 'a.test', tags }));
    }
    const first = store.list('services', { size: '2', tags: 'all' });
    if (first.kind === 'error') throw new Error('no page');
    expect(first.page.offset).toBe('WyIwMDAwMDAwMS0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDAiXQ');
    const rest = store.list('services', { offset: first.page.offset as string, tags: 'even,all' });
    expect(rest.kind === 'page' && rest.page.data.length).toBe(2);
    expect(refusal(store.list('services', { size: 0 })).body.message).toContain(
      'between 1 and 1000',
    );
    expect(refusal(store.list('services', { offset: 'zzz' })).body.code).toBe(7);
    expect(refusal(store.list('services', { tags: 'a,b/c' })).body.code).toBe(11);
  });

  it('tells of every change, cascades included', () => {
    const changes: EntityChange[] = [];
    const store = new EntityStore({ onChange: (change) => changes.push(change) });
    const consumer = written(store.insert('consumers', { username: 'c' }));
    written(store.insert('acls', { group: 'g', consumer: { id: consumer.id } }));
    store.delete('consumers', 'c');
    expect(changes.map(({ collection, after }) => [collection, after !== undefined])).toEqual([
      ['consumers', true],
      ['acls', true],
      ['acls', false],
      ['consumers', false],
    ]);
    expect(store.revision).toBe(4);
  });

  it('never holds a dangling reference or a shared unique value, whatever is done to it', () => {
    const ids = [1, 2, 3].map((digit) => `0000000${digit}-0000-4000-8000-000000000000`);
    const id = fc.constantFrom(...ids);
    const name = fc.constantFrom('a', 'b', 'c');
    const operation = fc.oneof(
      fc.record({ op: fc.constant('service' as const), id, name }),
      fc.record({ op: fc.constant('route' as const), id, name, parent: id }),
      fc.record({ op: fc.constant('plugin' as const), id, name, parent: id }),
      fc.record({
        op: fc.constant('delete' as const),
        id,
        collection: fc.constantFrom<CollectionName>('services', 'routes', 'plugins'),
      }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
        const store = new EntityStore();
        for (const step of operations) {
          if (step.op === 'service') {
            store.upsert('services', step.id, { name: step.name, host: 'a.test' });
          } else if (step.op === 'route') {
            const service = { id: step.parent };
            store.upsert('routes', step.id, { name: step.name, paths: ['/'], service });
          } else if (step.op === 'plugin') {
            store.upsert('plugins', step.id, { name: 'cors', route: { id: step.parent } });
          } else store.delete(step.collection, step.id);
        }
        for (const kind of entityKinds) {
          const names = [...store.all(kind.collection)].map((entity) => entity.name);
          if (kind.collection !== 'plugins') expect(new Set(names).size).toBe(names.length);
          for (const entity of store.all(kind.collection)) {
            for (const { field, collection } of kind.references) {
              const referred = referenceId(entity[field]);
              if (referred !== undefined) expect(store.get(collection, referred)).toBeDefined();
            }
          }
        }
      }),
    );
  });
});
