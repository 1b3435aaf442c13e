import { isDeepStrictEqual } from 'node:util';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import {
  type CollectionName,
  type EntityKind,
  entityKind,
  entityKinds,
} from '../entity/entity-kinds.ts';
import { comparableSchema } from '../schema/validate-entity.ts';
import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import type { KongEntities } from '../sync/kong-entities.ts';
import { fieldOrder } from './field-order.ts';
import { isLegacyField } from './file-format.ts';

export interface DumpOptions {
  readonly formatVersion?: '1.1' | '2.1' | '3.0';
  /** Whether entities carry their ids; those that have no name always do. */
  readonly withIds?: boolean;
  /** Written to `_info`; in the format 1.1 also left out of the tags of entities. */
  readonly selectTags?: readonly string[];
  readonly workspace?: string;
}

/** decK says of a plugin of a consumer group only what is not as with every plugin. */
function briefPlugin(plugin: JsonObject): JsonObject {
  const { enabled, protocols, ...rest } = plugin;
  const { fields } = comparableSchema('plugins', plugin);
  const usual = fields.get('protocols')?.default;
  const isUsual = isDeepStrictEqual(sorted(protocols), sorted(usual));
  return {
    ...rest,
    ...(enabled === undefined || enabled === true ? {} : { enabled }),
    ...(protocols === undefined || isUsual ? {} : { protocols }),
  };
}

function sorted(list: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(list) ? [...list].sort() : [];
}

/** The order in which a file lists its collections. */
const collectionOrder: readonly CollectionName[] = [
  'services',
  'routes',
  'consumer_groups',
  'consumers',
  'plugins',
  'upstreams',
  'certificates',
  'ca_certificates',
  'vaults',
  'key_sets',
  'keys',
];

/** What may stand in an entity, in order: nested lists come after its own fields. */
const nestedOrder: Partial<Record<CollectionName, readonly CollectionName[]>> = {
  services: ['routes', 'plugins'],
  routes: ['plugins'],
  consumer_groups: ['plugins'],
  consumers: [
    'plugins',
    'keyauth_credentials',
    'hmacauth_credentials',
    'jwt_secrets',
    'basicauth_credentials',
    'oauth2_credentials',
    'acls',
    'mtls_auth_credentials',
    'consumer_group_consumers',
  ],
  upstreams: ['targets'],
  certificates: ['snis'],
  key_sets: ['keys'],
};

/** Kinds that a file lists in the order of the server. */
const unsorted: ReadonlySet<CollectionName> = new Set(
  entityKinds.filter((kind) => kind.parentField === 'consumer').map((kind) => kind.collection),
);

/** Kinds that are always dumped with their ids, as nothing else tells them apart. */
const alwaysWithId: ReadonlySet<CollectionName> = new Set([
  'certificates',
  'ca_certificates',
  'mtls_auth_credentials',
]);

function sortObject(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortObject);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortObject((value as JsonObject)[key] ?? null)]),
  );
}

/** A value without nulls and empty lists inside records, in the order of a reader. */
function trimRecord(path: string, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((element) => trimRecord(path, element));
  if (value === null || typeof value !== 'object') return value;
  const record = value as JsonObject;
  return Object.fromEntries(
    fieldOrder(path, Object.keys(record)).flatMap((key) => {
      const inner = record[key];
      return inner === null || inner === undefined
        ? []
        : [[key, trimRecord(`${path}.${key}`, inner)]];
    }),
  );
}

class Dumper {
  readonly #state: KongEntities;
  readonly #options: DumpOptions;
  /** By collection and reference field, the entities under each parent. */
  readonly #children = new Map<string, Map<string, StoredEntity[]>>();

  constructor(state: KongEntities, options: DumpOptions) {
    this.#state = state;
    this.#options = options;
    for (const kind of entityKinds) {
      for (const entity of state.values(kind.collection)) {
        const field = this.#nestingField(kind, entity);
        if (field === undefined) continue;
        const place = `${kind.collection} ${field}`;
        const byParent = this.#children.get(place) ?? new Map<string, StoredEntity[]>();
        this.#children.set(place, byParent);
        const parent = referenceId(entity[field]) as string;
        const list = byParent.get(parent);
        if (list === undefined) byParent.set(parent, [entity]);
        else list.push(entity);
      }
    }
  }

  dump(): DeclarativeConfig {
    const tags = this.#options.selectTags ?? [];
    const config: { [key: string]: unknown } = {
      _format_version: this.#options.formatVersion ?? '3.0',
      ...(tags.length === 0 ? {} : { _info: this.#info(tags) }),
      ...(this.#options.workspace === undefined ? {} : { _workspace: this.#options.workspace }),
    };
    for (const collection of collectionOrder) {
      const kind = entityKind(collection);
      const own = [...this.#state.values(collection)].filter(
        (entity) => this.#nestingField(kind, entity) === undefined,
      );
      const list = this.#list(kind, own);
      if (list.length > 0) config[collection] = list;
    }
    return config as DeclarativeConfig;
  }

  /** Newer decK says, too, that the file has no defaults of its own. */
  #info(tags: readonly string[]): JsonObject {
    const isOld = this.#options.formatVersion === '1.1';
    return isOld ? { select_tags: tags } : { defaults: {}, select_tags: tags };
  }

  /** The reference under whose entity another is nested: none for a plugin with two. */
  #nestingField(kind: EntityKind, entity: StoredEntity): string | undefined {
    // A dump tells the groups of a consumer, not the members of a group.
    if (kind.isMembership === true) return 'consumer';
    // decK knows keys beside their sets only.
    if (kind.collection === 'keys') return undefined;
    const set = kind.references.filter(
      ({ field, collection, nestedAs }) =>
        nestedAs !== undefined &&
        referenceId(entity[field]) !== undefined &&
        this.#state.get(collection, referenceId(entity[field]) as string) !== undefined,
    );
    return set.length === 1 ? set[0]?.field : undefined;
  }

  #list(kind: EntityKind, entities: readonly StoredEntity[]): readonly JsonObject[] {
    const isSorted = !unsorted.has(kind.collection);
    const sortKey = (entity: StoredEntity) => this.#sortKey(kind, entity);
    const ordered = isSorted
      ? [...entities].sort((one, two) => (sortKey(one) < sortKey(two) ? -1 : 1))
      : [...entities].sort((one, two) => (one.id < two.id ? -1 : 1));
    return ordered.map((entity) => this.#entity(kind, entity));
  }

  #sortKey(kind: EntityKind, entity: StoredEntity): string {
    const name = kind.labelField === undefined ? undefined : entity[kind.labelField];
    const isNamed = typeof name === 'string' && name !== '';
    const isById = this.#options.withIds === true || !isNamed || alwaysWithId.has(kind.collection);
    return isById ? entity.id : name;
  }

  #entity(kind: EntityKind, entity: StoredEntity): JsonObject {
    const { collection } = kind;
    const isLegacy = (this.#options.formatVersion ?? '3.0') === '1.1';
    const dumped: { [key: string]: JsonValue } = {};
    for (const field of fieldOrder(collection, Object.keys(entity))) {
      const value = this.#field(kind, entity, field);
      if (value === undefined || (isLegacy && !isLegacyField(collection, field))) continue;
      dumped[field] = value;
    }
    for (const nested of nestedOrder[collection] ?? []) {
      const nestedKind = entityKind(nested);
      const field = nestedKind.references.find(
        (reference) => reference.collection === collection && reference.nestedAs !== undefined,
      )?.field;
      const members = this.#children.get(`${nested} ${field}`)?.get(entity.id) ?? [];
      if (members.length === 0) continue;
      if (nestedKind.isMembership === true) dumped.groups = this.#groups(members);
      else {
        const list = this.#list(nestedKind, members);
        dumped[nested] = collection === 'consumer_groups' ? list.map(briefPlugin) : list;
      }
    }
    return dumped;
  }

  /** The groups that a consumer is in, by name and with what else tells them apart. */
  #groups(memberships: readonly StoredEntity[]): readonly JsonObject[] {
    const kind = entityKind('consumer_groups');
    return memberships
      .map(({ consumer_group: reference }): JsonObject => {
        const id = referenceId(reference) ?? '';
        const group = this.#state.get('consumer_groups', id);
        if (group === undefined) return { name: id };
        const said: { [key: string]: JsonValue } = {};
        for (const field of ['id', 'name', 'tags']) {
          const value = this.#field(kind, group, field);
          if (value !== undefined) said[field] = value;
        }
        return said;
      })
      .sort((one, two) => (String(one.name) < String(two.name) ? -1 : 1));
  }

  #field(kind: EntityKind, entity: StoredEntity, field: string): JsonValue | undefined {
    const value = entity[field];
    if (value === undefined || value === null) return undefined;
    if (field === 'created_at' || field === 'updated_at') return undefined;
    if (field === 'id') return this.#isWithId(kind, entity) ? value : undefined;
    if (field === 'tags') return this.#tags(value);
    if (kind.collection === 'certificates' && field === 'snis') return undefined;
    if (kind.collection === 'ca_certificates' && field === 'cert_digest') return undefined;
    const reference = kind.references.find((candidate) => candidate.field === field);
    if (reference !== undefined) return this.#reference(kind, entity, field, reference.collection);
    if (typeof value === 'object' && Object.keys(value).length === 0) return undefined;
    if (field === 'config') return sortObject(value);
    return field === 'headers'
      ? sortObject(value)
      : trimRecord(`${kind.collection}.${field}`, value);
  }

  #isWithId(kind: EntityKind, entity: StoredEntity): boolean {
    if (this.#options.withIds === true || alwaysWithId.has(kind.collection)) return true;
    const { endpointKey, collection } = kind;
    if (collection === 'plugins' || kind.parentField !== undefined) return false;
    const name = endpointKey === undefined ? undefined : entity[endpointKey];
    return typeof name !== 'string' || name === '';
  }

  /** Newer decK has the tags that select on every entity, too; older one had them in `_info` alone. */
  #tags(value: JsonValue): JsonValue | undefined {
    if (!Array.isArray(value)) return undefined;
    const left = this.#options.formatVersion === '1.1' ? (this.#options.selectTags ?? []) : [];
    const kept = value.filter((tag) => !left.includes(String(tag)));
    return kept.length === 0 ? undefined : kept;
  }

  #reference(
    kind: EntityKind,
    entity: StoredEntity,
    field: string,
    collection: CollectionName,
  ): JsonValue | undefined {
    if (this.#nestingField(kind, entity) === field) return undefined;
    const id = referenceId(entity[field]);
    if (id === undefined) return undefined;
    if (kind.collection === 'keys') return this.#setOfKey(id);
    if (kind.collection !== 'plugins')
      return field === 'client_certificate' && kind.collection === 'services' ? id : { id };
    const { labelField } = entityKind(collection);
    const name =
      labelField === undefined ? undefined : this.#state.get(collection, id)?.[labelField];
    return typeof name === 'string' && name !== '' ? name : id;
  }

  /** By its name, and by its id too where ids are asked for or nothing else names it. */
  #setOfKey(id: string): JsonObject {
    const name = this.#state.get('key_sets', id)?.name;
    if (typeof name !== 'string' || name === '') return { id };
    return this.#options.withIds === true ? { id, name } : { name };
  }
}

/**
 * What a Kong has as a declarative configuration: nested, sorted, without what the server owns.
 *
 * ```ts
 * const state = new KongEntities();
 * state.put('services', { id: 'a', name: 'shop', host: 'shop' });
 * state.put('routes', { id: 'b', name: 'cart', service: { id: 'a' }, paths: ['/cart'] });
 * dumpConfig(state).services; // [{ host: 'shop', name: 'shop', routes: [{ name: 'cart', paths: ['/cart'] }] }]
 * ```
 */
export function dumpConfig(state: KongEntities, options: DumpOptions = {}): DeclarativeConfig {
  return new Dumper(state, options).dump();
}
