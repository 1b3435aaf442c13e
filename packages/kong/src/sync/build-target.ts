import { isObject, oncePer } from '@waygate/text';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import {
  type CollectionName,
  type EntityKind,
  entityKind,
  entityKinds,
} from '../entity/entity-kinds.ts';
import {
  type DeclaredEntity,
  type FlattenRules,
  flattenDeclarative,
  nestingsOf,
} from '../entity/flatten-declarative.ts';
import { isUuid } from '../schema/constraint.ts';
import { expandServiceUrl } from '../schema/shorthand.ts';
import type { StoredEntity } from '../store/entity-collection.ts';
import { declareMembers } from './declare-members.ts';
import { entityLabel } from './entity-label.ts';
import { IdentityIndex, identityKey, membershipId, TakenIdentities } from './identity.ts';
import { KongEntities } from './kong-entities.ts';
import { atOnce, StepCounter, type Steps } from './steps.ts';
import {
  duplicateMessage,
  emptyNameMessage,
  inOrderOfDiscovery,
  type TargetProblem,
} from './target-problem.ts';

export interface BuildTargetOptions {
  /** What the server has: entities without an id take that of their twin there. */
  readonly current: KongEntities;
  /** Entities of other owners, which may be referred to but are not managed. */
  readonly lookup?: KongEntities;
  /** Makes the ids of entities that have no twin. */
  readonly newId: () => string;
  /** Added to the tags of every entity. */
  readonly selectTags?: readonly string[];
  readonly skipsConsumers?: boolean;
  readonly skipsCaCertificates?: boolean;
  /** Leaves out who is in which consumer group. */
  readonly skipsMemberships?: boolean;
}

export interface BuildTargetResult {
  readonly target: KongEntities;
  readonly problems: readonly TargetProblem[];
}

/** Values for fields that an entity leaves open, into its records too. */
export function withDefaults(entity: JsonObject, defaults: JsonObject): JsonObject {
  const filled: { [key: string]: JsonValue | undefined } = { ...entity };
  for (const [name, value] of Object.entries(defaults)) {
    const given = filled[name];
    if (given === undefined) filled[name] = value;
    else if (isObject(given) && isObject(value)) filled[name] = withDefaults(given, value);
  }
  return filled;
}

const nothing: readonly never[] = [];

/** The fields of an identity, and what they are called together. */
interface NamedIdentity {
  readonly fields: readonly string[];
  readonly name: string;
}

const legacyConsumer: readonly NamedIdentity[] = [{ fields: ['username'], name: 'username' }];

const identitiesOf = oncePer((kind: EntityKind): readonly NamedIdentity[] =>
  kind.identity.map((fields) => ({ fields, name: fields.join(' ') })),
);

/** decK nests what its files nest; a list that is not all objects is a field like any other. */
const flattenRules: FlattenRules = {
  kinds: entityKinds,
  nestings: nestingsOf(entityKinds, (_kind, { nestedAs }) => nestedAs),
  isNested: (value) => Array.isArray(value) && value.every(isObject),
};

type MutableEntity = { [field: string]: JsonValue | undefined };

/**
 * A copy that gets more fields. Field by field, so that all copies of a kind have one hidden class:
 * spread gives each its own, which for ten thousand entities is as much memory as their values.
 */
function mutableCopy(entity: JsonObject): MutableEntity {
  const copy: MutableEntity = {};
  for (const field in entity) if (field !== '__proto__') copy[field] = entity[field];
  return copy;
}

/** Kinds that a duplicate of is named by its id. */
const namedById: ReadonlySet<CollectionName> = new Set([
  'keyauth_credentials',
  'basicauth_credentials',
  'hmacauth_credentials',
  'jwt_secrets',
  'oauth2_credentials',
  'mtls_auth_credentials',
]);

/** Puts the entities of a configuration into a state: ids given, references resolved, tags added. */
class TargetBuilder {
  readonly target = new KongEntities();
  readonly problems: TargetProblem[] = [];
  readonly #options: BuildTargetOptions;
  readonly #config: DeclarativeConfig;
  readonly #twins: IdentityIndex;
  #otherTwins: IdentityIndex | undefined;
  /** Identities that are taken, so that a second entity with one is seen. */
  readonly #taken = new TakenIdentities();

  constructor(config: DeclarativeConfig, options: BuildTargetOptions) {
    this.#config = config;
    this.#options = options;
    this.#twins = new IdentityIndex(options.current);
  }

  *build(): Steps<void> {
    const counter = new StepCounter();
    const declared = new Map<EntityKind, DeclaredEntity[]>();
    for (const entity of flattenDeclarative(this.#config as JsonObject, flattenRules)) {
      const known = declared.get(entity.kind);
      if (known === undefined) declared.set(entity.kind, [entity]);
      else known.push(entity);
      if (counter.isDue()) yield;
    }
    declareMembers(declared, (consumer) => this.#othersConsumer(consumer) !== undefined);
    for (const kind of entityKinds) {
      if (this.#options.skipsConsumers === true && kind.isConsumers === true) continue;
      if (this.#options.skipsCaCertificates === true && kind.collection === 'ca_certificates')
        continue;
      if (this.#options.skipsMemberships === true && kind.isMembership === true) continue;
      const entities = declared.get(kind) ?? [];
      const needTwins = entities.some(({ item }) => item.id === undefined);
      if (needTwins) yield* this.#twins.read(kind);
      for (const entity of entities) {
        this.#add(entity);
        if (counter.isDue()) yield;
      }
    }
  }

  #add(declared: DeclaredEntity): void {
    const { kind } = declared;
    if (this.#options.skipsConsumers === true && this.#isConsumers(declared)) return;
    const resolved = this.#resolve(declared);
    if (resolved === undefined) return;
    const own = typeof resolved.id === 'string' && resolved.id !== '' ? resolved.id : undefined;
    const nameless = emptyNameMessage(kind.collection, resolved);
    if (nameless !== undefined) {
      this.#problem(kind, '', nameless);
      return;
    }
    const id = own ?? this.#twins.find(kind, resolved) ?? this.#newId(kind, resolved);
    declared.id = id;
    resolved.id = id;
    const entity = resolved as StoredEntity;
    // The same membership may be told from both sides.
    if (kind.isMembership !== true && this.#isDuplicate(kind, entity)) return;
    this.target.put(kind.collection, entity);
  }

  #newId(kind: EntityKind, entity: JsonObject): string {
    return kind.isMembership === true ? membershipId(kind, entity) : this.#options.newId();
  }

  #isConsumers({ item, parent }: DeclaredEntity): boolean {
    const isUnder = (field: string) => item[field] !== undefined || parent?.field === field;
    return isUnder('consumer') || isUnder('consumer_group');
  }

  /** A copy of the entity as the server takes it, or undefined when a reference leads nowhere. */
  #resolve(declared: DeclaredEntity): MutableEntity | undefined {
    const { kind, parent } = declared;
    let entity = this.#withConfig(declared);
    if (entity === undefined) return undefined;
    const defaults = this.#config._info?.defaults?.[kind.noun];
    if (defaults !== undefined) entity = withDefaults(entity, defaults as JsonObject);
    if (kind.collection === 'services') entity = expandServiceUrl(entity, 'fields').record;
    const resolved = mutableCopy(entity);
    for (const { field, collection } of kind.references) {
      const parentId = parent?.field === field ? parent.entity.id : undefined;
      if (parent?.field === field && parentId === undefined) return undefined;
      const value = parentId ?? entity[field];
      if (value === undefined || value === null) continue;
      // To decK a plugin that names nothing is a plugin without that scope.
      if (value === '' && kind.collection === 'plugins') {
        delete resolved[field];
        continue;
      }
      const id = this.#referredId(declared, entity, field, collection, value);
      if (id === undefined) return undefined;
      resolved[field] = { id };
    }
    const tags = this.#tagsOf(kind, entity);
    if (tags !== undefined) resolved.tags = tags;
    return resolved;
  }

  #referredId(
    { kind, parent }: DeclaredEntity,
    entity: JsonObject,
    field: string,
    collection: CollectionName,
    value: JsonValue,
  ): string | undefined {
    const given = isObject(value)
      ? (value.id ?? value.name ?? value.username ?? value.custom_id)
      : value;
    if (typeof given !== 'string') return undefined;
    const isByCustomId = isObject(value) && given === value.custom_id && given !== value.username;
    const found = isByCustomId
      ? (this.#taken.find(collection, 'custom_id', given) ?? this.#othersConsumer(value))
      : this.#lookUp(collection, given);
    if (found !== undefined) return found;
    if (field === 'client_certificate' && kind.collection === 'services') {
      this.#problem(
        kind,
        String(entity.name ?? ''),
        `building state: client certificate not found: ${given}`,
        field,
      );
      return undefined;
    }
    if (isObject(value) && typeof value.id === 'string') return value.id;
    if (!isUuid(given)) {
      const { noun } = entityKind(collection);
      const message =
        kind.isMembership === true && parent !== undefined
          ? `building state: ${noun} '${given}' not found for ${memberOf(kind, parent)}`
          : `building state: ${noun} ${given} for ${kind.noun} ${String(entity.name ?? '')}: entity not found`;
      this.#problem(kind, String(entity.name ?? ''), message, field);
      return undefined;
    }
    return given;
  }

  /** The id of an entity of the target by its id or name. */
  #lookUp(collection: CollectionName, idOrName: string): string | undefined {
    if (this.target.get(collection, idOrName) !== undefined) return idOrName;
    const { endpointKey } = entityKind(collection);
    if (endpointKey === undefined) return undefined;
    const named = this.#taken.find(collection, endpointKey, idOrName);
    return named ?? this.#others(collection, idOrName);
  }

  /** The id of an entity of another owner by its id or name. */
  #others(collection: CollectionName, idOrName: string): string | undefined {
    const { lookup } = this.#options;
    if (lookup?.get(collection, idOrName) !== undefined) return idOrName;
    const { endpointKey } = entityKind(collection);
    this.#otherTwins ??= lookup === undefined ? undefined : new IdentityIndex(lookup);
    return endpointKey === undefined
      ? undefined
      : this.#otherTwins?.find(entityKind(collection), { [endpointKey]: idOrName });
  }

  /** The id of a consumer of another owner by whatever names it. */
  #othersConsumer(consumer: JsonObject): string | undefined {
    const { lookup } = this.#options;
    if (lookup === undefined) return undefined;
    if (typeof consumer.id === 'string' && lookup.get('consumers', consumer.id) !== undefined)
      return consumer.id;
    this.#otherTwins ??= new IdentityIndex(lookup);
    return this.#otherTwins.find(entityKind('consumers'), consumer);
  }

  /** A plugin with the shared configuration that it names, its own values on top. */
  #withConfig({ kind, item: entity }: DeclaredEntity): JsonObject | undefined {
    if (kind.collection !== 'plugins' || entity._config === undefined) return entity;
    const { _config: name, ...plugin } = entity as { [key: string]: JsonValue | undefined };
    const shared = this.#config._plugin_configs;
    const key = String(name);
    if (shared === undefined || !Object.hasOwn(shared, key)) {
      this.#problem(kind, String(entity.name), `building state: _plugin_config '${key}' not found`);
      return undefined;
    }
    const own = isObject(plugin.config) ? plugin.config : {};
    return { ...plugin, config: withDefaults(own, shared[key] as JsonObject) };
  }

  #tagsOf(kind: EntityKind, entity: JsonObject): readonly string[] | undefined {
    const isUntagged = kind.collection === 'mtls_auth_credentials' || kind.isMembership === true;
    const added = isUntagged ? [] : (this.#options.selectTags ?? []);
    if (added.length === 0) return undefined;
    const own = Array.isArray(entity.tags) ? (entity.tags as readonly string[]) : nothing;
    return own.length === 0 && added.length === 1 ? added : [...new Set([...own, ...added])];
  }

  #isDuplicate(kind: EntityKind, entity: StoredEntity): boolean {
    const { collection, endpointKey } = kind;
    // Two ids may hold the same certificate, and a name that is another's id is taken too.
    const isTaken =
      this.target.get(collection, entity.id) !== undefined ||
      (endpointKey !== undefined && this.#isOthersName(collection, endpointKey, entity));
    const identities = this.#identitiesOf(kind);
    let hasTwin = false;
    const keys: (string | undefined)[] = [];
    for (const { fields, name } of identities) {
      const key = identityKey(kind, entity, fields);
      keys.push(key);
      if (key !== undefined && this.#taken.find(collection, name, key) !== undefined)
        hasTwin = true;
    }
    if (isTaken || hasTwin) {
      const label = namedById.has(kind.collection)
        ? entity.id
        : entityLabel(kind.collection, entity, () => undefined);
      this.#problem(kind, label, duplicateMessage(kind.collection, kind.noun, label));
      return true;
    }
    identities.forEach(({ name }, index) => {
      const key = keys[index];
      if (key !== undefined) this.#taken.add(collection, name, key, entity.id);
    });
    return false;
  }

  /** Whether the id of an entity is the name of another, or its name the id of another. */
  #isOthersName(collection: CollectionName, endpointKey: string, entity: StoredEntity): boolean {
    const name = entity[endpointKey];
    return (
      (typeof name === 'string' && this.target.get(collection, name) !== undefined) ||
      this.#taken.find(collection, endpointKey, entity.id) !== undefined
    );
  }

  /** What no two entities of a file may share; files of format 1.1 leave it to Kong for custom_id. */
  #identitiesOf(kind: EntityKind): readonly NamedIdentity[] {
    if (kind.collection === 'certificates') return nothing;
    const isLegacy = this.#config._format_version === '1.1';
    return kind.collection === 'consumers' && isLegacy ? legacyConsumer : identitiesOf(kind);
  }

  #problem(kind: EntityKind, object: string, message: string, field?: string): void {
    this.problems.push({
      collection: kind.collection,
      object,
      ...(field === undefined ? {} : { field }),
      message,
    });
  }
}

/**
 * Turns a configuration into the state that a Kong should have. What is wrong with it comes back as
 * problems, and the entities concerned are left out.
 *
 * ```ts
 * const config = { services: [{ name: 'shop', host: 'shop' }], routes: [{ name: 'cart', service: { name: 'blog' } }] };
 * const { target, problems } = buildTarget(config, { current: new KongEntities(), newId: () => 'new' });
 * target.get('services', 'new')?.name; // 'shop'
 * problems.map(({ message }) => message); // ['building state: service blog for route cart: entity not found']
 * ```
 */
export function buildTarget(
  config: DeclarativeConfig,
  options: BuildTargetOptions,
): BuildTargetResult {
  return atOnce(buildTargetSteps(config, options));
}

/**
 * {@link buildTarget} in steps, for those who have other things to do meanwhile.
 *
 * ```ts
 * const config = { services: [{ name: 'shop', host: 'shop' }] };
 * const steps = buildTargetSteps(config, { current: new KongEntities(), newId: () => 'new' });
 * (await inTurns(steps)).target.size; // 1
 * ```
 */
export function* buildTargetSteps(
  config: DeclarativeConfig,
  options: BuildTargetOptions,
): Steps<BuildTargetResult> {
  const builder = new TargetBuilder(config, options);
  yield* builder.build();
  return { target: builder.target, problems: inOrderOfDiscovery(builder.problems) };
}

/** The one of two that a membership is written under. */
function memberOf(kind: EntityKind, parent: NonNullable<DeclaredEntity['parent']>): string {
  const collection = kind.references.find(({ field }) => field === parent.field)?.collection;
  const noun = collection === undefined ? parent.field : entityKind(collection).noun;
  return `${noun} '${parent.entity.id}'`;
}
