import { type CollectionName, entityKinds } from '../entity/entity-kinds.ts';
import type { StoredEntity } from '../store/entity-collection.ts';

/**
 * What a Kong has, or should have: entities by collection and id.
 *
 * ```ts
 * const state = new KongEntities();
 * state.put('services', { id: 'a', name: 'shop', host: 'shop' });
 * state.count('services'); // 1
 * ```
 */
export class KongEntities {
  readonly #collections = new Map<CollectionName, Map<string, StoredEntity>>(
    entityKinds.map((kind) => [kind.collection, new Map()]),
  );

  get size(): number {
    let total = 0;
    for (const entities of this.#collections.values()) total += entities.size;
    return total;
  }

  put(collection: CollectionName, entity: StoredEntity): void {
    this.#of(collection).set(entity.id, entity);
  }

  get(collection: CollectionName, id: string): StoredEntity | undefined {
    return this.#of(collection).get(id);
  }

  delete(collection: CollectionName, id: string): void {
    this.#of(collection).delete(id);
  }

  values(collection: CollectionName): IterableIterator<StoredEntity> {
    return this.#of(collection).values();
  }

  count(collection: CollectionName): number {
    return this.#of(collection).size;
  }

  copy(): KongEntities {
    const copy = new KongEntities();
    for (const [collection, entities] of this.#collections) {
      for (const entity of entities.values()) copy.put(collection, entity);
    }
    return copy;
  }

  #of(collection: CollectionName): Map<string, StoredEntity> {
    const entities = this.#collections.get(collection);
    if (entities === undefined) throw new Error(`no collection named ${collection}`);
    return entities;
  }
}
