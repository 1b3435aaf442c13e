import { type ConsumerEntity, type KongState, nameOfConsumer } from './kong-state.ts';

/** A declarative configuration as plain JSON, ready for `POST /config` or a file. */
export type DeclarativeDocument = Record<string, unknown>;

export interface DeclarativeOptions {
  /**
   * For `POST /config`: memberships of consumer groups in a collection of their own, and a stub
   * upstream when there is nothing else, since Kong does not count an empty configuration as one.
   */
  readonly isDbless: boolean;
  readonly formatVersion?: string;
}

/**
 * The state as a declarative configuration. Collections without entities are left out.
 *
 * ```ts
 * const rule = { path: '/cart', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } };
 * const ingress = {
 *   apiVersion: 'networking.k8s.io/v1',
 *   kind: 'Ingress',
 *   metadata: { name: 'shop', namespace: 'web' },
 *   spec: { ingressClassName: 'kong', rules: [{ host: 'shop.test', http: { paths: [rule] } }] },
 * };
 * const config = toDeclarativeConfig(translate([ingress]).state, { isDbless: true });
 * Object.keys(config); // ['_format_version', 'services', 'upstreams']
 * ```
 */
export function toDeclarativeConfig(
  state: KongState,
  { isDbless, formatVersion = '3.0' }: DeclarativeOptions,
): DeclarativeDocument {
  const memberships = state.consumers.flatMap((consumer) =>
    (consumer.groups ?? []).map(({ name }) => ({
      consumer: nameOfConsumer(consumer),
      consumer_group: name,
    })),
  );
  const collections: Record<string, readonly unknown[]> = {
    services: state.services,
    upstreams: state.upstreams,
    consumers: isDbless ? state.consumers.map(withoutGroups) : state.consumers,
    consumer_groups: state.consumerGroups,
    consumer_group_consumers: isDbless ? memberships : [],
    plugins: state.plugins,
    certificates: state.certificates,
    ca_certificates: state.caCertificates,
    vaults: state.vaults,
    licenses: state.licenses,
    ...state.customEntities,
  };
  const document: DeclarativeDocument = { _format_version: formatVersion };
  for (const [name, entities] of Object.entries(collections))
    if (entities.length > 0) document[name] = entities;
  if (isDbless && isEmpty(state)) document.upstreams = [{ name: 'kong' }];
  return document;
}

/** The same entity where it can be: what is made from it may be remembered. */
function withoutGroups(entity: ConsumerEntity): ConsumerEntity {
  if (entity.groups === undefined) return entity;
  const { groups, ...consumer } = entity;
  return consumer;
}

/** Custom entities alone do not make Kong ready. */
function isEmpty(state: KongState): boolean {
  return (
    state.services.length +
      state.upstreams.length +
      state.consumers.length +
      state.consumerGroups.length +
      state.plugins.length +
      state.certificates.length +
      state.caCertificates.length +
      state.vaults.length ===
    0
  );
}
