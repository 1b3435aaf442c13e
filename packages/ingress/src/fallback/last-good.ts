import { credentialKinds } from '../translate/credentials.ts';
import type { Incumbents } from '../translate/incremental/unique-claims.ts';
import type { ServiceResult } from '../translate/kong-service.ts';
import {
  emptyState,
  type KongState,
  nameOfConsumer,
  type RouteEntity,
  type ServiceEntity,
  type UpstreamEntity,
} from '../translate/kong-state.ts';
import { rulesOf } from '../translate/route-claims.ts';
import { objectFromTags } from '../translate/tags.ts';

interface GoodRoute {
  readonly route: RouteEntity;
  readonly service: ServiceEntity;
}

/**
 * The configuration that gateways took last, or were found with. Taking note of it costs nothing;
 * what is looked up in it is put in order when somebody asks, which is when something is wrong.
 */
export class LastGood {
  #state: KongState = emptyState;
  /** Single services that were taken since, by the name that they are claimed under. */
  readonly #later = new Map<string, readonly ServiceResult[]>();
  #isKnown = false;
  #services: Map<string, ServiceEntity> | undefined;
  #routes: Map<string, GoodRoute> | undefined;
  #holders: Map<string, string> | undefined;
  #ruleHolders: Map<string, string> | undefined;

  /** Whether anything is known: from before, or because gateways took something of ours. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** All but services and upstreams, for which there are look-ups. */
  get state(): KongState {
    return this.#state;
  }

  accept(state: KongState): void {
    this.#state = state;
    this.#later.clear();
    this.#forget();
  }

  acceptServices(changed: ReadonlyMap<string, readonly ServiceResult[]>): void {
    for (const [name, results] of changed) this.#later.set(name, results);
    this.#forget();
  }

  upstream(name: string): UpstreamEntity | undefined {
    for (const results of this.#later.values())
      for (const { upstream } of results) if (upstream?.name === name) return upstream;
    return this.#state.upstreams.find((one) => one.name === name);
  }

  route(name: string): GoodRoute | undefined {
    return this.routes().get(name);
  }

  routes(): ReadonlyMap<string, GoodRoute> {
    if (this.#routes === undefined) {
      this.#routes = new Map();
      for (const service of this.#allServices().values())
        for (const route of service.routes ?? []) this.#routes.set(route.name, { route, service });
    }
    return this.#routes;
  }

  /** Who has a unique value: the object that its entity is tagged with. */
  readonly incumbents: Incumbents = (index, value) => {
    if (index === 'rule' || index === 'host') {
      this.#ruleHolders ??= this.#holdersOfRules();
      return this.#ruleHolders.get(`${index} ${value}`);
    }
    if (index === 'route') return holderOf(this.route(value)?.route);
    this.#holders ??= holdersOf(this.#state, this.routes());
    return this.#holders.get(`${index} ${value}`);
  };

  #forget(): void {
    this.#isKnown = true;
    this.#services = undefined;
    this.#routes = undefined;
    this.#holders = undefined;
    this.#ruleHolders = undefined;
  }

  #allServices(): ReadonlyMap<string, ServiceEntity> {
    if (this.#services === undefined) {
      this.#services = new Map(this.#state.services.map((one) => [one.name, one]));
      for (const [name, results] of this.#later) {
        this.#services.delete(name);
        for (const { service } of results)
          if (service !== undefined) this.#services.set(service.name, service);
      }
    }
    return this.#services;
  }

  #holdersOfRules(): Map<string, string> {
    const holders = new Map<string, string>();
    for (const { route } of this.routes().values()) {
      const holder = objectFromTags(route.tags)?.namespace;
      if (holder === undefined) continue;
      for (const rule of rulesOf(route)) holders.set(`rule ${rule}`, holder);
      for (const host of route.hosts ?? []) holders.set(`host ${host}`, holder);
    }
    return holders;
  }
}

function holderOf(entity: { tags?: readonly string[] } | undefined): string | undefined {
  const object = objectFromTags(entity?.tags);
  return object === undefined ? undefined : `${object.namespace}/${object.name}`;
}

function holdersOf(state: KongState, routes: ReadonlyMap<string, GoodRoute>): Map<string, string> {
  const holders = new Map<string, string>();
  const note = (index: string, value: unknown, entity: { tags?: readonly string[] }) => {
    const holder = holderOf(entity);
    if (holder !== undefined && value !== undefined) holders.set(`${index} ${value}`, holder);
  };
  for (const consumer of state.consumers) {
    note('username', consumer.username, consumer);
    note('custom_id', consumer.custom_id, consumer);
    note('consumer', nameOfConsumer(consumer), consumer);
    for (const { collection, unique } of Object.values(credentialKinds))
      for (const entity of consumer[collection] ?? [])
        if (!unique.isPerConsumer) note(unique.index, entity[unique.field], entity);
  }
  for (const group of state.consumerGroups) note('consumer_group', group.name, group);
  for (const certificate of state.certificates)
    for (const { name } of certificate.snis ?? []) note('sni', name, certificate);
  for (const { route } of routes.values()) {
    const object = objectFromTags(route.tags);
    const isCatchAll =
      object?.kind === 'Ingress' && route.name === `${object.namespace}.${object.name}`;
    if (isCatchAll) note('default backend', '', route);
  }
  return holders;
}
