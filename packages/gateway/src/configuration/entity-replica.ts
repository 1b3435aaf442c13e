import type { JsonObject } from '@waygate/kong';
import { type EntityDifference, type EntityUpdate, referredId } from './entity-difference.ts';
import { type EntitySource, type FollowedCollection, followedReferences } from './entity-source.ts';

type Entities = Map<string, JsonObject>;

/** A worker's copy of the entities: checked where they are kept, and taken here as they come. */
export class EntityReplica implements EntitySource {
  readonly #collections = new Map<string, Entities>();
  /** By the id of a service or an upstream, what is held by it. */
  readonly #held: Readonly<Record<FollowedCollection, Map<string, Entities>>> = {
    routes: new Map(),
    targets: new Map(),
  };

  list(collection: string): Iterable<JsonObject> {
    return this.#collections.get(collection)?.values() ?? [];
  }

  get(collection: string, id: string): JsonObject | undefined {
    return this.#collections.get(collection)?.get(id);
  }

  heldBy(collection: FollowedCollection, id: string): Iterable<JsonObject> {
    return this.#held[collection].get(id)?.values() ?? [];
  }

  /** Returns what the updates changed. */
  apply(updates: Iterable<EntityUpdate>): EntityDifference[] {
    const differences: EntityDifference[] = [];
    for (const { collection, id, entity } of updates) {
      let entities = this.#collections.get(collection);
      if (entities === undefined) {
        entities = new Map();
        this.#collections.set(collection, entities);
      }
      const difference = { collection, id, before: entities.get(id), after: entity };
      if (entity === undefined) {
        entities.delete(id);
      } else {
        entities.set(id, entity);
      }
      if (collection === 'routes' || collection === 'targets') this.#follow(collection, difference);
      differences.push(difference);
    }
    return differences;
  }

  #follow(collection: FollowedCollection, { id, before, after }: EntityDifference): void {
    const field = followedReferences[collection];
    const held = this.#held[collection];
    const [old, now] = [referredId(before, field), referredId(after, field)];
    if (old !== undefined && old !== now) {
      const entities = held.get(old);
      entities?.delete(id);
      if (entities?.size === 0) held.delete(old);
    }
    if (now === undefined || after === undefined) return;
    const entities = held.get(now);
    if (entities === undefined) {
      held.set(now, new Map([[id, after]]));
    } else {
      entities.set(id, after);
    }
  }
}
