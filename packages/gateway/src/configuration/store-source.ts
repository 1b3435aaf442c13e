import {
  type CollectionName,
  type EntityChange,
  EntityStore,
  type EntityStoreOptions,
  entityKinds,
  type JsonObject,
} from '@waygate/kong';
import type { EntitySource } from './entity-source.ts';

/** An entity as it is from now on, or without `entity` that it is gone. */
export interface EntityUpdate {
  readonly collection: string;
  readonly id: string;
  readonly entity?: JsonObject;
}

const collections: ReadonlySet<string> = new Set(entityKinds.map((kind) => kind.collection));

/**
 * The gateway's entities. Reads go to the store of now; in DB-less mode a whole new store takes its
 * place at once.
 */
export class StoreSource implements EntitySource {
  readonly #options: Omit<EntityStoreOptions, 'onChange'>;
  readonly #onChange: (change: EntityChange) => void;
  readonly #versions = new Map<string, number>();
  #store: EntityStore;

  /** @param onChange - called after each change to the store of now, never while it is replaced */
  constructor(
    options: Omit<EntityStoreOptions, 'onChange'>,
    onChange: (change: EntityChange) => void,
  ) {
    this.#options = options;
    this.#onChange = onChange;
    this.#store = this.createStore();
  }

  get store(): EntityStore {
    return this.#store;
  }

  /** An empty store with the same rules, to be filled and then put in place. */
  createStore(): EntityStore {
    const store: EntityStore = new EntityStore({
      ...this.#options,
      onChange: (change) => {
        if (store === this.#store) {
          this.#bump(change.collection);
          this.#onChange(change);
        }
      },
    });
    return store;
  }

  /**
   * Puts another store in place, and returns what that changed. Collections that hold the same as before
   * keep their version.
   */
  replace(store: EntityStore): EntityUpdate[] {
    const updates: EntityUpdate[] = [];
    for (const { collection } of entityKinds) {
      const changed = difference(
        collection,
        this.#store.all(collection) as Iterable<JsonObject>,
        store.all(collection) as Iterable<JsonObject>,
      );
      if (changed.length > 0) {
        this.#bump(collection);
        updates.push(...changed);
      }
    }
    this.#store = store;
    return updates;
  }

  /** Everything there is, as updates of an empty source. */
  *everything(): Iterable<EntityUpdate> {
    for (const [collection, entity] of this.#store.entries()) {
      yield { collection, id: entity.id, entity };
    }
  }

  list(collection: string): Iterable<JsonObject> {
    return collections.has(collection) ? this.#store.all(collection as CollectionName) : [];
  }

  find(collection: string, id: string): JsonObject | undefined {
    if (!collections.has(collection)) {
      return undefined;
    }
    // The store would find it by name too.
    const found = this.#store.get(collection as CollectionName, id);
    return found?.id === id ? found : undefined;
  }

  targetsOf(upstream: string): Iterable<JsonObject> {
    return this.#store.heldBy('targets', { field: 'upstream', id: upstream });
  }

  version(collection: string): number {
    return this.#versions.get(collection) ?? 0;
  }

  /** Counts a collection as changed: for what is restored from disk, entity by entity. */
  touch(collection: string): void {
    this.#bump(collection);
  }

  #bump(collection: string): void {
    this.#versions.set(collection, this.version(collection) + 1);
  }
}

function difference(
  collection: string,
  before: Iterable<JsonObject>,
  after: Iterable<JsonObject>,
): EntityUpdate[] {
  const known = new Map<unknown, JsonObject>();
  for (const entity of before) {
    known.set(entity.id, entity);
  }
  const updates: EntityUpdate[] = [];
  for (const entity of after) {
    const old = known.get(entity.id);
    known.delete(entity.id);
    if (old === undefined || textOf(old) !== textOf(entity)) {
      updates.push({ collection, id: String(entity.id), entity });
    }
  }
  for (const id of known.keys()) {
    updates.push({ collection, id: String(id) });
  }
  return updates;
}

/** Times of writing say nothing on what an entity does, but for the order of equal routes. */
function textOf(entity: JsonObject): string {
  return JSON.stringify({ ...entity, updated_at: undefined });
}
