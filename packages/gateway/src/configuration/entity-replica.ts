import type { JsonObject } from '@waygate/kong';
import type { EntitySource } from './entity-source.ts';
import type { EntityUpdate } from './store-source.ts';

/** A worker's copy of the entities: checked where they are kept, and taken here as they come. */
export class EntityReplica implements EntitySource {
  readonly #collections = new Map<string, Map<string, JsonObject>>();
  readonly #versions = new Map<string, number>();

  list(collection: string): Iterable<JsonObject> {
    return this.#collections.get(collection)?.values() ?? [];
  }

  version(collection: string): number {
    return this.#versions.get(collection) ?? 0;
  }

  apply(updates: Iterable<EntityUpdate>): void {
    const touched = new Set<string>();
    for (const { collection, id, entity } of updates) {
      let entities = this.#collections.get(collection);
      if (entities === undefined) {
        entities = new Map();
        this.#collections.set(collection, entities);
      }
      if (entity === undefined) {
        entities.delete(id);
      } else {
        entities.set(id, entity);
      }
      touched.add(collection);
    }
    for (const collection of touched) {
      this.#versions.set(collection, this.version(collection) + 1);
    }
  }
}
