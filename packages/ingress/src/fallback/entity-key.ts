import {
  type KongState,
  nameOfConsumer,
  type PluginEntity,
  type RouteEntity,
  type ServiceEntity,
  type UpstreamEntity,
} from '../translate/kong-state.ts';

/** An entity of a configuration as text: its collection and what it is known by there. */
export type EntityKey = string;

/** One entity by itself, without what is nested in it. */
export interface PlainEntity {
  readonly key: EntityKey;
  readonly collection: string;
  readonly entity: object;
  /** Of a nested plugin: what it is nested in. */
  readonly scope?: Partial<Record<PluginScopeField, string>>;
}

export type PluginScopeField = 'route' | 'service' | 'consumer' | 'consumer_group';

export function pluginKey(
  plugin: PluginEntity,
  scope: Partial<Record<PluginScopeField, string>> = plugin,
): EntityKey {
  const { route = '', service = '', consumer = '', consumer_group = '' } = scope;
  return `plugins ${plugin.name} ${route} ${service} ${consumer} ${consumer_group}`;
}

/** What a plugin is there for: the route before the service before the consumer. */
export function placeOf(scope: Partial<PluginEntity>): string | undefined {
  const { route, service, consumer, consumer_group: group } = scope;
  if (route !== undefined) return `route ${route}`;
  if (service !== undefined) return `service ${service}`;
  if (consumer !== undefined) return `consumer ${consumer}`;
  return group === undefined ? undefined : `consumer_group ${group}`;
}

export function plainService({ routes, plugins, ...service }: ServiceEntity): object {
  return service;
}

export function plainRoute({ plugins, ...route }: RouteEntity): object {
  return route;
}

export function plainUpstream({ targets, ...upstream }: UpstreamEntity): object {
  return upstream;
}

/** All entities of a configuration. A consumer counts as one with its credentials. */
export function* entitiesOf(state: KongState): Iterable<PlainEntity> {
  const plugin = (entity: PluginEntity, scope?: PlainEntity['scope']): PlainEntity => ({
    key: pluginKey(entity, scope),
    collection: 'plugins',
    entity,
    ...(scope && { scope }),
  });
  for (const service of state.services) {
    const { name } = service;
    yield { key: `services ${name}`, collection: 'services', entity: plainService(service) };
    for (const one of service.plugins ?? []) yield plugin(one, { service: name });
    for (const route of service.routes ?? []) {
      yield { key: `routes ${route.name}`, collection: 'routes', entity: plainRoute(route) };
      for (const one of route.plugins ?? []) yield plugin(one, { route: route.name });
    }
  }
  for (const upstream of state.upstreams) {
    const { name, targets = [] } = upstream;
    yield { key: `upstreams ${name}`, collection: 'upstreams', entity: plainUpstream(upstream) };
    yield { key: `targets ${name}`, collection: 'targets', entity: targets };
  }
  for (const one of state.plugins) yield plugin(one);
  for (const entity of state.consumers) {
    const key = `consumers ${nameOfConsumer(entity)}`;
    yield { key, collection: 'consumers', entity };
  }
  for (const entity of state.consumerGroups)
    yield { key: `consumer_groups ${entity.name}`, collection: 'consumer_groups', entity };
  for (const entity of state.certificates)
    yield { key: `certificates ${entity.id}`, collection: 'certificates', entity };
  for (const entity of state.caCertificates)
    yield { key: `ca_certificates ${entity.id}`, collection: 'ca_certificates', entity };
  for (const entity of state.vaults)
    yield { key: `vaults ${entity.prefix}`, collection: 'vaults', entity };
  for (const [collection, entities] of Object.entries(state.customEntities))
    for (const entity of entities)
      yield { key: `${collection} ${JSON.stringify(entity)}`, collection, entity };
}
