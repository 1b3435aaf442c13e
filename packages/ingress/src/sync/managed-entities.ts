import {
  type CollectionName,
  KongEntities,
  type Operation,
  type StoredEntity,
} from '@waygate/kong';
import { entryOf } from '../store/entry-of.ts';

/**
 * What a Kong with a database holds of ours, as far as we know: what was read from it, and what was
 * written since. Services and upstreams can be taken out with all that belongs to them, so that one
 * change is compared with one service, not with all.
 */
export class ManagedEntities {
  readonly state: KongEntities;
  readonly #idByName = new Map<string, string>();
  readonly #children = new Map<string, Set<string>>();

  constructor(state: KongEntities) {
    this.state = state;
    for (const collection of ['services', 'upstreams', 'routes', 'targets'] as const)
      for (const entity of state.values(collection)) this.#index(collection, entity);
  }

  /** A state with these services and their routes, and these upstreams and their targets. */
  partOf(services: Iterable<string>, upstreams: Iterable<string>): KongEntities {
    const part = new KongEntities();
    const take = (
      parent: 'services' | 'upstreams',
      child: 'routes' | 'targets',
      names: Iterable<string>,
    ) => {
      for (const name of names) {
        const id = this.#idByName.get(`${parent} ${name}`);
        const entity = id === undefined ? undefined : this.state.get(parent, id);
        if (entity === undefined) continue;
        part.put(parent, entity);
        for (const childId of this.#children.get(`${child} ${id}`) ?? []) {
          const one = this.state.get(child, childId);
          if (one !== undefined) part.put(child, one);
        }
      }
    };
    take('services', 'routes', services);
    take('upstreams', 'targets', upstreams);
    return part;
  }

  /** The id of what is held under a name. */
  idOf(collection: 'services' | 'routes', name: string): string | undefined {
    return this.#idByName.get(`${collection} ${name}`);
  }

  /** The host of a service that is held, which is the name of its upstream. */
  hostOf(service: string): string | undefined {
    const id = this.#idByName.get(`services ${service}`);
    const host = id === undefined ? undefined : this.state.get('services', id)?.host;
    return typeof host === 'string' ? host : undefined;
  }

  /** Notes that an operation was carried out. */
  applied({ op, collection, id, before, after, isRelease }: Operation): void {
    if (isRelease === true) return;
    if (before !== undefined) this.#unindex(collection, before);
    if (op === 'delete') {
      this.state.delete(collection, id);
    } else if (after !== undefined) {
      this.state.put(collection, after);
      this.#index(collection, after);
    }
  }

  #index(collection: CollectionName, entity: StoredEntity): void {
    if (typeof entity.name === 'string')
      this.#idByName.set(`${collection} ${entity.name}`, entity.id);
    const parent = parentOf(collection, entity);
    if (parent === undefined) return;
    entryOf(this.#children, `${collection} ${parent}`, () => new Set()).add(entity.id);
  }

  #unindex(collection: CollectionName, entity: StoredEntity): void {
    if (typeof entity.name === 'string') this.#idByName.delete(`${collection} ${entity.name}`);
    const parent = parentOf(collection, entity);
    if (parent !== undefined) this.#children.get(`${collection} ${parent}`)?.delete(entity.id);
  }
}

function parentOf(collection: CollectionName, entity: StoredEntity): string | undefined {
  const field =
    collection === 'routes' ? 'service' : collection === 'targets' ? 'upstream' : undefined;
  if (field === undefined) return undefined;
  const reference = entity[field] as { id?: string } | null | undefined;
  return reference?.id;
}
