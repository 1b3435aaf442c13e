import { isObject } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { entityKinds } from '../entity/entity-kinds.ts';
import type { FieldSchema, FieldTable } from '../schema/field-schema.ts';
import { comparableSchema } from '../schema/validate-entity.ts';
import type { StoredEntity } from '../store/entity-collection.ts';
import type { EqualityOptions } from '../sync/entity-equality.ts';
import { KongEntities } from '../sync/kong-entities.ts';

/** What an old name of a field has when nobody sets it: the default of what it stands for. */
function shorthandDefault(fields: FieldTable, shorthand: FieldSchema): JsonValue | undefined {
  const path = shorthand.deprecation?.replaced_with?.[0]?.path ?? [];
  let field: FieldSchema | undefined;
  for (const part of path) field = (field === undefined ? fields : field.fields)?.get(part);
  return field?.default;
}

/** A record without the fields that have their default; what no schema knows stays. */
function trimmed(fields: FieldTable, record: JsonObject, shorthands?: FieldTable): JsonObject {
  const kept: { [name: string]: JsonValue } = {};
  for (const [name, value] of Object.entries(record)) {
    const field = fields.get(name);
    const old = field === undefined ? shorthands?.get(name) : undefined;
    if (value === undefined || value === null) continue;
    if (field?.fields !== undefined && isObject(value)) {
      const inner = trimmed(field.fields, value, field.shorthand_fields);
      if (Object.keys(inner).length > 0) kept[name] = inner;
      continue;
    }
    const usual = old === undefined ? field?.default : shorthandDefault(fields, old);
    const isDefault = usual !== undefined && JSON.stringify(usual) === JSON.stringify(value);
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
 *
 * @param schemas - those of the Kong that has it, where it is of another version
 */
export function withoutDefaults(
  state: KongEntities,
  schemas: Pick<EqualityOptions, 'pluginSchema' | 'entitySchema'> = {},
): KongEntities {
  const bare = new KongEntities();
  for (const { collection } of entityKinds) {
    for (const entity of state.values(collection)) {
      const kept = trimmed(comparableSchema(collection, entity, schemas).fields, entity);
      // Whether a plugin is on is always said, as decK does.
      const { id, enabled } = entity;
      const isOn = collection === 'plugins' && enabled === true ? { enabled } : {};
      bare.put(collection, { ...kept, ...isOn, id } as StoredEntity);
    }
  }
  return bare;
}
