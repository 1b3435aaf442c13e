import type { KubeObject } from '@waygate/schema';
import type { KongConsumerResource } from '../objects/kong-resources.ts';
import { keyOf, namespacedKey } from '../objects/reference.ts';
import type { Secret } from '../objects/secret.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { annotationsOf } from './annotations.ts';
import {
  credentialFromSecret,
  credentialKinds,
  credentialLabel,
  isCredentialType,
} from './credentials.ts';
import { entityId } from './entity-ids.ts';
import type { UniqueClaim } from './incremental/unique-claims.ts';
import { isObjectOfClass } from './ingress-class.ts';
import type { ConsumerEntity, ConsumerGroupEntity, CredentialEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import { type PluginUse, pluginUses } from './plugin-use.ts';
import type { ProblemList } from './problem.ts';
import { tagsOf } from './tags.ts';

/** A credential's claim to a value that may exist only once. */
export interface CredentialClaim extends UniqueClaim {
  readonly entity: CredentialEntity;
  readonly secret: Secret;
}

export interface ConsumerResult {
  readonly consumer: ConsumerEntity;
  readonly source: KongConsumerResource;
  readonly pluginUses: readonly PluginUse[];
  /** Entities that lack a plugin that was asked for. */
  readonly incomplete: readonly string[];
  /** What it is known by. Without all of them there is no such consumer. */
  readonly nameClaims: readonly UniqueClaim[];
  /** Its credentials; one that another consumer has is left out. */
  readonly credentialClaims: readonly CredentialClaim[];
}

/** Whether a KongConsumerGroup is the one that its name stands for in the gateway. */
type GroupCheck = (namespace: string, name: string) => boolean;

/** The Kong consumer of a KongConsumer with its credentials and groups. */
export function buildConsumer(
  source: KongConsumerResource,
  reader: ObjectReader,
  options: ResolvedOptions,
  isGroupInForce: GroupCheck,
  problems: ProblemList,
): ConsumerResult | undefined {
  if (!isObjectOfClass(reader, source, options.ingressClass)) return undefined;
  const { username, custom_id } = source;
  if (!username && !custom_id) {
    problems.add('no username or custom_id specified', source);
    return undefined;
  }
  const consumer: ConsumerEntity = { tags: tagsOf(source) };
  if (username) consumer.username = username;
  if (custom_id) consumer.custom_id = custom_id;
  if (username && options.features.fillIds)
    consumer.id = entityId('consumers', username, options.workspace);
  addGroups(consumer, source, reader, options, isGroupInForce, problems);
  const credentialClaims = addCredentials(consumer, source, reader, problems);
  const name = username || custom_id || '';
  const incomplete: string[] = [];
  const report = { problems, incomplete };
  return {
    consumer,
    source,
    pluginUses: pluginUses('consumer', name, source, annotationsOf(source), reader, report),
    incomplete,
    nameClaims: nameClaimsOf(source),
    credentialClaims,
  };
}

/** Plugins name a consumer by its username, or else by its custom id: that must be unique as well. */
function nameClaimsOf(source: KongConsumerResource): UniqueClaim[] {
  const { username, custom_id } = source;
  const claims: UniqueClaim[] = [];
  const by = { objects: [source] as const, holder: keyOf(source) };
  if (username) claims.push({ index: 'username', value: username, ...by });
  if (custom_id) claims.push({ index: 'custom_id', value: custom_id, ...by });
  claims.push({ index: 'consumer', value: username || custom_id || '', ...by });
  return claims;
}

function addGroups(
  consumer: ConsumerEntity,
  source: KongConsumerResource,
  reader: ObjectReader,
  { ingressClass }: ResolvedOptions,
  isGroupInForce: GroupCheck,
  problems: ProblemList,
): void {
  const { namespace = '' } = source.metadata;
  const groups: { name: string }[] = [];
  for (const name of source.consumerGroups ?? []) {
    const group = reader.get<KubeObject>('KongConsumerGroup', namespace, name);
    if (group === undefined || !isObjectOfClass(reader, group, ingressClass)) {
      const key = namespacedKey(namespace, name);
      problems.add(
        `nonexistent consumer group: ${JSON.stringify(`KongConsumerGroup ${key} not found`)}`,
        source,
      );
    } else if (isGroupInForce(namespace, name)) {
      groups.push({ name });
    } else {
      const message = `consumer group ${JSON.stringify(name)} belongs to another namespace`;
      problems.add(message, source);
    }
  }
  if (groups.length > 0) consumer.groups = groups;
}

function addCredentials(
  consumer: ConsumerEntity,
  source: KongConsumerResource,
  reader: ObjectReader,
  problems: ProblemList,
): CredentialClaim[] {
  const claims: CredentialClaim[] = [];
  const { namespace = '' } = source.metadata;
  for (const name of source.credentials ?? []) {
    const report = (message: string) =>
      problems.add(`credential ${JSON.stringify(name)} failure: ${message}`, source);
    const secret = reader.get<Secret>('Secret', namespace, name);
    if (secret === undefined) {
      report(`Failed to fetch secret: Secret ${namespace}/${name} not found`);
      continue;
    }
    const type = secret.metadata.labels?.[credentialLabel];
    if (type === undefined)
      report(
        `could not load credential from Secret: Secret ${namespace}/${name} used as credential, but lacks ${credentialLabel} label`,
      );
    if (type === undefined || !isCredentialType(type)) {
      report(
        `failed to provision credential: unsupported credential type: ${JSON.stringify(type ?? '')}`,
      );
      continue;
    }
    const result = credentialFromSecret(type, secret);
    for (const note of result.notes) report(note);
    if ('error' in result) {
      report(`failed to provision credential: ${result.error}`);
      continue;
    }
    const { collection, unique } = credentialKinds[type];
    const { entity } = result;
    consumer[collection] = [...(consumer[collection] ?? []), entity];
    const field = String(entity[unique.field]);
    const value = unique.isPerConsumer ? `${namespace}/${source.metadata.name} ${field}` : field;
    claims.push({
      index: unique.index,
      value,
      objects: [secret, source],
      holder: keyOf(secret),
      entity,
      secret,
    });
  }
  return claims;
}

/** A consumer as it is without credentials that others have. */
export function withoutCredentials(
  consumer: ConsumerEntity,
  lost: ReadonlySet<CredentialEntity>,
): ConsumerEntity {
  if (lost.size === 0) return consumer;
  const kept: ConsumerEntity = { ...consumer };
  for (const { collection } of Object.values(credentialKinds)) {
    const own = kept[collection]?.filter((entity) => !lost.has(entity));
    if (own === undefined) continue;
    if (own.length === 0) delete kept[collection];
    else kept[collection] = own;
  }
  return kept;
}

export interface ConsumerGroupResult {
  readonly group: ConsumerGroupEntity;
  readonly source: KubeObject;
  readonly pluginUses: readonly PluginUse[];
  readonly incomplete: readonly string[];
}

export function buildConsumerGroup(
  source: KubeObject,
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): ConsumerGroupResult | undefined {
  if (!isObjectOfClass(reader, source, options.ingressClass)) return undefined;
  const name = source.metadata.name ?? '';
  const group: ConsumerGroupEntity = { name, tags: tagsOf(source) };
  if (options.features.fillIds) group.id = entityId('consumergroups', name, options.workspace);
  const annotations = annotationsOf(source);
  const incomplete: string[] = [];
  const report = { problems, incomplete };
  return {
    group,
    source,
    pluginUses: pluginUses('consumer_group', name, source, annotations, reader, report),
    incomplete,
  };
}
