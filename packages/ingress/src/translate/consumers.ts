import type { KubeObject } from '@waygate/schema';
import type { KongConsumerResource } from '../objects/kong-resources.ts';
import { namespacedKey } from '../objects/reference.ts';
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
import { isObjectOfClass } from './ingress-class.ts';
import type { ConsumerEntity, ConsumerGroupEntity } from './kong-state.ts';
import type { ResolvedOptions } from './options.ts';
import { type PluginUse, pluginUses } from './plugin-use.ts';
import type { ProblemList } from './problem.ts';
import { tagsOf } from './tags.ts';

/** A credential's claim to a value that may exist only once. */
export interface UniqueClaim {
  /** The name of the rule, such as `key-auth on 'key'`. */
  readonly index: string;
  readonly value: string;
  readonly secret: Secret;
  readonly consumer: KongConsumerResource;
}

export interface ConsumerResult {
  readonly consumer: ConsumerEntity;
  readonly source: KongConsumerResource;
  readonly pluginUses: readonly PluginUse[];
  readonly uniqueClaims: readonly UniqueClaim[];
}

/** The Kong consumer of a KongConsumer with its credentials and groups. */
export function buildConsumer(
  source: KongConsumerResource,
  reader: ObjectReader,
  options: ResolvedOptions,
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
  addGroups(consumer, source, reader, options, problems);
  const uniqueClaims = addCredentials(consumer, source, reader, problems);
  const name = username || custom_id || '';
  return {
    consumer,
    source,
    pluginUses: pluginUses('consumer', name, source, annotationsOf(source), reader, problems),
    uniqueClaims,
  };
}

function addGroups(
  consumer: ConsumerEntity,
  source: KongConsumerResource,
  reader: ObjectReader,
  { ingressClass }: ResolvedOptions,
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
    } else {
      groups.push({ name });
    }
  }
  if (groups.length > 0) consumer.groups = groups;
}

function addCredentials(
  consumer: ConsumerEntity,
  source: KongConsumerResource,
  reader: ObjectReader,
  problems: ProblemList,
): UniqueClaim[] {
  const claims: UniqueClaim[] = [];
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
    consumer[collection] = [...(consumer[collection] ?? []), result.entity];
    if (unique !== undefined) {
      const value = String(result.entity[unique.field]);
      claims.push({ index: unique.index, value, secret, consumer: source });
    }
  }
  return claims;
}

export interface ConsumerGroupResult {
  readonly group: ConsumerGroupEntity;
  readonly source: KubeObject;
  readonly pluginUses: readonly PluginUse[];
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
  return {
    group,
    source,
    pluginUses: pluginUses('consumer_group', name, source, annotations, reader, problems),
  };
}
