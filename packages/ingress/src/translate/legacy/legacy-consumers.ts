import type { KongConsumerResource, KongCredentialResource } from '../../objects/kong-resources.ts';
import { compareText } from '../../objects/reference.ts';
import { type Secret, secretKeys, secretText } from '../../objects/secret.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { credentialKinds, isCredentialType } from '../credentials.ts';
import { type ConsumerEntity, type CredentialEntity, nameOfConsumer } from '../kong-state.ts';
import type { ProblemList } from '../problem.ts';
import { isOfLegacyClass } from './legacy-annotations.ts';

interface LegacyConsumer {
  readonly entity: ConsumerEntity;
  readonly source: KongConsumerResource;
}

/** Consumers with credentials from Secrets that they list and from KongCredentials that name them. */
export function legacyConsumers(
  reader: ObjectReader,
  ingressClass: string,
  problems: ProblemList,
): LegacyConsumer[] {
  const consumers: LegacyConsumer[] = [];
  for (const source of reader.list<KongConsumerResource>('KongConsumer')) {
    if (!isOfLegacyClass(source, ingressClass)) continue;
    if (!source.username && !source.custom_id) {
      problems.add('no username or custom_id specified', source);
      continue;
    }
    const entity: ConsumerEntity = {};
    if (source.username) entity.username = source.username;
    if (source.custom_id) entity.custom_id = source.custom_id;
    const { namespace = '' } = source.metadata;
    for (const name of source.credentials ?? []) {
      const secret = reader.get<Secret>('Secret', namespace, name);
      if (secret === undefined)
        problems.add(`credential ${JSON.stringify(name)} failure: Secret not found`, source);
      else addFromSecret(entity, secret);
    }
    for (const credential of reader.list<KongCredentialResource>('KongCredential')) {
      if (credential.metadata.namespace !== namespace) continue;
      if (credential.consumerRef !== source.metadata.name) continue;
      if (!isOfLegacyClass(credential, ingressClass)) continue;
      if (credential.type && credential.config) add(entity, credential.type, credential.config);
    }
    consumers.push({ entity, source });
  }
  return consumers.sort((left, right) => compareText(nameOf(left), nameOf(right)));
}

export function nameOf({ entity }: LegacyConsumer): string {
  return nameOfConsumer(entity);
}

function addFromSecret(consumer: ConsumerEntity, secret: Secret): void {
  const type = secretText(secret, 'kongCredType');
  if (type === undefined) return;
  const config: Record<string, unknown> = {};
  for (const key of secretKeys(secret)) {
    if (key === 'kongCredType') continue;
    const text = secretText(secret, key) ?? '';
    config[key] = key === 'redirect_uris' ? text.split(',') : text;
  }
  if (Object.keys(config).length > 0) add(consumer, type, config);
}

/** Fields of the time; numbers and booleans could not be read from a Secret's texts. */
function add(
  consumer: ConsumerEntity,
  type: string,
  config: Readonly<Record<string, unknown>>,
): void {
  if (!isCredentialType(type) || type === 'mtls-auth') return;
  const { collection, fields } = credentialKinds[type];
  const credential: CredentialEntity = {};
  for (const field of [...fields, 'id']) {
    if (!Object.hasOwn(config, field) || field === 'hash_secret' || field === 'client_type')
      continue;
    const value = config[field];
    if (field === 'ttl' && typeof value !== 'number') continue;
    if (value !== null && value !== undefined) credential[field] = value;
  }
  if (type === 'jwt' && !credential.algorithm) credential.algorithm = 'HS256';
  consumer[collection] = [...(consumer[collection] ?? []), credential];
}
