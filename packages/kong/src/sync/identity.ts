import type { JsonObject, JsonValue } from '../entity/entities.ts';
import type { CollectionName, EntityKind } from '../entity/entity-kinds.ts';
import { normalizeTarget } from '../schema/host-name.ts';
import { referenceId } from '../store/entity-collection.ts';
import type { KongEntities } from './kong-entities.ts';
import { atOnce, StepCounter, type Steps } from './steps.ts';

/** One field of an identity: a reference counts as the id that it holds. */
function identityPart(kind: EntityKind, entity: JsonObject, field: string): JsonValue {
  const value = entity[field];
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') return referenceId(value) ?? null;
  if (kind.collection === 'targets' && field === 'target') {
    return normalizeTarget(String(value)) ?? value;
  }
  return value;
}

/**
 * The value of an identity, or undefined when the entity lacks what it is made of. Of a single field
 * with a text it is that text.
 */
export function identityKey(
  kind: EntityKind,
  entity: JsonObject,
  fields: readonly string[],
): string | undefined {
  if (fields.length === 1 && kind.collection !== 'plugins') {
    const part = identityPart(kind, entity, fields[0] as string);
    if (part === null) return undefined;
    return typeof part === 'string' ? part : `\0${JSON.stringify(part)}`;
  }
  const parts = fields.map((field) => identityPart(kind, entity, field));
  const isWhole = kind.collection === 'plugins' ? parts[0] !== null : !parts.includes(null);
  const isKey = kind.collection === 'keys' && fields.length > 1 && parts[0] !== null;
  return isWhole || isKey ? JSON.stringify(parts) : undefined;
}

/** Which entity of a file has an identity, by collection and the fields that it is made of. */
export class TakenIdentities {
  readonly #ids = new Map<CollectionName, Map<string, Map<string, string>>>();

  find(collection: CollectionName, fields: string, key: string): string | undefined {
    return this.#ids.get(collection)?.get(fields)?.get(key);
  }

  add(collection: CollectionName, fields: string, key: string, id: string): void {
    const byFields = this.#ids.get(collection) ?? new Map<string, Map<string, string>>();
    if (byFields.size === 0) this.#ids.set(collection, byFields);
    const keys = byFields.get(fields);
    if (keys === undefined) byFields.set(fields, new Map([[key, id]]));
    else keys.set(key, id);
  }
}

/** What stands for the id of a membership, which has none: the ids of the two that it joins. */
export function membershipId(kind: EntityKind, entity: JsonObject): string {
  return kind.references.map(({ field }) => referenceId(entity[field]) ?? '').join(':');
}

/**
 * Finds, for an entity of a file that has no id, the one that the server has already: by name, or
 * whatever else makes two entities of a kind the same.
 */
export class IdentityIndex {
  readonly #state: KongEntities;
  readonly #byKind = new Map<CollectionName, readonly ReadonlyMap<string, string>[]>();

  constructor(state: KongEntities) {
    this.#state = state;
  }

  /** Reads the entities of a kind; {@link find} does so, too, but all at once. */
  *read(kind: EntityKind): Steps<readonly ReadonlyMap<string, string>[]> {
    const known = this.#byKind.get(kind.collection);
    if (known !== undefined) return known;
    const maps: Map<string, string>[] = [];
    const counter = new StepCounter();
    for (const fields of kind.identity) {
      const ids = new Map<string, string>();
      for (const entity of this.#state.values(kind.collection)) {
        const key = identityKey(kind, entity, fields);
        if (key !== undefined && !ids.has(key)) ids.set(key, entity.id);
        if (counter.isDue()) yield;
      }
      maps.push(ids);
    }
    this.#byKind.set(kind.collection, maps);
    return maps;
  }

  /** The id of the twin, or undefined. */
  find(kind: EntityKind, entity: JsonObject): string | undefined {
    if (this.#state.count(kind.collection) === 0) return undefined;
    const maps = this.#byKind.get(kind.collection) ?? atOnce(this.read(kind));
    for (const [index, fields] of kind.identity.entries()) {
      const key = identityKey(kind, entity, fields);
      const id = key === undefined ? undefined : maps[index]?.get(key);
      if (id !== undefined) return id;
    }
    return undefined;
  }
}
