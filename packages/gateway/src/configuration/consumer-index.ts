import type { JsonObject, KongConsumer } from '@waygate/kong';
import type { EntitySource } from './entity-source.ts';

/** A credential as stored, of any kind. */
export type StoredCredential = JsonObject & { readonly id: string };

/** Finds consumers and credentials. An index is built when it is first asked for. */
export class ConsumerIndex {
  readonly #source: EntitySource;
  readonly #byField = new Map<string, ReadonlyMap<string, readonly JsonObject[]>>();

  constructor(source: EntitySource) {
    this.#source = source;
  }

  consumer(id: string | undefined): KongConsumer | undefined {
    return id === undefined ? undefined : this.#first('consumers', 'id', id);
  }

  consumerByUsername(username: string): KongConsumer | undefined {
    return this.#first('consumers', 'username', username);
  }

  consumerByCustomId(customId: string): KongConsumer | undefined {
    return this.#first('consumers', 'custom_id', customId);
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

  #index(collection: string, field: string): ReadonlyMap<string, readonly JsonObject[]> {
    const name = `${collection}.${field}`;
    const known = this.#byField.get(name);
    if (known !== undefined) {
      return known;
    }
    const index = new Map<string, JsonObject[]>();
    for (const entity of this.#source.list(collection)) {
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
    this.#byField.set(name, index);
    return index;
  }
}

function keyOf(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value === 'object' && value !== null && 'id' in value) {
    return typeof value.id === 'string' ? value.id : undefined;
  }
  return undefined;
}
