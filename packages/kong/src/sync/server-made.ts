import { isObject, oncePer } from '@waygate/text';
import type { JsonObject } from '../entity/entities.ts';
import type { CollectionName } from '../entity/entity-kinds.ts';
import type { FieldSchema, FieldTable } from '../schema/field-schema.ts';
import { resolveSchema } from '../schema/validate-entity.ts';
import type { StoredEntity } from '../store/entity-collection.ts';
import type { EqualityOptions } from './entity-equality.ts';

/** Whether a server makes up any value of a record: of most it does not. */
const hasMade: (fields: FieldTable) => boolean = oncePer((fields) =>
  [...fields.values()].some(
    (field) => isMadeUp(field) || (field.fields !== undefined && hasMade(field.fields)),
  ),
);

function isMadeUp({ auto, uuid, timestamp }: FieldSchema): boolean {
  return auto === true && uuid !== true && timestamp !== true;
}

function keep(fields: FieldTable, current: JsonObject, target: JsonObject): JsonObject {
  if (!hasMade(fields)) return target;
  let kept = target;
  for (const [name, field] of fields) {
    const made = current[name];
    if (made === undefined || made === null) continue;
    const given = target[name];
    if (isMadeUp(field) && (given === undefined || given === null))
      kept = { ...kept, [name]: made };
    else if (field.fields !== undefined && isObject(made) && isObject(given)) {
      const inner = keep(field.fields, made, given);
      if (inner !== given) kept = { ...kept, [name]: inner };
    }
  }
  return kept;
}

/**
 * A target with the values that the server made up where the file says none, such as the key of an
 * oauth2 plugin: they are no difference, and a write for another reason must not make new ones.
 */
export function withServerMade(
  collection: CollectionName,
  current: StoredEntity,
  target: StoredEntity,
  options: EqualityOptions = {},
): StoredEntity {
  const schema = resolveSchema(collection, target, options);
  return schema === undefined ? target : (keep(schema.fields, current, target) as StoredEntity);
}
