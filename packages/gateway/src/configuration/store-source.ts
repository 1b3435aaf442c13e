import {
  type CollectionName,
  type EntityChange,
  EntityStore,
  type EntityStoreOptions,
  entityKinds,
  type JsonObject,
} from '@waygate/kong';
import type { EntitySource } from './entity-source.ts';

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

  /** Puts another store in place. Collections that hold the same as before keep their version. */
  replace(store: EntityStore): void {
    for (const { collection } of entityKinds) {
      if (!isSame([...this.#store.all(collection)], [...store.all(collection)])) {
        this.#bump(collection);
      }
    }
    this.#store = store;
  }

  list(collection: string): Iterable<JsonObject> {
    return collections.has(collection) ? this.#store.all(collection as CollectionName) : [];
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

function isSame(before: readonly JsonObject[], after: readonly JsonObject[]): boolean {
  if (before.length !== after.length) {
    return false;
  }
  const texts = new Map(before.map((entity) => [entity.id, textOf(entity)]));
  return after.every((entity) => texts.get(entity.id) === textOf(entity));
}

/** Times of writing say nothing on what an entity does, but for the order of equal routes. */
function textOf(entity: JsonObject): string {
  return JSON.stringify({ ...entity, updated_at: undefined });
}
