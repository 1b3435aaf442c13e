import type { JsonObject } from '@waygate/kong';
import type { EntitySource } from './entity-source.ts';
import type { EntityUpdate } from './store-source.ts';

/** A worker's copy of the entities: checked where they are kept, and taken here as they come. */
export class EntityReplica implements EntitySource {
  readonly #collections = new Map<string, Map<string, JsonObject>>();
  readonly #versions = new Map<string, number>();
  /** By upstream, then by id. */
  readonly #targets = new Map<string, Map<string, JsonObject>>();

  list(collection: string): Iterable<JsonObject> {
    return this.#collections.get(collection)?.values() ?? [];
  }

  find(collection: string, id: string): JsonObject | undefined {
    return this.#collections.get(collection)?.get(id);
  }

  targetsOf(upstream: string): Iterable<JsonObject> {
    return this.#targets.get(upstream)?.values() ?? [];
  }

  version(collection: string): number {
    return this.#versions.get(collection) ?? 0;
  }

  /** Returns the ids of the upstreams that changed, or whose targets did. */
  apply(updates: Iterable<EntityUpdate>): ReadonlySet<string> {
    const touched = new Set<string>();
    const upstreams = new Set<string>();
    for (const { collection, id, entity } of updates) {
      let entities = this.#collections.get(collection);
      if (entities === undefined) {
        entities = new Map();
        this.#collections.set(collection, entities);
      }
      if (collection === 'targets') {
        const before = entities.get(id);
        addUpstreams(upstreams, before, entity);
        this.#index(id, before, entity);
      } else if (collection === 'upstreams') {
        upstreams.add(id);
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
    return upstreams;
  }

  #index(id: string, before: JsonObject | undefined, after: JsonObject | undefined): void {
    const old = upstreamOf(before);
    const now = upstreamOf(after);
    if (old !== undefined && old !== now) {
      const targets = this.#targets.get(old);
      targets?.delete(id);
      if (targets?.size === 0) {
        this.#targets.delete(old);
      }
    }
    if (now === undefined || after === undefined) {
      return;
    }
    const targets = this.#targets.get(now);
    if (targets === undefined) {
      this.#targets.set(now, new Map([[id, after]]));
    } else {
      targets.set(id, after);
    }
  }
}

function upstreamOf(target: JsonObject | undefined): string | undefined {
  return (target?.upstream as { readonly id?: string } | null | undefined)?.id;
}

/** Notes the upstreams that targets belong to. */
export function addUpstreams(
  upstreams: Set<string>,
  ...targets: readonly (JsonObject | undefined)[]
): void {
  for (const target of targets) {
    const upstream = upstreamOf(target);
    if (upstream !== undefined) {
      upstreams.add(upstream);
    }
  }
}
