import { isObject } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { entityKinds } from '../entity/entity-kinds.ts';
import type { FieldTable } from '../schema/field-schema.ts';
import { resolveSchema } from '../schema/validate-entity.ts';
import type { StoredEntity } from '../store/entity-collection.ts';
import { KongEntities } from '../sync/kong-entities.ts';

/** A record without the fields that have their default; what no schema knows stays. */
function trimmed(fields: FieldTable, record: JsonObject): JsonObject {
  const kept: { [name: string]: JsonValue } = {};
  for (const [name, value] of Object.entries(record)) {
    const field = fields.get(name);
    if (value === undefined || value === null) continue;
    if (field?.fields !== undefined && isObject(value)) {
      const inner = trimmed(field.fields, value);
      if (Object.keys(inner).length > 0) kept[name] = inner;
      continue;
    }
    const isDefault =
      field?.default !== undefined && JSON.stringify(field.default) === JSON.stringify(value);
    if (!isDefault) kept[name] = value;
  }
  return kept;
}

/**
 * A state without what Kong fills in by itself: entities as a person would write them.
 *
 * ```ts
 * const state = new KongEntities();
 * state.put('services', { id: 'a', name: 'shop', host: 'shop', port: 80, retries: 9 });
 * withoutDefaults(state).get('services', 'a'); // { id: 'a', name: 'shop', host: 'shop', retries: 9 }
 * ```
 */
export function withoutDefaults(state: KongEntities): KongEntities {
  const bare = new KongEntities();
  for (const { collection } of entityKinds) {
    for (const entity of state.values(collection)) {
      const schema = resolveSchema(collection, entity);
      const kept = schema === undefined ? entity : trimmed(schema.fields, entity);
      bare.put(collection, { ...kept, id: entity.id } as StoredEntity);
    }
  }
  return bare;
}
