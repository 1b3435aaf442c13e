import type { KongPlugin, KongRoute, KongService } from '@waygate/kong';
import type { PluginDefinition } from './plugin.ts';

/** A plugin with the configuration that applies to a request. */
export interface ActivePlugin {
  readonly definition: PluginDefinition<unknown>;
  readonly entity: KongPlugin;
  readonly config: unknown;
}

/** A plugin that may apply to a route; which configuration depends on who the consumer turns out to be. */
export interface PlannedPlugin {
  readonly definition: PluginDefinition<unknown>;
  resolve(consumerId: string | undefined): ActivePlugin | undefined;
}

const httpProtocols: ReadonlySet<string> = new Set(['http', 'https', 'grpc', 'grpcs', 'ws', 'wss']);

/**
 * Decides which plugins run for a request, and with which configuration. For each plugin name the most
 * specific one wins, in Kong's order: consumer, route and service together, then consumer and route,
 * consumer and service, route and service, consumer, route, service, and last those for everything.
 */
export class PluginPlan {
  readonly #names: readonly string[];
  readonly #definitions: ReadonlyMap<string, PluginDefinition<unknown>>;
  /** By name, then by scope as written by {@link scopeKey}. */
  readonly #byScope = new Map<string, Map<string, ActivePlugin>>();
  readonly #perRoute = new Map<string, readonly PlannedPlugin[]>();
  /** The plugins that apply to every request, matched or not. */
  readonly global: readonly ActivePlugin[];
  /** Those of them that look at requests before they are routed. */
  readonly rewriting: readonly ActivePlugin[];
  /** Those of them that choose certificates. */
  readonly certifying: readonly ActivePlugin[];

  constructor(
    plugins: Iterable<KongPlugin>,
    definitions: ReadonlyMap<string, PluginDefinition<unknown>>,
  ) {
    this.#definitions = definitions;
    for (const entity of plugins) {
      const definition = definitions.get(entity.name ?? '');
      if (definition === undefined || !isForHttp(entity)) {
        continue;
      }
      let scopes = this.#byScope.get(definition.name);
      if (scopes === undefined) {
        scopes = new Map();
        this.#byScope.set(definition.name, scopes);
      }
      const key = scopeKey(entity.route?.id, entity.service?.id, entity.consumer?.id);
      scopes.set(key, { definition, entity, config: entity.config ?? {} });
    }
    this.#names = [...this.#byScope.keys()].sort((a, b) => {
      const priority = this.#priority(b) - this.#priority(a);
      return priority !== 0 ? priority : a < b ? -1 : 1;
    });
    this.global = this.#names.flatMap((name) => {
      const active = this.#byScope.get(name)?.get(scopeKey(undefined, undefined, undefined));
      return active === undefined ? [] : [active];
    });
    this.certifying = this.global.filter(({ definition }) => definition.certificate !== undefined);
    this.rewriting = this.global.filter(({ definition }) => definition.rewrite !== undefined);
  }

  /** The plugins that may run for a route, in the order in which they run. */
  forRoute(route: KongRoute, service: KongService | undefined): readonly PlannedPlugin[] {
    const routeId = route.id ?? '';
    let planned = this.#perRoute.get(routeId);
    if (planned === undefined) {
      planned = this.#plan(routeId, service?.id);
      this.#perRoute.set(routeId, planned);
    }
    return planned;
  }

  #plan(routeId: string, serviceId: string | undefined): readonly PlannedPlugin[] {
    return this.#names.flatMap((name): PlannedPlugin[] => {
      const scopes = this.#byScope.get(name);
      const definition = this.#definitions.get(name);
      if (scopes === undefined || definition === undefined) {
        return [];
      }
      const withoutConsumer = lookUp(scopes, routeId, serviceId, undefined);
      const hasConsumers = [...scopes.values()].some((item) => item.entity.consumer?.id);
      if (!hasConsumers) {
        return withoutConsumer === undefined
          ? []
          : [{ definition, resolve: () => withoutConsumer }];
      }
      return [
        {
          definition,
          resolve: (consumerId) =>
            consumerId === undefined
              ? withoutConsumer
              : lookUp(scopes, routeId, serviceId, consumerId),
        },
      ];
    });
  }

  #priority(name: string): number {
    return this.#definitions.get(name)?.priority ?? 0;
  }
}

function lookUp(
  scopes: ReadonlyMap<string, ActivePlugin>,
  route: string,
  service: string | undefined,
  consumer: string | undefined,
): ActivePlugin | undefined {
  const get = (r?: string, s?: string, c?: string) => scopes.get(scopeKey(r, s, c));
  if (consumer !== undefined) {
    const found =
      get(route, service, consumer) ??
      get(route, undefined, consumer) ??
      get(undefined, service, consumer);
    if (found !== undefined) {
      return found;
    }
  }
  return (
    get(route, service) ??
    (consumer === undefined ? undefined : get(undefined, undefined, consumer)) ??
    get(route) ??
    (service === undefined ? undefined : get(undefined, service)) ??
    get()
  );
}

function scopeKey(
  route: string | undefined,
  service: string | undefined,
  consumer: string | undefined,
): string {
  return `${route ?? ''}:${service ?? ''}:${consumer ?? ''}`;
}

function isForHttp(entity: KongPlugin): boolean {
  if (entity.enabled === false) {
    return false;
  }
  return (
    entity.protocols === undefined ||
    entity.protocols.some((protocol) => httpProtocols.has(protocol))
  );
}
