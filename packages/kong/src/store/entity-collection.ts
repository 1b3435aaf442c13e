import { isObject } from '@waygate/text';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import type { EntityKind } from '../entity/entity-kinds.ts';
import { findSchema } from '../schema/schema-catalog.ts';

/** An entity that is stored: it has an id. */
export type StoredEntity = JsonObject & { readonly id: string };

/** One set of fields that no two entities share, with the entity that has each value. */
interface UniqueIndex {
  readonly fields: readonly string[];
  /** Whether a set with an unset field counts too, as the keys that Kong computes do. */
  readonly countsNulls: boolean;
  readonly ids: Map<string, string>;
}

/** The id of a reference (`service: { id }`); undefined of what is none. */
export function referenceId(value: JsonValue | undefined): string | undefined {
  if (!isObject(value)) return undefined;
  const { id } = value as JsonObject;
  return typeof id === 'string' ? id : undefined;
}

function keyPart(value: JsonValue | undefined): JsonValue {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? (referenceId(value) ?? null) : value;
}

/** A part of a key. No two lists of parts have the same text: one of text says how long it is. */
function keyText(part: JsonValue): string {
  return typeof part === 'string' ? `${part.length}:${part}` : `${JSON.stringify(part)},`;
}

/**
 * The entities of one kind, by id, with an index for each unique field and for each reference.
 * Invariant: every entity in `entities` is in each index that it has a value for, and nowhere else.
 */
export class EntityCollection {
  readonly kind: EntityKind;
  readonly #entities = new Map<string, StoredEntity>();
  readonly #unique: readonly UniqueIndex[];
  /** By reference field, the ids of the holders of each referred id. */
  readonly #holders: ReadonlyMap<string, Map<string, Set<string>>>;
  /** All ids in order, or undefined after a change, until it is needed again. */
  #sortedIds: readonly string[] | undefined;

  constructor(kind: EntityKind) {
    this.kind = kind;
    const fields = [...(findSchema(kind.collection)?.fields ?? [])];
    this.#unique = [
      ...fields
        .filter(([, field]) => field.unique === true)
        .map(([name]) => ({ fields: [name], countsNulls: false, ids: new Map<string, string>() })),
      ...kind.uniqueTogether.map((names) => ({
        fields: names,
        countsNulls: true,
        ids: new Map<string, string>(),
      })),
    ];
    this.#holders = new Map(kind.references.map(({ field }) => [field, new Map()]));
  }

  get size(): number {
    return this.#entities.size;
  }

  get(id: string): StoredEntity | undefined {
    return this.#entities.get(id);
  }

  values(): IterableIterator<StoredEntity> {
    return this.#entities.values();
  }

  /** The entity whose unique field has a value. */
  findBy(field: string, value: JsonValue): StoredEntity | undefined {
    const index = this.#unique.find(
      (candidate) => candidate.fields.length === 1 && candidate.fields[0] === field,
    );
    const id = index?.ids.get(keyText(keyPart(value)));
    return id === undefined ? undefined : this.#entities.get(id);
  }

  /** The unique fields that another entity already has the values of, or undefined. */
  findConflict(entity: StoredEntity): JsonObject | undefined {
    for (const index of this.#unique) {
      const key = this.#keyOf(index, entity);
      const holder = key === undefined ? undefined : index.ids.get(key);
      if (holder === undefined || holder === entity.id) continue;
      // Only Kong Enterprise has consumer groups; the others do not speak of them.
      const named = index.fields.filter(
        (field) => field !== 'consumer_group' || referenceId(entity[field]) !== undefined,
      );
      return Object.fromEntries(named.map((field) => [field, entity[field] ?? null]));
    }
    return undefined;
  }

  /** The ids of the entities that refer to an id by a field. */
  holdersOf(field: string, id: string): readonly string[] {
    return [...(this.#holders.get(field)?.get(id) ?? [])];
  }

  put(entity: StoredEntity): void {
    const old = this.#entities.get(entity.id);
    if (old === undefined) this.#sortedIds = undefined;
    else this.#unindex(old);
    this.#entities.set(entity.id, entity);
    for (const index of this.#unique) {
      const key = this.#keyOf(index, entity);
      if (key !== undefined) index.ids.set(key, entity.id);
    }
    for (const [field, holders] of this.#holders) {
      const referred = referenceId(entity[field]);
      if (referred === undefined) continue;
      const ids = holders.get(referred);
      if (ids === undefined) holders.set(referred, new Set([entity.id]));
      else ids.add(entity.id);
    }
  }

  remove(id: string): StoredEntity | undefined {
    const entity = this.#entities.get(id);
    if (entity === undefined) return undefined;
    this.#unindex(entity);
    this.#entities.delete(id);
    this.#sortedIds = undefined;
    return entity;
  }

  clear(): void {
    this.#entities.clear();
    for (const index of this.#unique) index.ids.clear();
    for (const holders of this.#holders.values()) holders.clear();
    this.#sortedIds = undefined;
  }

  /** All ids, smallest first: the order of pages. */
  sortedIds(): readonly string[] {
    this.#sortedIds ??= [...this.#entities.keys()].sort();
    return this.#sortedIds;
  }

  #unindex(entity: StoredEntity): void {
    for (const index of this.#unique) {
      const key = this.#keyOf(index, entity);
      if (key !== undefined && index.ids.get(key) === entity.id) index.ids.delete(key);
    }
    for (const [field, holders] of this.#holders) {
      const referred = referenceId(entity[field]);
      if (referred === undefined) continue;
      const ids = holders.get(referred);
      ids?.delete(entity.id);
      if (ids?.size === 0) holders.delete(referred);
    }
  }

  #keyOf(index: UniqueIndex, entity: StoredEntity): string | undefined {
    let key = '';
    for (const field of index.fields) {
      const part = keyPart(entity[field]);
      if (part === null && !index.countsNulls) return undefined;
      key += keyText(part);
    }
    return key;
  }
}
