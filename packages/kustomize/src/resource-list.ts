import { KustomizeError } from './kustomize-error.ts';
import type { Resource } from './resource.ts';
import { idKey, idString, type ResourceId } from './resource-id.ts';

/**
 * The resources of a layer, in order. Look-ups by id go through an index, which is what keeps a
 * build linear in the number of resources; whoever changes ids calls `reindex`.
 */
export class ResourceList implements Iterable<Resource> {
  #resources: Resource[] = [];
  /** By current id. Invariant: either undefined, or true to `resources`. */
  #byId: Map<string, Resource[]> | undefined = new Map();
  /** By current and all previous ids; built on demand. */
  #byAnyId: Map<string, Resource[]> | undefined;

  get size(): number {
    return this.#resources.length;
  }

  [Symbol.iterator](): Iterator<Resource> {
    return this.#resources[Symbol.iterator]();
  }

  toArray(): readonly Resource[] {
    return this.#resources;
  }

  /** Forgets the indexes, after ids may have changed. */
  reindex(): void {
    this.#byId = undefined;
    this.#byAnyId = undefined;
  }

  /** Adds a resource; two of the same id are an error. */
  append(resource: Resource): void {
    const index = this.#currentIndex();
    const key = idKey(resource.id);
    if (index.has(key)) throw duplicate(resource);
    index.set(key, [resource]);
    this.#resources.push(resource);
    if (this.#byAnyId !== undefined) addToIndex(this.#byAnyId, resource, anyKeys(resource));
  }

  /** Fails when a change has given two resources one id: some steps take all of them in anew. */
  refuseDuplicates(): void {
    for (const same of this.#currentIndex().values()) {
      if (same.length === 1) continue;
      const second = same.filter((resource) => !resource.isEmpty)[1];
      if (second !== undefined) throw duplicate(second);
    }
  }

  appendAll(resources: Iterable<Resource>): void {
    for (const resource of resources) this.append(resource);
  }

  /** Those whose current or any previous id is the given one. */
  findByAnyId(id: ResourceId): readonly Resource[] {
    if (this.#byAnyId === undefined) {
      this.#byAnyId = new Map();
      for (const resource of this.#resources) {
        if (!resource.isEmpty) addToIndex(this.#byAnyId, resource, anyKeys(resource));
      }
    }
    return this.#byAnyId.get(idKey(id)) ?? [];
  }

  findById(id: ResourceId): readonly Resource[] {
    return this.#currentIndex().get(idKey(id)) ?? [];
  }

  /** The one resource that a patch is for. */
  patchTarget(id: ResourceId): Resource {
    const found = this.findByAnyId(id);
    if (found.length === 1) return found[0]!;
    const count = found.length > 1 ? 'multiple' : 'no';
    const text = idString(id);
    throw new KustomizeError(
      `${count} matches for Id ${text}; failed to find unique target for patch ${text}`,
    );
  }

  replace(old: Resource, by: Resource): void {
    this.#resources[this.#resources.indexOf(old)] = by;
    this.reindex();
  }

  /** Keeps only what passes. */
  keep(predicate: (resource: Resource) => boolean): void {
    const kept = this.#resources.filter(predicate);
    if (kept.length === this.#resources.length) return;
    this.#resources = kept;
    this.reindex();
  }

  sort(compare: (a: Resource, b: Resource) => number): void {
    this.#resources.sort(compare);
  }

  /** Puts others in the place of all. */
  reset(resources: readonly Resource[]): void {
    this.#resources = [...resources];
    this.reindex();
  }

  copy(): ResourceList {
    const copy = new ResourceList();
    copy.#resources = this.#resources.map((resource) => resource.copy());
    copy.reindex();
    return copy;
  }

  #currentIndex(): Map<string, Resource[]> {
    if (this.#byId === undefined) {
      this.#byId = new Map();
      for (const resource of this.#resources) addToIndex(this.#byId, resource, [resource.key]);
    }
    return this.#byId;
  }
}

function duplicate(resource: Resource): KustomizeError {
  return new KustomizeError(
    `may not add resource with an already registered id: ${idString(resource.id)}`,
    { file: resource.file, line: resource.line },
  );
}

function anyKeys(resource: Resource): Iterable<string> {
  if (resource.previousNames.length === 0) return [resource.key];
  return new Set(resource.allIds.map(idKey));
}

function addToIndex(
  index: Map<string, Resource[]>,
  resource: Resource,
  keys: Iterable<string>,
): void {
  for (const key of keys) {
    const list = index.get(key);
    if (list === undefined) index.set(key, [resource]);
    else list.push(resource);
  }
}
