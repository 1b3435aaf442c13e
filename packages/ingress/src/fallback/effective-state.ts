import { idOfReference } from '../objects/object-id.ts';
import { type BrokenRule, servesRule } from '../translate/broken-rule.ts';
import type { Faults } from '../translate/faults.ts';
import {
  type ConsumerEntity,
  type ConsumerGroupEntity,
  type KongState,
  nameOfConsumer,
  type PluginEntity,
  type RouteEntity,
  type ServiceEntity,
  type UpstreamEntity,
} from '../translate/kong-state.ts';
import { referenceFromTags } from '../translate/tags.ts';
import { customEntitiesOf } from './custom-entities.ts';
import { placeOf, plainRoute, plainService, plainUpstream, pluginKey } from './entity-key.ts';
import { narrowedTo, widenedBy } from './held-paths.ts';
import type { LastGood } from './last-good.ts';
import type { Refusals } from './refusals.ts';

interface Tagged {
  readonly tags?: readonly string[];
}

/** A configuration that can go live, and what in it is not as the cluster asks for. */
export interface EffectiveState {
  readonly state: KongState;
  /** Entities that stay as they were, because what they should be cannot be. */
  readonly kept: readonly Tagged[];
  /** Entities that cannot be and never were. */
  readonly leftOut: readonly Tagged[];
  /** Names of services that are not, or not with all their routes, as they were asked for. */
  readonly services: ReadonlySet<string>;
}

/**
 * The one rule for everything that cannot be as it is asked for: it stays as it was when gateways
 * last took it, or is left out if there is no such time; nothing else is touched by it. A route goes
 * with its service and with all plugins on either; it is never there without one of them.
 */
export function effectiveState(
  desired: KongState,
  faults: Faults,
  refusals: Refusals,
  good: LastGood,
): EffectiveState {
  return new Merge(desired, faults, refusals, good).run();
}

class Merge {
  readonly #desired: KongState;
  readonly #faults: Faults;
  readonly #refusals: Refusals;
  readonly #good: LastGood;
  readonly #kept: Tagged[] = [];
  readonly #leftOut: Tagged[] = [];
  /** Those whose plugins cannot be: `route NAME`, `service NAME`, `consumer NAME`, … */
  readonly #unfit: Set<string>;
  readonly #services = new Map<string, ServiceEntity>();
  readonly #upstreams = new Map<string, UpstreamEntity>();
  /** Entities in the version that they had, by `route NAME` and so on. */
  readonly #old = new Set<string>();
  /** Entities as they are asked for. */
  readonly #new = new Set<string>();
  readonly #concerned = new Set<string>();

  constructor(desired: KongState, faults: Faults, refusals: Refusals, good: LastGood) {
    this.#desired = desired;
    this.#faults = faults;
    this.#refusals = refusals;
    this.#good = good;
    this.#unfit = new Set(faults.incomplete);
  }

  run(): EffectiveState {
    this.#judgePlugins();
    const certificates = this.#pick('certificates', 'id');
    const caCertificates = this.#pick('caCertificates', 'id', 'ca_certificates');
    const vaults = this.#pick('vaults', 'prefix');
    this.#mergeUpstreams();
    this.#mergeServices(
      new Set([...certificates, ...caCertificates].map(({ id }) => id)),
      new Set([...this.#desired.certificates, ...this.#desired.caCertificates].map(({ id }) => id)),
    );
    const consumerGroups = this.#mergeNamed<ConsumerGroupEntity>(
      'consumer_group',
      'consumer_groups',
      this.#desired.consumerGroups,
      this.#good.state.consumerGroups,
      ({ name }) => name,
    );
    const groups = new Set(consumerGroups.map(({ name }) => name));
    const consumers = this.#mergeNamed<ConsumerEntity>(
      'consumer',
      'consumers',
      this.#desired.consumers,
      this.#good.state.consumers,
      nameOfConsumer,
    ).map((consumer) => withGroups(consumer, groups));
    const state: KongState = {
      services: [...this.#services.values()],
      upstreams: this.#usedUpstreams(),
      consumers,
      consumerGroups,
      plugins: this.#plugins(),
      certificates,
      caCertificates,
      vaults,
      licenses: this.#desired.licenses,
      customEntities: customEntitiesOf(this.#desired, {
        hasService: (name) => this.#services.has(name),
        isNew: (place) => this.#new.has(place),
        isRefused: (key, entity) => this.#isRefused(key, entity),
      }),
    };
    const { kept, leftOut } = { kept: this.#kept, leftOut: this.#leftOut };
    return { state, kept, leftOut, services: this.#concerned };
  }

  #isRefused(key: string, entity: object): boolean {
    return this.#refusals.has(key, entity);
  }

  /** A plugin that is refused makes unfit what it is on. */
  #judgePlugins(): void {
    const judge = (plugin: PluginEntity, scope: Partial<PluginEntity> = plugin) => {
      if (!this.#isRefused(pluginKey(plugin, scope), plugin)) return;
      const place = placeOf(scope);
      if (place !== undefined) this.#unfit.add(place);
    };
    for (const plugin of this.#desired.plugins) judge(plugin);
    for (const { name: service, plugins = [], routes = [] } of this.#desired.services) {
      for (const plugin of plugins) judge(plugin, { service });
      for (const { name: route, plugins: own = [] } of routes)
        for (const plugin of own) judge(plugin, { route });
    }
  }

  #pick<Field extends 'certificates' | 'caCertificates' | 'vaults'>(
    field: Field,
    by: string,
    collection: string = field,
  ): KongState[Field] {
    type Entity = KongState[Field][number] & Tagged;
    const good = new Map(
      (this.#good.state[field] as Entity[]).map((one) => [
        (one as unknown as Record<string, string>)[by],
        one,
      ]),
    );
    const picked = (this.#desired[field] as Entity[]).flatMap((entity) => {
      const id = (entity as unknown as Record<string, string>)[by];
      if (!this.#isRefused(`${collection} ${id}`, entity)) return [entity];
      return this.#instead(entity, good.get(id), `${collection} ${id}`);
    });
    return picked as KongState[Field];
  }

  /** The version that was good, if there is one and it is not refused as well. */
  #instead<Entity extends Tagged>(
    wanted: Entity,
    good: Entity | undefined,
    key: string,
    plain: (entity: Entity) => object = (entity) => entity,
  ): Entity[] {
    if (good === undefined || this.#isRefused(key, plain(good))) {
      this.#leftOut.push(wanted);
      return [];
    }
    this.#kept.push(good);
    return [good];
  }

  #mergeUpstreams(): void {
    for (const upstream of this.#desired.upstreams) {
      const { name, targets } = upstream;
      const isRefused = this.#isRefused(`upstreams ${name}`, plainUpstream(upstream));
      const isTargets = this.#isRefused(`targets ${name}`, targets ?? []);
      if (!isRefused && !isTargets) {
        this.#upstreams.set(name, upstream);
        continue;
      }
      const good = this.#good.upstream(name);
      const { targets: goodTargets, ...plain } = good ?? { name };
      if (isRefused && (good === undefined || this.#isRefused(`upstreams ${name}`, plain))) {
        this.#leftOut.push(upstream);
        this.#unfit.add(`upstream ${name}`);
        continue;
      }
      this.#kept.push(upstream);
      const fields = isRefused ? plain : plainUpstream(upstream);
      // Where its Pods are is another matter than how it chooses among them.
      const chosen = isTargets ? goodTargets : targets;
      this.#upstreams.set(name, { ...fields, name, ...(chosen && { targets: chosen }) });
    }
  }

  #mergeServices(certificates: ReadonlySet<string>, wanted: ReadonlySet<string>): void {
    const isThere = (id: string) => certificates.has(id) || !wanted.has(id);
    const keptRoutes: RouteEntity[] = [];
    const names = new Set<string>();
    for (const service of this.#desired.services) {
      const { name, routes = [], host } = service;
      const refers = [service.client_certificate ?? [], service.ca_certificates ?? []].flat();
      const isUnfit =
        this.#unfit.has(`service ${name}`) ||
        this.#unfit.has(`upstream ${host}`) ||
        !refers.every(isThere) ||
        this.#isRefused(`services ${name}`, plainService(service));
      const fit = isUnfit ? [] : routes.filter((route) => this.#isRouteFit(route));
      for (const route of routes) {
        names.add(route.name);
        if (fit.includes(route)) this.#new.add(`route ${route.name}`);
        else keptRoutes.push(route);
      }
      const served = fit.map((route) => this.#stillServing(route));
      const isSame =
        fit.length === routes.length && served.every((route, index) => route === fit[index]);
      if (!isSame || isUnfit) this.#concerned.add(name);
      if (isUnfit) {
        this.#leftOut.push(service);
        continue;
      }
      this.#new.add(`service ${name}`);
      const { routes: _all, ...plain } = service;
      this.#services.set(
        name,
        isSame ? service : { ...plain, ...(served.length > 0 && { routes: served }) },
      );
    }
    for (const route of keptRoutes) this.#keepRoute(route, this.#good.route(route.name)?.route);
    if (this.#faults.objects.size === 0) return;
    for (const { route } of this.#good.routes().values())
      if (!names.has(route.name) && this.#isOfFaulty(route)) this.#keepBroken(route);
  }

  #isRouteFit(route: RouteEntity): boolean {
    if (this.#unfit.has(`route ${route.name}`)) return false;
    return !this.#isRefused(`routes ${route.name}`, plainRoute(route));
  }

  #isOfFaulty({ tags }: Tagged): boolean {
    const object = referenceFromTags(tags);
    return object !== undefined && this.#faults.objects.has(idOfReference(object));
  }

  /** The rules at fault that it served; without an answer nobody knows which of its object's are. */
  #brokenRules(route: RouteEntity): readonly BrokenRule[] | undefined {
    const object = referenceFromTags(route.tags);
    const rules = object && this.#faults.rules.get(idOfReference(object));
    return rules?.filter((rule) => servesRule(route, rule));
  }

  /** A route that is asked for no more, for what is at fault of it; the rest was taken away. */
  #keepBroken(route: RouteEntity): void {
    const rules = this.#brokenRules(route);
    if (rules === undefined) this.#keepRoute(route, route);
    else if (rules.length > 0) this.#keepRoute(route, narrowedTo(route, rules));
  }

  /** A route as it is asked for, with the paths of before that are at fault now: they stay where they were. */
  #stillServing(route: RouteEntity): RouteEntity {
    if (this.#faults.rules.size === 0) return route;
    const good = this.#good.route(route.name)?.route;
    const wide = good && widenedBy(route, this.#brokenRules(good) ?? []);
    if (wide === undefined || wide === route) return route;
    if (this.#isRefused(`routes ${route.name}`, plainRoute(wide))) return route;
    this.#kept.push(good!);
    return wide;
  }

  /** A route as it was, at the service that it was at: as that is now, or as it was too. */
  #keepRoute(wanted: RouteEntity, held: RouteEntity | undefined): void {
    const { name } = wanted;
    const good = this.#good.route(name);
    const isRefused =
      good === undefined ||
      held === undefined ||
      this.#isRefused(`routes ${name}`, plainRoute(held));
    if (isRefused || this.#hasRefusedPlugin(`route ${name}`)) {
      this.#leftOut.push(wanted);
      return;
    }
    const { routes: _routes, ...service } = good.service;
    const living = this.#services.get(service.name);
    if (living === undefined) {
      const isUnfit =
        this.#isRefused(`services ${service.name}`, plainService(service)) ||
        this.#hasRefusedPlugin(`service ${service.name}`);
      if (isUnfit) {
        this.#leftOut.push(wanted);
        return;
      }
      this.#old.add(`service ${service.name}`);
    }
    if (!this.#upstreams.has(service.host)) {
      const upstream = this.#good.upstream(service.host);
      if (upstream !== undefined) this.#upstreams.set(service.host, upstream);
    }
    this.#concerned.add(service.name);
    this.#old.add(`route ${name}`);
    this.#kept.push(held);
    const holder: ServiceEntity = living ?? service;
    this.#services.set(service.name, {
      ...holder,
      routes: [...(holder.routes ?? []), held],
    });
  }

  /** Whether a plugin that an entity had is refused now, too: then the entity cannot stay. */
  #hasRefusedPlugin(place: string): boolean {
    return this.#good.state.plugins.some(
      (plugin) => placeOf(plugin) === place && this.#isRefused(pluginKey(plugin), plugin),
    );
  }

  #mergeNamed<Entity extends Tagged>(
    scope: 'consumer' | 'consumer_group',
    collection: string,
    desired: readonly Entity[],
    good: readonly Entity[],
    nameOf: (entity: Entity) => string,
  ): Entity[] {
    const merged: Entity[] = [];
    const names = new Set(desired.map(nameOf));
    for (const entity of desired) {
      const name = nameOf(entity);
      const key = `${collection} ${name}`;
      if (!this.#unfit.has(`${scope} ${name}`) && !this.#isRefused(key, entity)) {
        this.#new.add(`${scope} ${name}`);
        merged.push(entity);
        continue;
      }
      const before = good.find((one) => nameOf(one) === name);
      const isLost = before !== undefined && this.#hasRefusedPlugin(`${scope} ${name}`);
      for (const one of this.#instead(entity, isLost ? undefined : before, key)) {
        this.#old.add(`${scope} ${name}`);
        merged.push(one);
      }
    }
    if (this.#faults.objects.size === 0) return merged;
    for (const entity of good) {
      const name = nameOf(entity);
      if (names.has(name) || !this.#isOfFaulty(entity)) continue;
      if (this.#isRefused(`${collection} ${name}`, entity)) continue;
      this.#old.add(`${scope} ${name}`);
      this.#kept.push(entity);
      merged.push(entity);
    }
    return merged;
  }

  /** Plugins go with what they are on: with the new version those of now, with the old those of then. */
  #plugins(): PluginEntity[] {
    const isThere = (scope: string, name: string | undefined) =>
      name === undefined || this.#new.has(`${scope} ${name}`) || this.#old.has(`${scope} ${name}`);
    const areThere = ({ consumer, consumer_group: group }: PluginEntity) =>
      isThere('consumer', consumer) && isThere('consumer_group', group);
    const good = this.#good.state.plugins;
    const plugins = this.#desired.plugins.flatMap((plugin) => {
      const place = placeOf(plugin);
      const key = pluginKey(plugin);
      if (place === undefined) {
        if (!this.#isRefused(key, plugin)) return [plugin];
        return this.#instead(
          plugin,
          good.find((one) => pluginKey(one) === key),
          key,
        );
      }
      return this.#new.has(place) && areThere(plugin) ? [plugin] : [];
    });
    const old = good.filter((plugin) => {
      const place = placeOf(plugin);
      return place !== undefined && this.#old.has(place) && areThere(plugin);
    });
    return old.length === 0 ? plugins : [...plugins, ...old];
  }

  /** Without those of services that are left out. */
  #usedUpstreams(): UpstreamEntity[] {
    const used = new Set([...this.#services.values()].map(({ host }) => host));
    const wanted = new Set(this.#desired.services.map(({ host }) => host));
    return [...this.#upstreams.values()].filter(({ name }) => used.has(name) || !wanted.has(name));
  }
}

function withGroups(consumer: ConsumerEntity, there: ReadonlySet<string>): ConsumerEntity {
  if (consumer.groups === undefined) return consumer;
  const groups = consumer.groups.filter(({ name }) => there.has(name));
  if (groups.length === consumer.groups.length) return consumer;
  const { groups: _groups, ...rest } = consumer;
  return groups.length === 0 ? rest : { ...rest, groups };
}
