import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { type CollectionName, type EntityKind, referencesTo } from '../entity/entity-kinds.ts';
import { type EntityCollection, referenceId, type StoredEntity } from './entity-collection.ts';
import { type StoreError, storeErrors } from './store-error.ts';

/** Finds the entities of a kind. */
export type CollectionFinder = (collection: CollectionName) => EntityCollection;

/** What the database has against an entity: its key, a unique value, or a reference to nothing. */
export function constraintError(
  of: CollectionFinder,
  kind: EntityKind,
  entity: StoredEntity,
  existing: StoredEntity | undefined,
): StoreError | undefined {
  const entities = of(kind.collection);
  if (existing === undefined && entities.get(entity.id) !== undefined) {
    return storeErrors.primaryKey(entity.id);
  }
  const conflict = entities.findConflict(entity);
  if (conflict !== undefined) return storeErrors.unique(conflict);
  for (const { field, collection } of kind.references) {
    const id = referenceId(entity[field]);
    if (id === undefined || of(collection).get(id) !== undefined) continue;
    return storeErrors.missingReference(field, id, collection);
  }
  return undefined;
}

/** What keeps an entity from being deleted: something refers to it, or to what would go with it. */
export function deleteError(
  of: CollectionFinder,
  collection: CollectionName,
  id: string,
): StoreError | undefined {
  for (const { kind, reference } of referencesTo(collection)) {
    const holders = of(kind.collection).holdersOf(reference.field, id);
    if (holders.length === 0) continue;
    if (reference.onDelete === 'restrict') {
      return storeErrors.stillReferenced(kind.collection, collection);
    }
    for (const holder of holders) {
      const nested = deleteError(of, kind.collection, holder);
      if (nested !== undefined) return nested;
    }
  }
  if (collection !== 'ca_certificates') return undefined;
  for (const service of of('services').values()) {
    const used = service.ca_certificates;
    if (Array.isArray(used) && used.includes(id)) {
      return storeErrors.caStillReferenced(id, 'services', service.id);
    }
  }
  return undefined;
}

/** What is wrong with the names that a certificate is to have. */
export function certificateNameError(
  of: CollectionFinder,
  certificate: string,
  names: JsonValue | undefined,
): StoreError | undefined {
  if (!Array.isArray(names)) return undefined;
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) {
      return storeErrors.schema({ snis: `${String(name)} is duplicated` });
    }
    const owner = referenceId(of('snis').findBy('name', name as string)?.certificate);
    if (owner === undefined || owner === certificate) continue;
    const message = `${String(name)} already associated with existing certificate '${owner}'`;
    return storeErrors.schema({ snis: message });
  }
  return undefined;
}

/** What Kong computes when it writes, after the entity has passed. */
export function storedForm(
  kind: EntityKind,
  entity: StoredEntity,
  input: JsonObject,
): StoredEntity {
  if (kind.collection === 'certificates') {
    const { snis: _names, ...rest } = entity as StoredEntity & { readonly snis?: JsonValue };
    return rest as StoredEntity;
  }
  if (kind.collection === 'basicauth_credentials' && typeof input.password === 'string') {
    const salt = referenceId(entity.consumer) ?? '';
    const password = createHash('sha1').update(`${input.password}${salt}`).digest('hex');
    return { ...entity, password };
  }
  return entity;
}
