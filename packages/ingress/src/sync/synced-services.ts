import { type DeclarativeConfig, entityKinds, KongEntities } from '@waygate/kong';
import { toDeclarativeConfig } from '../translate/declarative-config.ts';
import type {
  KongState,
  PluginEntity,
  ServiceEntity,
  UpstreamEntity,
} from '../translate/kong-state.ts';
import type { ManagedEntities } from './managed-entities.ts';

/** The part of a configuration that has to be compared, and what it is to be compared with. */
export interface NarrowedSync {
  readonly config: DeclarativeConfig;
  readonly current: KongEntities;
  /** What is not compared but referred to. */
  readonly lookup: KongEntities;
}

type Named = ServiceEntity | UpstreamEntity;

/**
 * The services and upstreams that a database is known to have, as the very objects that they were
 * made from. A translation keeps the objects of what did not change, so that a change of anything
 * else, a plugin or a consumer, need not be compared with all services.
 */
export class SyncedServices {
  readonly #services: Map<string, ServiceEntity>;
  readonly #upstreams: Map<string, UpstreamEntity>;

  constructor(state: KongState) {
    this.#services = new Map(state.services.map((entity) => [entity.name, entity]));
    this.#upstreams = new Map(state.upstreams.map((entity) => [entity.name, entity]));
  }

  /** Single ones were brought to the database; those without an entity are gone. */
  set(
    services: ReadonlyMap<string, ServiceEntity | undefined>,
    upstreams: ReadonlyMap<string, UpstreamEntity | undefined>,
  ): void {
    replace(this.#services, services);
    replace(this.#upstreams, upstreams);
  }

  /** Whether one of these has plugins in itself: to compare it alone would leave them where they are. */
  carriesPlugins(names: Iterable<string>): boolean {
    for (const name of names) {
      const { plugins = [], routes = [] } = this.#services.get(name) ?? {};
      if (plugins.length > 0 || routes.some((route) => route.plugins !== undefined)) return true;
    }
    return false;
  }

  /** What of a configuration is still to be compared; undefined when that is about everything. */
  narrow(state: KongState, managed: ManagedEntities): NarrowedSync | undefined {
    const services = changesOf(this.#services, state.services);
    const upstreams = changesOf(this.#upstreams, state.upstreams);
    if (services.changed.length * 2 > state.services.length) return undefined;
    const kept = keptPlugins(services.same, managed);
    if (kept === undefined) return undefined;
    const current = managed.partOf(services.names, upstreams.names);
    for (const { collection } of entityKinds) {
      if (hierarchy.has(collection)) continue;
      for (const entity of managed.state.values(collection)) {
        const isKept = collection === 'plugins' && kept.has(placeOf(entity));
        if (!isKept) current.put(collection, entity);
      }
    }
    const narrow = { ...state, services: services.changed, upstreams: upstreams.changed };
    return {
      config: toDeclarativeConfig(narrow, { isDbless: false }) as DeclarativeConfig,
      current,
      lookup: lookupOf(state, managed),
    };
  }
}

const hierarchy: ReadonlySet<string> = new Set(['services', 'routes', 'upstreams', 'targets']);

function replace<Entity>(
  entities: Map<string, Entity>,
  changes: ReadonlyMap<string, Entity | undefined>,
): void {
  for (const [name, entity] of changes) {
    if (entity === undefined) entities.delete(name);
    else entities.set(name, entity);
  }
}

function changesOf<Entity extends Named>(
  known: ReadonlyMap<string, Entity>,
  wanted: readonly Entity[],
): { readonly changed: Entity[]; readonly same: Entity[]; readonly names: Set<string> } {
  const changed: Entity[] = [];
  const same: Entity[] = [];
  for (const entity of wanted) (known.get(entity.name) === entity ? same : changed).push(entity);
  const names = new Set(changed.map(({ name }) => name));
  if (same.length < known.size) {
    const there = new Set(same.map(({ name }) => name));
    for (const name of known.keys()) if (!there.has(name)) names.add(name);
  }
  return { changed, same, names };
}

/** The plugins that unchanged services carry in themselves: they are as they should be. */
function keptPlugins(
  services: readonly ServiceEntity[],
  managed: ManagedEntities,
): ReadonlySet<string> | undefined {
  const kept = new Set<string>();
  for (const service of services) {
    const { name, plugins = [], routes = [] } = service;
    if (plugins.length > 0) {
      const id = managed.idOf('services', name);
      if (id === undefined) return undefined;
      for (const plugin of plugins) kept.add(placeOf({ name: plugin.name, service: { id } }));
    }
    for (const route of routes) {
      if (route.plugins === undefined) continue;
      const id = managed.idOf('routes', route.name);
      if (id === undefined) return undefined;
      for (const plugin of route.plugins) kept.add(placeOf({ name: plugin.name, route: { id } }));
    }
  }
  return kept;
}

/** A plugin by what it is on; the same for what was declared and what the server has. */
function placeOf(plugin: Readonly<Record<string, unknown>>): string {
  const id = (field: string) => (plugin[field] as { id?: string } | null | undefined)?.id ?? '';
  return [plugin.name, id('service'), id('route'), id('consumer'), id('consumer_group')].join(' ');
}

/** The services and routes that plugins name, so that their ids can be found. */
function lookupOf({ plugins }: KongState, managed: ManagedEntities): KongEntities {
  const lookup = new KongEntities();
  const take = (collection: 'services' | 'routes', name: string | undefined) => {
    const id = name === undefined ? undefined : managed.idOf(collection, name);
    const entity = id === undefined ? undefined : managed.state.get(collection, id);
    if (entity !== undefined) lookup.put(collection, entity);
  };
  for (const { service, route } of plugins as readonly PluginEntity[]) {
    take('services', service);
    take('routes', route);
  }
  return lookup;
}
