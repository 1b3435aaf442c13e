import type { KongPlugin, KongRoute, KongService, StoredEntity } from '@waygate/kong';
import type { Health } from '../protocol/reference.ts';
import type { RouteTarget } from '../protocol/routes.ts';
import { MultiMap } from './multi-map.ts';

/** The collections of a gateway that pages show. Consumers and their credentials are not among them. */
export const shownCollections = ['routes', 'services', 'plugins', 'upstreams', 'targets'] as const;
export type ShownCollection = (typeof shownCollections)[number];

/** What has to be looked at again after a change. */
export interface Touched {
  readonly routes: Iterable<string>;
  readonly services: Iterable<string>;
}

type Reference = { readonly id?: string } | null | undefined;

/** What a gateway has, with what leads from one entity to those that read it. */
export class GatewayModel {
  readonly routes = new Map<string, KongRoute & StoredEntity>();
  readonly services = new Map<string, KongService & StoredEntity>();
  readonly #plugins = new Map<string, KongPlugin & StoredEntity>();
  readonly #upstreams = new Map<string, StoredEntity>();
  readonly #targets = new Map<string, StoredEntity>();
  readonly #upstreamOfName = new Map<string, string>();
  readonly routeIdOfName = new Map<string, string>();
  readonly #routesOfService = new MultiMap<string>();
  readonly #servicesOfHost = new MultiMap<string>();
  /** By the id of the route or service that a plugin is for; by the empty one, those for all. */
  readonly #pluginsOf = new MultiMap<string>();
  readonly #targetsOf = new MultiMap<string>();
  /** By the name of the upstream, and the target in it. */
  readonly #health = new Map<string, ReadonlyMap<string, Health>>();

  get(collection: ShownCollection, id: string): StoredEntity | undefined {
    return this.#of(collection).get(id);
  }

  ids(collection: ShownCollection): Iterable<string> {
    return this.#of(collection).keys();
  }

  routesOf(service: string): ReadonlySet<string> {
    return this.#routesOfService.get(service);
  }

  /** Puts an entity, or takes it away when there is none. */
  change(collection: ShownCollection, id: string, entity: StoredEntity | undefined): Touched {
    const before = this.get(collection, id);
    const routes = new Set<string>();
    const services = new Set<string>();
    for (const each of [before, entity])
      if (each !== undefined) this.#touch(collection, each, routes, services);
    if (before !== undefined) this.#index(collection, before, 'delete');
    if (entity === undefined) {
      this.#of(collection).delete(id);
      // One that is only changed keeps what is known of its targets.
      if (collection === 'upstreams') this.#health.delete(textOf(before?.name) ?? '');
      if (collection === 'targets' && before !== undefined) this.#forgetTarget(before);
    } else {
      this.#of(collection).set(id, entity);
      this.#index(collection, entity, 'add');
      this.#touch(collection, entity, routes, services);
    }
    return { routes, services };
  }

  /** What a gateway says of the targets of an upstream. */
  setHealth(upstream: string, health: ReadonlyMap<string, Health>): Touched {
    const before = this.#health.get(upstream);
    const isSame =
      before?.size === health.size &&
      [...health].every(([key, value]) => before.get(key) === value);
    if (isSame) return { routes: [], services: [] };
    this.#health.set(upstream, health);
    return this.#touchedByHost(upstream);
  }

  /** Ids of an upstream's targets. */
  targetIds(upstream: string): readonly string[] {
    return [...this.#targetsOf.get(upstream)];
  }

  upstreamNames(): Iterable<string> {
    return this.#upstreamOfName.keys();
  }

  upstreamId(name: string): string | undefined {
    return this.#upstreamOfName.get(name);
  }

  /** Ids of the services that send to an upstream. */
  servicesOfHost(name: string): Iterable<string> {
    return this.#servicesOfHost.get(name);
  }

  /** Whether the service's host is an upstream's name, so that its targets get the requests. */
  hasUpstream(service: KongService): boolean {
    return this.#upstreamOfName.has(service.host ?? '');
  }

  /** Where the requests of a service go; those with weight 0 get none. */
  targetsOf(service: KongService): readonly RouteTarget[] {
    const upstream = this.#upstreamOfName.get(service.host ?? '');
    if (upstream === undefined) return [];
    const health = this.#health.get(service.host ?? '');
    const ids = this.#targetsOf.get(upstream);
    // Metrics tell how targets do before anybody has asked which there are.
    if (ids.size === 0)
      return [...(health ?? [])].map(([target, state]) => ({ target, weight: 100, health: state }));
    return [...ids].flatMap((id) => {
      const { target = '', weight = 100 } = (this.#targets.get(id) ?? {}) as {
        readonly target?: string;
        readonly weight?: number;
      };
      return [{ target, weight, health: health?.get(target) ?? 'unknown' }];
    });
  }

  /** Whether a gateway has said which targets the service has: until then, none is no news. */
  knowsTargets(service: KongService): boolean {
    return this.#health.has(service.host ?? '');
  }

  /** The plugins that may run for a request over a route, whoever sends it. */
  pluginsFor(route: string, service: string | undefined): readonly (KongPlugin & StoredEntity)[] {
    const ids = new Set([
      ...this.#pluginsOf.get(''),
      ...this.#pluginsOf.get(service),
      ...this.#pluginsOf.get(route),
    ]);
    return [...ids].flatMap((id) => this.#plugins.get(id) ?? []);
  }

  /** That it is gone is known, however much was known of it. */
  #forgetTarget({ upstream, target }: StoredEntity): void {
    const name = textOf(this.#upstreams.get(idOf(upstream) ?? '')?.name);
    if (name === undefined) return;
    const left = new Map(this.#health.get(name));
    left.delete(String(target));
    this.#health.set(name, left);
  }

  #of(collection: ShownCollection): Map<string, StoredEntity> {
    const maps = {
      routes: this.routes as Map<string, StoredEntity>,
      services: this.services as Map<string, StoredEntity>,
      plugins: this.#plugins as Map<string, StoredEntity>,
      upstreams: this.#upstreams,
      targets: this.#targets,
    };
    return maps[collection];
  }

  #index(collection: ShownCollection, entity: StoredEntity, how: 'add' | 'delete'): void {
    const { id } = entity;
    if (collection === 'routes') {
      this.#routesOfService[how](idOf(entity.service), id);
      const name = textOf(entity.name) ?? id;
      if (how === 'add') this.routeIdOfName.set(name, id);
      else if (this.routeIdOfName.get(name) === id) this.routeIdOfName.delete(name);
    } else if (collection === 'services') this.#servicesOfHost[how](textOf(entity.host), id);
    else if (collection === 'plugins') this.#pluginsOf[how](scopeOf(entity), id);
    else if (collection === 'targets') this.#targetsOf[how](idOf(entity.upstream), id);
    else if (how === 'add') this.#upstreamOfName.set(textOf(entity.name) ?? '', id);
    else if (this.#upstreamOfName.get(textOf(entity.name) ?? '') === id) {
      this.#upstreamOfName.delete(textOf(entity.name) ?? '');
    }
  }

  #touch(
    collection: ShownCollection,
    entity: StoredEntity,
    routes: Set<string>,
    services: Set<string>,
  ): void {
    const add = (touched: Touched): void => {
      for (const route of touched.routes) routes.add(route);
      for (const service of touched.services) services.add(service);
    };
    if (collection === 'routes') {
      routes.add(entity.id);
      const service = idOf(entity.service);
      if (service !== undefined) services.add(service);
    } else if (collection === 'services') add(this.#touchedByService(entity.id));
    else if (collection === 'plugins') add(this.#touchedByPlugin(scopeOf(entity)));
    else if (collection === 'upstreams') add(this.#touchedByHost(textOf(entity.name) ?? ''));
    else {
      const upstream = this.#upstreams.get(idOf(entity.upstream) ?? '');
      add(this.#touchedByHost(textOf(upstream?.name) ?? ''));
    }
  }

  #touchedByService(service: string): Touched {
    return { routes: this.#routesOfService.get(service), services: [service] };
  }

  #touchedByHost(host: string): Touched {
    const services = [...this.#servicesOfHost.get(host)];
    return { services, routes: services.flatMap((id) => [...this.#routesOfService.get(id)]) };
  }

  #touchedByPlugin(scope: string | undefined): Touched {
    if (scope === undefined) return { routes: [], services: [] };
    if (scope === '') return { routes: this.routes.keys(), services: [] };
    const isRoute = this.routes.has(scope);
    return { routes: isRoute ? [scope] : this.#routesOfService.get(scope), services: [] };
  }
}

/** The route, else the service, that a plugin is for; undefined when it is for certain consumers. */
function scopeOf(plugin: StoredEntity): string | undefined {
  if (idOf(plugin.consumer) !== undefined || idOf(plugin.consumer_group) !== undefined)
    return undefined;
  return idOf(plugin.route) ?? idOf(plugin.service) ?? '';
}

function idOf(reference: unknown): string | undefined {
  return (reference as Reference)?.id;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
