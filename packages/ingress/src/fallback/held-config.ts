import { type Secret, secretText } from '../objects/secret.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import {
  type ConsumerEntity,
  type ConsumerGroupEntity,
  type CredentialEntity,
  emptyState,
  type KongState,
  nameOfConsumer,
  type PluginEntity,
  type ServiceEntity,
} from '../translate/kong-state.ts';
import { objectFromTags } from '../translate/tags.ts';

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

/** The credentials that a gateway keeps as a hash, and the field that it is in. */
const hashed = { basicauth_credentials: 'password', oauth2_credentials: 'client_secret' } as const;

/**
 * What a gateway tells of a password is its hash, which it would hash once more. So consumers get
 * their passwords back from the Secrets that they came from, as far as these are there.
 */
export function withPasswords(held: HeldConfig, reader: ObjectReader): HeldConfig {
  const restored = (held.consumers ?? []).map((consumer) => {
    const copy = { ...consumer };
    for (const [collection, field] of Object.entries(hashed) as Entries<typeof hashed>) {
      const own = consumer[collection];
      if (own !== undefined) copy[collection] = own.map((one) => withPassword(one, field, reader));
    }
    return copy;
  });
  return { ...held, consumers: restored };
}

type Entries<Table> = { [Key in keyof Table]: [Key, Table[Key]] }[keyof Table][];

function withPassword(
  credential: CredentialEntity,
  field: string,
  reader: ObjectReader,
): CredentialEntity {
  if (field === 'client_secret' && credential.hash_secret !== true) return credential;
  const object = objectFromTags(credential.tags);
  if (object?.kind !== 'Secret') return credential;
  const secret = reader.get<Secret>('Secret', object.namespace, object.name);
  const text = secret && secretText(secret, field);
  return text === undefined ? credential : { ...credential, [field]: text };
}

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
    ...emptyState,
    services,
    upstreams: held.upstreams ?? [],
    consumers,
    consumerGroups,
    plugins,
    certificates: held.certificates ?? [],
    caCertificates: held.ca_certificates ?? [],
    vaults: held.vaults ?? [],
  };
}
