import type { KongPlugin, KongRoute, KongService, RouterFlavor } from '@waygate/kong';
import { ConsumerIndex } from '../configuration/consumer-index.ts';
import type { EntityDifference } from '../configuration/entity-difference.ts';
import type { EntitySource } from '../configuration/entity-source.ts';
import type { PluginDefinition } from '../plugin/plugin.ts';
import { PluginPlan } from '../plugin/plugin-plan.ts';
import { createRouters, type Routers } from '../router/create-router.ts';
import type { RouteChange, RouteEntry } from '../router/route-match.ts';
import { CertificateIndex } from '../tls/certificate-index.ts';

/** What a snapshot is made from besides entities. */
export interface SnapshotSettings {
  readonly flavor: RouterFlavor;
  readonly plugins: ReadonlyMap<string, PluginDefinition<unknown>>;
}

interface Parts {
  readonly routers: Routers;
  readonly plan: PluginPlan;
  readonly consumers: ConsumerIndex;
  readonly certificates: CertificateIndex;
}

/**
 * A configuration, compiled: what it says never changes. The proxy swaps one for the next in a single
 * assignment, and requests under way keep the one they started with. The next one takes over what did
 * not change: making it costs no more than what did.
 */
export class Snapshot {
  readonly flavor: RouterFlavor;
  readonly routers: Routers;
  readonly plan: PluginPlan;
  readonly consumers: ConsumerIndex;
  readonly certificates: CertificateIndex;
  readonly #source: EntitySource;

  private constructor(source: EntitySource, flavor: RouterFlavor, parts: Parts) {
    this.#source = source;
    this.flavor = flavor;
    this.routers = parts.routers;
    this.plan = parts.plan;
    this.consumers = parts.consumers;
    this.certificates = parts.certificates;
  }

  /** All that a source holds. */
  static of(source: EntitySource, { flavor, plugins }: SnapshotSettings): Snapshot {
    return new Snapshot(source, flavor, {
      routers: createRouters(flavor, routeEntries(source)),
      plan: PluginPlan.of(source.list('plugins') as Iterable<KongPlugin>, plugins),
      consumers: ConsumerIndex.of(source),
      certificates: CertificateIndex.of(source),
    });
  }

  /** The snapshot after changes that the source already has. Only the newest one can be changed. */
  change(differences: readonly EntityDifference[]): Snapshot {
    return new Snapshot(this.#source, this.flavor, {
      routers: this.#changeRouters(differences),
      plan: this.plan.change(differences),
      consumers: this.consumers.change(differences),
      certificates: this.certificates.change(differences),
    });
  }

  #changeRouters(differences: readonly EntityDifference[]): Routers {
    const ids = new Set<string>();
    for (const { collection, id } of differences) {
      if (collection === 'routes') {
        ids.add(id);
      } else if (collection === 'services') {
        for (const route of this.#source.heldBy('routes', id)) ids.add(String(route.id));
      }
    }
    const changes: RouteChange[] = [];
    for (const id of ids) {
      const route = this.#source.get('routes', id) as StoredRoute | undefined;
      changes.push({ id, entry: route === undefined ? undefined : entryOf(this.#source, route) });
    }
    return changes.length === 0 ? this.routers : this.routers.change(changes);
  }
}

type StoredRoute = KongRoute & { readonly id: string };

function routeEntries(source: EntitySource): RouteEntry[] {
  const entries: RouteEntry[] = [];
  for (const route of source.list('routes') as Iterable<StoredRoute>) {
    const entry = entryOf(source, route);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** Routes of a disabled service do not exist for the router; routes without a service do. */
function entryOf(source: EntitySource, route: StoredRoute): RouteEntry | undefined {
  const id = route.service?.id;
  const service = id === undefined ? undefined : source.get('services', id);
  return service?.enabled === false
    ? undefined
    : { route, service: service as KongService | undefined };
}
