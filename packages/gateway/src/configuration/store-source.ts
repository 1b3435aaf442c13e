import {
  type CollectionName,
  EntityStore,
  type EntityStoreOptions,
  entityKinds,
  type JsonObject,
  type StoredEntity,
} from '@waygate/kong';
import type { EntityDifference, EntityUpdate } from './entity-difference.ts';
import { type EntitySource, type FollowedCollection, followedReferences } from './entity-source.ts';

const collections: ReadonlySet<string> = new Set(entityKinds.map((kind) => kind.collection));

/**
 * The gateway's entities. Reads go to the store of now; in DB-less mode a whole new store takes its
 * place at once.
 */
export class StoreSource implements EntitySource {
  readonly #options: Omit<EntityStoreOptions, 'onChange'>;
  readonly #onChange: (difference: EntityDifference) => void;
  #store: EntityStore;

  /** @param onChange - called after each change to the store of now, never while it is replaced */
  constructor(
    options: Omit<EntityStoreOptions, 'onChange'>,
    onChange: (difference: EntityDifference) => void,
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
      onChange: ({ collection, before, after }) => {
        if (store === this.#store) {
          this.#onChange({ collection, id: after?.id ?? before?.id ?? '', before, after });
        }
      },
    });
    return store;
  }

  /** Puts another store in place, and returns what that changed. */
  replace(store: EntityStore): EntityDifference[] {
    const differences: EntityDifference[] = [];
    for (const { collection } of entityKinds) {
      for (const difference of differencesIn(collection, this.#store, store)) {
        differences.push(difference);
      }
    }
    this.#store = store;
    return differences;
  }

  /** Takes a change back that could not be kept, and returns what that changed. Nobody is told. */
  undo({ collection, id, before, after }: EntityDifference): EntityDifference {
    if (before === undefined) this.#store.forget(collection as CollectionName, id);
    else this.#store.restore(collection as CollectionName, before as StoredEntity);
    return { collection, id, before: after, after: before };
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

  get(collection: string, id: string): JsonObject | undefined {
    return this.#store.get(collection as CollectionName, id);
  }

  heldBy(collection: FollowedCollection, id: string): Iterable<JsonObject> {
    return this.#store.heldBy(collection, { field: followedReferences[collection], id });
  }
}

function* differencesIn(
  collection: CollectionName,
  before: EntityStore,
  after: EntityStore,
): Generator<EntityDifference> {
  const known = new Map<string, JsonObject>();
  for (const entity of before.all(collection)) known.set(entity.id, entity);
  for (const entity of after.all(collection)) {
    const old = known.get(entity.id);
    known.delete(entity.id);
    if (old === undefined || !isSame(old, entity)) {
      yield { collection, id: entity.id, before: old, after: entity };
    }
  }
  for (const [id, old] of known) yield { collection, id, before: old, after: undefined };
}

/** Times of writing say nothing on what an entity does. */
function isSame(one: JsonObject, two: JsonObject): boolean {
  return one === two || textOf(one) === textOf(two);
}

function textOf(entity: JsonObject): string {
  return JSON.stringify({ ...entity, created_at: undefined, updated_at: undefined });
}
