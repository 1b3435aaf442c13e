import type { JsonObject, JsonValue } from '../entity/entities.ts';
import type { CollectionName, EntityKind } from '../entity/entity-kinds.ts';
import { normalizeTarget } from '../schema/host-name.ts';
import { referenceId } from '../store/entity-collection.ts';
import type { KongState } from './kong-state.ts';

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

/** The value of an identity, or undefined when the entity lacks what it is made of. */
export function identityKey(
  kind: EntityKind,
  entity: JsonObject,
  fields: readonly string[],
): string | undefined {
  const parts = fields.map((field) => identityPart(kind, entity, field));
  const isWhole = kind.collection === 'plugins' ? parts[0] !== null : !parts.includes(null);
  const isKey = kind.collection === 'keys' && fields.length > 1 && parts[0] !== null;
  return isWhole || isKey ? JSON.stringify(parts) : undefined;
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
  readonly #state: KongState;
  readonly #byKind = new Map<CollectionName, readonly ReadonlyMap<string, string>[]>();

  constructor(state: KongState) {
    this.#state = state;
  }

  /** The id of the twin, or undefined. */
  find(kind: EntityKind, entity: JsonObject): string | undefined {
    const maps = this.#mapsOf(kind);
    for (const [index, fields] of kind.identity.entries()) {
      const key = identityKey(kind, entity, fields);
      const id = key === undefined ? undefined : maps[index]?.get(key);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  #mapsOf(kind: EntityKind): readonly ReadonlyMap<string, string>[] {
    const known = this.#byKind.get(kind.collection);
    if (known !== undefined) return known;
    const maps = kind.identity.map((fields) => {
      const ids = new Map<string, string>();
      for (const entity of this.#state.values(kind.collection)) {
        const key = identityKey(kind, entity, fields);
        if (key !== undefined && !ids.has(key)) ids.set(key, entity.id);
      }
      return ids;
    });
    this.#byKind.set(kind.collection, maps);
    return maps;
  }
}
