import type { JsonObject, KongConsumer } from '@waygate/kong';
import { CopyOnWriteMap } from '../collection/copy-on-write-map.ts';
import type { EntityDifference } from './entity-difference.ts';
import type { EntitySource } from './entity-source.ts';

/** A credential as stored, of any kind. */
export type StoredCredential = JsonObject & { readonly id: string };

type FieldIndex = CopyOnWriteMap<readonly JsonObject[]>;

/** What is looked up while requests are served; other fields are indexed when they are asked for. */
const indexedFields: Readonly<Record<string, readonly string[]>> = {
  consumers: ['id', 'username'],
  keyauth_credentials: ['key'],
  basicauth_credentials: ['username'],
  hmacauth_credentials: ['username'],
  jwt_secrets: ['key'],
  oauth2_credentials: ['id', 'client_id'],
  acls: ['consumer'],
};

/** Finds consumers and credentials. */
export class ConsumerIndex {
  readonly #source: EntitySource;
  /** By collection, then by field. */
  readonly #indexes: Map<string, Map<string, FieldIndex>>;

  private constructor(source: EntitySource, indexes: Map<string, Map<string, FieldIndex>>) {
    this.#source = source;
    this.#indexes = indexes;
  }

  static of(source: EntitySource): ConsumerIndex {
    const indexes = new Map<string, Map<string, FieldIndex>>();
    for (const [collection, fields] of Object.entries(indexedFields)) {
      indexes.set(
        collection,
        new Map(fields.map((field) => [field, indexOf(source, collection, field)])),
      );
    }
    return new ConsumerIndex(source, indexes);
  }

  /** The index after changes; this one still finds what it did before. */
  change(differences: readonly EntityDifference[]): ConsumerIndex {
    let indexes: Map<string, Map<string, FieldIndex>> | undefined;
    for (const [collection, list] of groupByCollection(differences)) {
      const fields = this.#indexes.get(collection);
      if (fields !== undefined) {
        indexes ??= new Map(this.#indexes);
        indexes.set(
          collection,
          new Map([...fields].map(([field, index]) => [field, changeIndex(index, field, list)])),
        );
      }
    }
    return indexes === undefined ? this : new ConsumerIndex(this.#source, indexes);
  }

  consumer(id: string | undefined): KongConsumer | undefined {
    return id === undefined ? undefined : this.#first('consumers', 'id', id);
  }

  consumerByUsername(username: string): KongConsumer | undefined {
    return this.#first('consumers', 'username', username);
  }

  credential(collection: string, field: string, value: string): StoredCredential | undefined {
    return this.#first(collection, field, value) as StoredCredential | undefined;
  }

  credentialsOf(collection: string, consumerId: string): readonly StoredCredential[] {
    return (this.#index(collection, 'consumer').get(consumerId) ?? []) as StoredCredential[];
  }

  #first(collection: string, field: string, value: string): JsonObject | undefined {
    return this.#index(collection, field).get(value)?.[0];
  }

  #index(collection: string, field: string): FieldIndex {
    const known = this.#indexes.get(collection)?.get(field);
    if (known !== undefined) return known;
    const index = indexOf(this.#source, collection, field);
    const fields = this.#indexes.get(collection) ?? new Map<string, FieldIndex>();
    this.#indexes.set(collection, fields.set(field, index));
    return index;
  }
}

function indexOf(source: EntitySource, collection: string, field: string): FieldIndex {
  const index = new Map<string, JsonObject[]>();
  for (const entity of source.list(collection)) {
    const key = keyOf(entity[field]);
    if (key !== undefined) {
      const list = index.get(key);
      if (list === undefined) {
        index.set(key, [entity]);
      } else {
        list.push(entity);
      }
    }
  }
  return CopyOnWriteMap.of<readonly JsonObject[]>(index);
}

function changeIndex(
  index: FieldIndex,
  field: string,
  differences: readonly EntityDifference[],
): FieldIndex {
  const changed = new Map<string, readonly JsonObject[]>();
  const listOf = (key: string) => changed.get(key) ?? index.get(key) ?? [];
  for (const { id, before, after } of differences) {
    const [old, now] = [keyOf(before?.[field]), keyOf(after?.[field])];
    if (old !== undefined && old !== now) {
      changed.set(
        old,
        listOf(old).filter((entity) => entity.id !== id),
      );
    }
    if (now !== undefined && after !== undefined) {
      const list = listOf(now);
      const isThere = list.some((entity) => entity.id === id);
      changed.set(
        now,
        isThere ? list.map((entity) => (entity.id === id ? after : entity)) : [...list, after],
      );
    }
  }
  return index.change(
    [...changed].map(([key, list]) => [key, list.length === 0 ? undefined : list]),
  );
}

function groupByCollection(
  differences: readonly EntityDifference[],
): Map<string, EntityDifference[]> {
  const groups = new Map<string, EntityDifference[]>();
  for (const difference of differences) {
    const group = groups.get(difference.collection);
    if (group === undefined) {
      groups.set(difference.collection, [difference]);
    } else {
      group.push(difference);
    }
  }
  return groups;
}

function keyOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'id' in value) {
    return typeof value.id === 'string' ? value.id : undefined;
  }
  return undefined;
}
