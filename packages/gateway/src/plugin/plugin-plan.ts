import type { KongPlugin, KongRoute, KongService } from '@waygate/kong';
import { CopyOnWriteMap } from '../collection/copy-on-write-map.ts';
import type { EntityDifference } from '../configuration/entity-difference.ts';
import { AuthorityIndex, type ClientAuthority } from '../tls/client-authority.ts';
import type { PluginDefinition, Welcome } from './plugin.ts';
import { refusingPlugin } from './refusing-plugin.ts';

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

/** How many plugins of a name there are, and how many of them are for one consumer. */
interface NameCount {
  readonly all: number;
  readonly ofConsumers: number;
}

interface Parts {
  readonly definitions: ReadonlyMap<string, PluginDefinition<unknown>>;
  readonly counts: ReadonlyMap<string, NameCount>;
  /** By name and scope as written by {@link scopeKey}. */
  readonly byScope: CopyOnWriteMap<ActivePlugin>;
  /** Those that have clients asked for certificates, by scope. */
  readonly asking: ReadonlyMap<string, ActivePlugin>;
}

/**
 * Decides which plugins run for a request, and with which configuration. For each plugin name the most
 * specific one wins, in Kong's order: consumer, route and service together, then consumer and route,
 * consumer and service, route and service, consumer, route, service, and last those for everything.
 */
export class PluginPlan {
  readonly #parts: Parts;
  /** Of all plugins that are used, in the order in which they run. */
  readonly #names: readonly string[];
  /** Made when a client first asks for anything by name. */
  #authorities: AuthorityIndex | undefined;
  readonly #perRoute = new WeakMap<KongRoute, readonly PlannedPlugin[]>();
  /** The plugins that apply to every request, matched or not. */
  readonly global: readonly ActivePlugin[];
  /** Those of them that look at requests before they are routed. */
  readonly rewriting: readonly ActivePlugin[];
  /** What one of them says on how clients are met. */
  readonly welcome: Welcome | undefined;
  /** Those of them that choose certificates. */
  readonly certifying: readonly ActivePlugin[];

  private constructor(parts: Parts) {
    this.#parts = parts;
    const priority = (name: string) => definitionOf(parts.definitions, name).priority;
    this.#names = [...parts.counts.keys()].sort(
      (one, two) => priority(two) - priority(one) || (one < two ? -1 : 1),
    );
    this.global = this.#names.flatMap((name) => parts.byScope.get(scopeKey(name)) ?? []);
    this.certifying = this.global.filter(({ definition }) => definition.certificate !== undefined);
    this.rewriting = this.global.filter(({ definition }) => definition.rewrite !== undefined);
    this.welcome = firstWelcome(this.global);
  }

  static of(
    plugins: Iterable<KongPlugin>,
    definitions: ReadonlyMap<string, PluginDefinition<unknown>>,
  ): PluginPlan {
    const empty = new PluginPlan({
      definitions,
      counts: new Map(),
      byScope: CopyOnWriteMap.of(),
      asking: new Map(),
    });
    return empty.#change([...plugins].map((after) => ({ before: undefined, after })));
  }

  /** The plan after changes; this one still decides as it did before. */
  change(differences: readonly EntityDifference[]): PluginPlan {
    const plugins = differences.filter(({ collection }) => collection === 'plugins');
    return plugins.length === 0 ? this : this.#change(plugins);
  }

  /** Whether any name is one whose clients are asked for a certificate. */
  get isAsking(): boolean {
    return this.#parts.asking.size > 0;
  }

  /** Who may have signed the certificate of a client that asks for a name; undefined if none is needed. */
  authorityFor(serverName: string): ClientAuthority | undefined {
    this.#authorities ??= new AuthorityIndex(
      [...this.#parts.asking.values()].flatMap(
        ({ definition, config }) => definition.authority?.(config) ?? [],
      ),
    );
    return this.#authorities.find(serverName);
  }

  /** The plugins that may run for a route, in the order in which they run. */
  forRoute(route: KongRoute, service: KongService | undefined): readonly PlannedPlugin[] {
    let planned = this.#perRoute.get(route);
    if (planned === undefined) {
      planned = this.#names.flatMap((name) => this.#plan(name, route.id ?? '', service?.id));
      this.#perRoute.set(route, planned);
    }
    return planned;
  }

  #change(
    differences: readonly {
      readonly before: KongPlugin | undefined;
      readonly after: KongPlugin | undefined;
    }[],
  ): PluginPlan {
    const { definitions } = this.#parts;
    let { asking } = this.#parts;
    const counts = new Map(this.#parts.counts);
    const changed = new Map<string, ActivePlugin | undefined>();
    const at = (key: string) =>
      changed.has(key) ? changed.get(key) : this.#parts.byScope.get(key);
    for (const { before, after } of differences) {
      const old = before === undefined ? undefined : at(keyOf(before));
      if (before !== undefined && old?.entity.id === before.id) {
        count(counts, before, -1);
        changed.set(keyOf(before), undefined);
        asking = without(asking, keyOf(before));
      }
      if (after !== undefined && isRun(definitions, after)) {
        const definition = definitionOf(definitions, after.name ?? '');
        if (at(keyOf(after)) === undefined) count(counts, after, 1);
        const active = { definition, entity: after, config: after.config ?? {} };
        changed.set(keyOf(after), active);
        if (definition.authority !== undefined) asking = new Map(asking).set(keyOf(after), active);
      }
    }
    const byScope = this.#parts.byScope.change(changed);
    return new PluginPlan({ definitions, counts, byScope, asking });
  }

  #plan(name: string, routeId: string, serviceId: string | undefined): readonly PlannedPlugin[] {
    const { definitions, counts, byScope } = this.#parts;
    const definition = definitionOf(definitions, name);
    const lookUp = (consumerId: string | undefined) =>
      mostSpecific(byScope, name, routeId, serviceId, consumerId);
    const withoutConsumer = lookUp(undefined);
    if (counts.get(name)?.ofConsumers === 0) {
      return withoutConsumer === undefined ? [] : [{ definition, resolve: () => withoutConsumer }];
    }
    return [
      {
        definition,
        resolve: (consumerId) => (consumerId === undefined ? withoutConsumer : lookUp(consumerId)),
      },
    ];
  }
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

const missing = new Map<string, PluginDefinition<unknown>>();

/**
 * A name that no plugin has comes from a database that was written when one had: its requests are
 * refused, first of all.
 */
function definitionOf(definitions: Parts['definitions'], name: string): PluginDefinition<unknown> {
  const found = definitions.get(name) ?? missing.get(name);
  if (found !== undefined) return found;
  const refusing = refusingPlugin(name, Number.MAX_SAFE_INTEGER);
  const definition = refusing as unknown as PluginDefinition<unknown>;
  missing.set(name, definition);
  return definition;
}

function count(counts: Map<string, NameCount>, plugin: KongPlugin, by: 1 | -1): void {
  const name = plugin.name ?? '';
  const { all, ofConsumers } = counts.get(name) ?? { all: 0, ofConsumers: 0 };
  const isOfConsumer = typeof plugin.consumer?.id === 'string';
  if (all + by === 0) {
    counts.delete(name);
  } else {
    counts.set(name, { all: all + by, ofConsumers: ofConsumers + (isOfConsumer ? by : 0) });
  }
}

function keyOf({ name, route, service, consumer }: KongPlugin): string {
  return scopeKey(name ?? '', route?.id, service?.id, consumer?.id);
}

function mostSpecific(
  scopes: CopyOnWriteMap<ActivePlugin>,
  name: string,
  route: string,
  service: string | undefined,
  consumer: string | undefined,
): ActivePlugin | undefined {
  const get = (r?: string, s?: string, c?: string) => scopes.get(scopeKey(name, r, s, c));
  if (consumer !== undefined) {
    const found =
      get(route, service, consumer) ??
      get(route, undefined, consumer) ??
      get(undefined, service, consumer);
    if (found !== undefined) return found;
  }
  return (
    get(route, service) ??
    (consumer === undefined ? undefined : get(undefined, undefined, consumer)) ??
    get(route) ??
    (service === undefined ? undefined : get(undefined, service)) ??
    get()
  );
}

function scopeKey(name: string, route = '', service = '', consumer = ''): string {
  return `${name}:${route}:${service}:${consumer}`;
}

/** Whether a plugin applies to any request over HTTP. */
export function isForHttp(entity: KongPlugin): boolean {
  if (entity.enabled === false) return false;
  return (
    entity.protocols === undefined ||
    entity.protocols.some((protocol) => httpProtocols.has(protocol))
  );
}

/** Whether a plugin has anything to do here: with requests, or with streams. */
function isRun(definitions: Parts['definitions'], entity: KongPlugin): boolean {
  const carriesStreams = definitions.get(entity.name ?? '')?.stream !== undefined;
  return isForHttp(entity) || (carriesStreams && entity.enabled !== false);
}

/** One and the same for as long as the plugin's configuration is: listeners go by its identity. */
const welcomes = new WeakMap<object, Welcome | undefined>();

function firstWelcome(plugins: readonly ActivePlugin[]): Welcome | undefined {
  for (const { definition, config, entity } of plugins) {
    if (definition.welcome === undefined) continue;
    if (!welcomes.has(entity)) welcomes.set(entity, definition.welcome(config));
    return welcomes.get(entity);
  }
  return undefined;
}
