import type { JsonObject } from '../entity/entities.ts';
import { type CollectionName, entityKind } from '../entity/entity-kinds.ts';
import { referenceId } from '../store/entity-collection.ts';
import type { KongEntities } from './kong-entities.ts';

/** Finds the name of an entity that a label refers to. */
export type NameLookup = (collection: CollectionName, id: string) => string | undefined;

/** Looks names up in several states, the first that knows the entity wins. */
export function nameLookup(...states: readonly KongEntities[]): NameLookup {
  return (collection, id) => {
    const { labelField } = entityKind(collection);
    for (const state of states) {
      const entity = state.get(collection, id);
      const name = labelField === undefined ? undefined : entity?.[labelField];
      if (typeof name === 'string' && name !== '') return name;
      if (entity !== undefined && typeof entity.custom_id === 'string') return entity.custom_id;
    }
    return undefined;
  };
}

function referred(
  entity: JsonObject,
  field: string,
  collection: CollectionName,
  names: NameLookup,
) {
  const id = referenceId(entity[field]);
  return id === undefined ? undefined : (names(collection, id) ?? id);
}

/**
 * What a person calls an entity: its name with the parent that it hangs on, and never a secret. A
 * key is a secret, so credentials that have no other name are called by their id.
 */
export function entityLabel(
  collection: CollectionName,
  entity: JsonObject,
  names: NameLookup,
): string {
  const kind = entityKind(collection);
  const field = kind.labelField;
  const name = field === undefined || kind.secrets.includes(field) ? undefined : entity[field];
  const own =
    kind.isMembership === true
      ? String(referred(entity, 'consumer', 'consumers', names))
      : typeof name === 'string' && name !== ''
        ? name
        : String(entity.id);
  if (collection === 'plugins') {
    const scopes = kind.references.flatMap((reference) => {
      const parent = referred(entity, reference.field, reference.collection, names);
      return parent === undefined ? [] : [`${entityKind(reference.collection).noun} ${parent}`];
    });
    return scopes.length === 0 ? `${own} (global)` : `${own} for ${scopes.join(' and ')}`;
  }
  const parent = kind.references.find((reference) => reference.field === kind.parentField);
  if (parent === undefined) return own;
  const { noun } = entityKind(parent.collection);
  return `${own} for ${noun} ${referred(entity, parent.field, parent.collection, names)}`;
}
