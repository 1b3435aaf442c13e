import type {
  ConsumerEntity,
  ConsumerGroupEntity,
  KongState,
  PluginEntity,
  ServiceEntity,
} from '../translate/kong-state.ts';
import { nameOfConsumer } from './entity-key.ts';

/** What a gateway was found to hold, in the form of a declarative configuration. */
export type HeldConfig = Partial<
  Pick<KongState, 'services' | 'upstreams' | 'plugins' | 'certificates' | 'vaults'>
> & {
  readonly consumers?: readonly (ConsumerEntity & { plugins?: PluginEntity[] })[];
  readonly consumer_groups?: readonly (ConsumerGroupEntity & { plugins?: PluginEntity[] })[];
  readonly ca_certificates?: KongState['caCertificates'];
};

/** The service that routes wait at until all of their plugins are there; nothing leads through it. */
export const waitingServiceName = 'waygate.waiting';

/** The same as a state, with every plugin in the one list of them, by what it is on. */
export function stateOfHeld(held: HeldConfig): KongState {
  const plugins = [...(held.plugins ?? [])];
  const services = (held.services ?? [])
    .filter(({ name }) => name !== waitingServiceName)
    .map(({ plugins: own = [], routes = [], ...service }): ServiceEntity => {
      for (const plugin of own) plugins.push({ ...plugin, service: service.name });
      const plain = routes.map(({ plugins: ofRoute = [], ...route }) => {
        for (const plugin of ofRoute) plugins.push({ ...plugin, route: route.name });
        return route;
      });
      return plain.length === 0 ? service : { ...service, routes: plain };
    });
  const consumers = (held.consumers ?? []).map(({ plugins: own = [], ...consumer }) => {
    for (const plugin of own) plugins.push({ ...plugin, consumer: nameOfConsumer(consumer) });
    return consumer;
  });
  const consumerGroups = (held.consumer_groups ?? []).map(({ plugins: own = [], ...group }) => {
    for (const plugin of own) plugins.push({ ...plugin, consumer_group: group.name });
    return group;
  });
  return {
    services,
    upstreams: held.upstreams ?? [],
    consumers,
    consumerGroups,
    plugins,
    certificates: held.certificates ?? [],
    caCertificates: held.ca_certificates ?? [],
    vaults: held.vaults ?? [],
    licenses: [],
    customEntities: {},
  };
}
