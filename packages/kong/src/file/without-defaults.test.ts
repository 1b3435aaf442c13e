import { expect, it } from 'vitest';
import type { JsonObject } from '../entity/entities.ts';
import type { CollectionName } from '../entity/entity-kinds.ts';
import { parseSchema } from '../schema/schema-catalog.ts';
import type { StoredEntity } from '../store/entity-collection.ts';
import { KongEntities } from '../sync/kong-entities.ts';
import { withoutDefaults } from './without-defaults.ts';

function bare(collection: CollectionName, entity: JsonObject, schemas = {}): JsonObject {
  const state = new KongEntities();
  state.put(collection, { ...entity, id: 'a' } as StoredEntity);
  const { id: _id, ...kept } = withoutDefaults(state, schemas).get(collection, 'a') as StoredEntity;
  return kept;
}

it('leaves out old names of fields that have the default of what they stand for', () => {
  const config = {
    minute: 10,
    redis: { port: 6000, database: 0, timeout: 2000 },
    redis_port: 6000,
    redis_database: 0,
    redis_timeout: 2000,
  };
  expect(bare('plugins', { name: 'rate-limiting', enabled: true, config })).toEqual({
    name: 'rate-limiting',
    enabled: true,
    config: { minute: 10, redis: { port: 6000 }, redis_port: 6000 },
  });
});

it('knows the defaults of a route that is an expression', () => {
  const route = { name: 'r', expression: 'http.method == "GET"', strip_path: true };
  expect(bare('routes', { ...route, priority: 0 })).toEqual({
    name: 'r',
    expression: route.expression,
  });
  expect(bare('routes', { ...route, priority: 7 })).toMatchObject({ priority: 7 });
});

it('takes the defaults of the Kong that tells them', () => {
  const record = {
    type: 'record',
    required: true,
    fields: [{ a: { type: 'integer', default: 4 } }],
  };
  const schema = parseSchema('plugin-mine', { fields: [{ config: record }] } as never);
  const plugin = { name: 'mine', config: { a: 4 } };
  expect(bare('plugins', plugin)).toEqual(plugin);
  expect(bare('plugins', plugin, { pluginSchema: () => schema })).toEqual({ name: 'mine' });
});
