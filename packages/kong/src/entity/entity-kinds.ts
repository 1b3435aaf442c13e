/**
 * The table of entities. One row says all that the rest of the room needs to know about a kind apart
 * from its fields, which the schema of that name says. A new entity is one row.
 */

import type { KongEntityTypes } from './entities.ts';

/** The name of one of Kong's tables. */
export type CollectionName = keyof KongEntityTypes;

/** What happens to the holder of a reference when the entity that it refers to is deleted. */
export type OnDelete = 'restrict' | 'cascade';

export interface EntityReference {
  /** The field that holds `{ id }`. */
  readonly field: string;
  readonly collection: CollectionName;
  readonly onDelete: OnDelete;
  /** Whether the entity referred to lists its holders by name: a write of it replaces them all. */
  readonly isListed?: boolean;
  /** The key of the list in which a declarative file may nest the holders under what they refer to. */
  readonly nestedAs?: string;
}

export interface EntityKind {
  /** Kong's table name: the key in declarative files, and the name of the schema. */
  readonly collection: CollectionName;
  /** The word that decK prints for one of them. */
  readonly noun: string;
  /** The Admin API path of the whole collection; absent when there is only a nested one. */
  readonly path?: string;
  /** The last part of the path under a parent: `/consumers/{id}/key-auth`. */
  readonly segment: string;
  /** The field whose value may stand for the id in a path, as Kong's `endpoint_key`. */
  readonly endpointKey?: string;
  /**
   * What makes an entity without an id the same as one that the server has, in order of trial.
   * An empty list: only the id does.
   */
  readonly identity: readonly (readonly string[])[];
  /** The field that a person knows the entity by; the id stands in when it is not set. */
  readonly labelField?: string;
  /** Foreign keys, by field. */
  readonly references: readonly EntityReference[];
  /** Fields with a list of ids, whose entities Kong does not let go while one is in a list. */
  readonly idLists?: readonly { readonly field: string; readonly collection: CollectionName }[];
  /**
   * Whether the kind only joins two others: it has no id and no fields of its own, is written as a
   * reference from either side, and can be made and removed but not changed.
   */
  readonly isMembership?: boolean;
  /** The reference field whose parent the writes go through: `PUT /consumers/{id}/key-auth/{id}`. */
  readonly parentField?: string;
  /** Field combinations that no two entities share, beside the `unique` fields of the schema. */
  readonly uniqueTogether: readonly (readonly string[])[];
  /** Fields, dotted inside records, whose values never reach an output. */
  readonly secrets: readonly string[];
  /** Belongs to Kong Enterprise: a Kong that answers 404 for it just has none. */
  readonly isEnterprise?: boolean;
  /** Belongs to a consumer, and so is left out by `--skip-consumers`. */
  readonly isConsumers?: boolean;
}

/** A row before what follows from the rest of it is filled in. */
type Row = Pick<EntityKind, 'noun'> &
  Partial<Omit<EntityKind, 'collection' | 'identity'>> & {
    readonly identity?: EntityKind['identity'];
  };

/** A reference by which entities are nested under a list of their collection's name, unless told. */
function nested(
  field: string,
  collection: CollectionName,
  nestedAs: string,
  more: Partial<EntityReference> = {},
): EntityReference {
  return { field, collection, onDelete: 'cascade', nestedAs, ...more };
}

/** A reference that only points at something, and keeps it from being deleted. */
function pointer(field: string, collection: CollectionName): EntityReference {
  return { field, collection, onDelete: 'restrict' };
}

/** What a person calls an entity by is, unless told, also what it is found and told apart by. */
function kind(collection: CollectionName, row: Row): EntityKind {
  const { endpointKey, path = collection } = row;
  return {
    collection,
    segment: path,
    identity: endpointKey === undefined ? [] : [[endpointKey]],
    ...(endpointKey === undefined ? {} : { labelField: endpointKey }),
    references: [],
    uniqueTogether: [],
    secrets: [],
    ...row,
    ...(row.parentField === undefined || row.path !== undefined ? { path } : {}),
  };
}

/** Belongs to a consumer, and is written through it. */
function credential(collection: CollectionName, row: Row): EntityKind {
  return kind(collection, {
    references: [nested('consumer', 'consumers', collection)],
    parentField: 'consumer',
    isConsumers: true,
    ...row,
  });
}

/** All kinds, parents before children. */
export const entityKinds: readonly EntityKind[] = [
  kind('certificates', {
    noun: 'certificate',
    identity: [['cert', 'key']],
    secrets: ['key', 'key_alt'],
  }),
  kind('ca_certificates', { noun: 'ca_certificate', identity: [['cert']] }),
  kind('vaults', { noun: 'vault', endpointKey: 'prefix' }),
  kind('key_sets', { noun: 'key-set', path: 'key-sets', endpointKey: 'name' }),
  kind('consumer_groups', {
    noun: 'consumer-group',
    endpointKey: 'name',
    isEnterprise: true,
    isConsumers: true,
  }),
  kind('consumers', {
    noun: 'consumer',
    endpointKey: 'username',
    identity: [['username'], ['custom_id']],
    isConsumers: true,
  }),
  kind('consumer_group_consumers', {
    noun: 'consumer-group-consumer',
    segment: 'consumers',
    identity: [['consumer_group', 'consumer']],
    references: [
      nested('consumer_group', 'consumer_groups', 'consumers'),
      nested('consumer', 'consumers', 'groups'),
    ],
    isMembership: true,
    parentField: 'consumer_group',
    uniqueTogether: [['consumer_group', 'consumer']],
    isEnterprise: true,
    isConsumers: true,
  }),
  kind('upstreams', {
    noun: 'upstream',
    endpointKey: 'name',
    references: [pointer('client_certificate', 'certificates')],
  }),
  kind('snis', {
    noun: 'sni',
    endpointKey: 'name',
    references: [nested('certificate', 'certificates', 'snis', { isListed: true })],
  }),
  kind('keys', {
    noun: 'key',
    endpointKey: 'name',
    identity: [['name'], ['kid', 'set']],
    references: [nested('set', 'key_sets', 'keys')],
    uniqueTogether: [['kid', 'set']],
    secrets: ['jwk', 'pem.private_key'],
  }),
  kind('targets', {
    noun: 'target',
    endpointKey: 'target',
    identity: [['upstream', 'target']],
    references: [nested('upstream', 'upstreams', 'targets')],
    parentField: 'upstream',
    uniqueTogether: [['upstream', 'target']],
  }),
  credential('keyauth_credentials', {
    noun: 'key-auth',
    path: 'key-auths',
    segment: 'key-auth',
    endpointKey: 'key',
    secrets: ['key'],
  }),
  credential('basicauth_credentials', {
    noun: 'basic-auth',
    path: 'basic-auths',
    segment: 'basic-auth',
    endpointKey: 'username',
    secrets: ['password'],
  }),
  credential('hmacauth_credentials', {
    noun: 'hmac-auth',
    path: 'hmac-auths',
    segment: 'hmac-auth',
    endpointKey: 'username',
    secrets: ['secret'],
  }),
  credential('jwt_secrets', {
    noun: 'jwt-auth',
    path: 'jwts',
    segment: 'jwt',
    endpointKey: 'key',
    secrets: ['secret'],
  }),
  credential('oauth2_credentials', {
    noun: 'oauth2-cred',
    path: 'oauth2',
    endpointKey: 'client_id',
    labelField: 'name',
    secrets: ['client_secret'],
  }),
  credential('acls', {
    noun: 'acl-group',
    path: 'acls',
    labelField: 'group',
    identity: [['consumer', 'group']],
    uniqueTogether: [['consumer', 'group']],
  }),
  credential('mtls_auth_credentials', {
    noun: 'mtls-auth',
    path: 'mtls-auths',
    segment: 'mtls-auth',
    labelField: 'subject_name',
    references: [
      nested('consumer', 'consumers', 'mtls_auth_credentials'),
      pointer('ca_certificate', 'ca_certificates'),
    ],
    isEnterprise: true,
  }),
  kind('services', {
    noun: 'service',
    endpointKey: 'name',
    references: [pointer('client_certificate', 'certificates')],
    idLists: [{ field: 'ca_certificates', collection: 'ca_certificates' }],
  }),
  kind('routes', {
    noun: 'route',
    endpointKey: 'name',
    references: [nested('service', 'services', 'routes', { onDelete: 'restrict' })],
  }),
  kind('plugins', {
    noun: 'plugin',
    endpointKey: 'instance_name',
    identity: [['name', 'service', 'route', 'consumer', 'consumer_group']],
    labelField: 'name',
    references: [
      nested('service', 'services', 'plugins'),
      nested('route', 'routes', 'plugins'),
      nested('consumer', 'consumers', 'plugins'),
      nested('consumer_group', 'consumer_groups', 'plugins'),
    ],
    uniqueTogether: [['consumer', 'consumer_group', 'name', 'route', 'service']],
  }),
];

const kindsByCollection: ReadonlyMap<string, EntityKind> = new Map(
  entityKinds.map((kind) => [kind.collection, kind]),
);

/**
 * The row of a collection, or undefined when there is no such collection.
 *
 * ```ts
 * findEntityKind('nothing'); // undefined
 * ```
 */
export function findEntityKind(collection: string): EntityKind | undefined {
  return kindsByCollection.get(collection);
}

/**
 * The row of a collection that is known to exist.
 *
 * ```ts
 * entityKind('services').noun; // 'service'
 * ```
 */
export function entityKind(collection: CollectionName): EntityKind {
  const kind = kindsByCollection.get(collection);
  if (kind === undefined) throw new Error(`no entity kind named ${collection}`);
  return kind;
}

/** All references to a collection, with the kind that holds each. */
export function referencesTo(
  collection: CollectionName,
): readonly { readonly kind: EntityKind; readonly reference: EntityReference }[] {
  return incoming.get(collection) ?? [];
}

const incoming: ReadonlyMap<
  CollectionName,
  readonly { readonly kind: EntityKind; readonly reference: EntityReference }[]
> = new Map(
  entityKinds.map((target) => [
    target.collection,
    entityKinds.flatMap((kind) =>
      kind.references
        .filter((candidate) => candidate.collection === target.collection)
        .map((found) => ({ kind, reference: found })),
    ),
  ]),
);
