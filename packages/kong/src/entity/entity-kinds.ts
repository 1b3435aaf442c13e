/**
 * The table of entities. One row says all that the rest of the room needs to know about a kind apart
 * from its fields, which the schema of that name says. A new entity is one row.
 */

/** What happens to the holder of a reference when the entity that it refers to is deleted. */
export type OnDelete = 'restrict' | 'cascade';

export interface EntityReference {
  /** The field that holds `{ id }`. */
  readonly field: string;
  readonly collection: CollectionName;
  readonly onDelete: OnDelete;
  /** Whether the entity referred to lists its holders by name: a write of it replaces them all. */
  readonly isListed?: boolean;
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
  /** Whether identity holds even when the file gives another id (plugins). */
  readonly isIdentityStrict?: boolean;
  /** The field that a person knows the entity by; the id stands in when it is not set. */
  readonly labelField?: string;
  /** Foreign keys, by field. */
  readonly references: readonly EntityReference[];
  /** Reference fields by which an entity may be nested under its parent in a declarative file. */
  readonly nestsBy: readonly string[];
  /** The key of the nested list by reference field, where it is not the name of the collection. */
  readonly nestedAs?: Readonly<Record<string, string>>;
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

export type CollectionName =
  | 'services'
  | 'routes'
  | 'upstreams'
  | 'targets'
  | 'consumers'
  | 'consumer_groups'
  | 'consumer_group_consumers'
  | 'keyauth_credentials'
  | 'basicauth_credentials'
  | 'hmacauth_credentials'
  | 'jwt_secrets'
  | 'oauth2_credentials'
  | 'acls'
  | 'mtls_auth_credentials'
  | 'plugins'
  | 'certificates'
  | 'snis'
  | 'ca_certificates'
  | 'vaults'
  | 'key_sets'
  | 'keys';

function reference(
  field: string,
  collection: CollectionName,
  onDelete: OnDelete = 'cascade',
): EntityReference {
  return { field, collection, onDelete };
}

interface CredentialRow {
  readonly collection: CollectionName;
  readonly noun: string;
  readonly path: string;
  readonly segment: string;
  readonly key?: string;
  readonly label?: string;
  readonly secrets: readonly string[];
}

function credential(row: CredentialRow): EntityKind {
  return {
    collection: row.collection,
    noun: row.noun,
    path: row.path,
    segment: row.segment,
    ...(row.key === undefined ? {} : { endpointKey: row.key }),
    identity: row.key === undefined ? [] : [[row.key]],
    ...(row.label === undefined ? {} : { labelField: row.label }),
    references: [reference('consumer', 'consumers')],
    nestsBy: ['consumer'],
    parentField: 'consumer',
    uniqueTogether: [],
    secrets: row.secrets,
    isConsumers: true,
  };
}

/** All kinds, parents before children. */
export const entityKinds: readonly EntityKind[] = [
  {
    collection: 'certificates',
    noun: 'certificate',
    path: 'certificates',
    segment: 'certificates',
    identity: [['cert', 'key']],
    references: [],
    nestsBy: [],
    uniqueTogether: [],
    secrets: ['key', 'key_alt'],
  },
  {
    collection: 'ca_certificates',
    noun: 'ca_certificate',
    path: 'ca_certificates',
    segment: 'ca_certificates',
    identity: [['cert']],
    references: [],
    nestsBy: [],
    uniqueTogether: [],
    secrets: [],
  },
  {
    collection: 'vaults',
    noun: 'vault',
    path: 'vaults',
    segment: 'vaults',
    endpointKey: 'prefix',
    identity: [['prefix']],
    labelField: 'prefix',
    references: [],
    nestsBy: [],
    uniqueTogether: [],
    secrets: [],
  },
  {
    collection: 'key_sets',
    noun: 'key-set',
    path: 'key-sets',
    segment: 'key-sets',
    endpointKey: 'name',
    identity: [['name']],
    labelField: 'name',
    references: [],
    nestsBy: [],
    uniqueTogether: [],
    secrets: [],
  },
  {
    collection: 'consumer_groups',
    noun: 'consumer-group',
    path: 'consumer_groups',
    segment: 'consumer_groups',
    endpointKey: 'name',
    identity: [['name']],
    labelField: 'name',
    references: [],
    nestsBy: [],
    uniqueTogether: [],
    secrets: [],
    isEnterprise: true,
    isConsumers: true,
  },
  {
    collection: 'consumers',
    noun: 'consumer',
    path: 'consumers',
    segment: 'consumers',
    endpointKey: 'username',
    identity: [['username'], ['custom_id']],
    labelField: 'username',
    references: [],
    nestsBy: [],
    uniqueTogether: [],
    secrets: [],
    isConsumers: true,
  },
  {
    collection: 'consumer_group_consumers',
    noun: 'consumer-group-consumer',
    segment: 'consumers',
    identity: [['consumer_group', 'consumer']],
    references: [
      reference('consumer_group', 'consumer_groups'),
      reference('consumer', 'consumers'),
    ],
    nestsBy: ['consumer_group', 'consumer'],
    nestedAs: { consumer_group: 'consumers', consumer: 'groups' },
    isMembership: true,
    parentField: 'consumer_group',
    uniqueTogether: [['consumer_group', 'consumer']],
    secrets: [],
    isEnterprise: true,
    isConsumers: true,
  },
  {
    collection: 'upstreams',
    noun: 'upstream',
    path: 'upstreams',
    segment: 'upstreams',
    endpointKey: 'name',
    identity: [['name']],
    labelField: 'name',
    references: [reference('client_certificate', 'certificates', 'restrict')],
    nestsBy: [],
    uniqueTogether: [],
    secrets: [],
  },
  {
    collection: 'snis',
    noun: 'sni',
    path: 'snis',
    segment: 'snis',
    endpointKey: 'name',
    identity: [['name']],
    labelField: 'name',
    references: [{ ...reference('certificate', 'certificates'), isListed: true }],
    nestsBy: ['certificate'],
    uniqueTogether: [],
    secrets: [],
  },
  {
    collection: 'keys',
    noun: 'key',
    path: 'keys',
    segment: 'keys',
    endpointKey: 'name',
    identity: [['name'], ['kid', 'set']],
    labelField: 'name',
    references: [reference('set', 'key_sets')],
    nestsBy: ['set'],
    uniqueTogether: [['kid', 'set']],
    secrets: ['jwk', 'pem.private_key'],
  },
  {
    collection: 'targets',
    noun: 'target',
    segment: 'targets',
    endpointKey: 'target',
    identity: [['upstream', 'target']],
    labelField: 'target',
    references: [reference('upstream', 'upstreams')],
    nestsBy: ['upstream'],
    parentField: 'upstream',
    uniqueTogether: [['upstream', 'target']],
    secrets: [],
  },
  credential({
    collection: 'keyauth_credentials',
    noun: 'key-auth',
    path: 'key-auths',
    segment: 'key-auth',
    key: 'key',
    label: 'key',
    secrets: ['key'],
  }),
  credential({
    collection: 'basicauth_credentials',
    noun: 'basic-auth',
    path: 'basic-auths',
    segment: 'basic-auth',
    key: 'username',
    label: 'username',
    secrets: ['password'],
  }),
  credential({
    collection: 'hmacauth_credentials',
    noun: 'hmac-auth',
    path: 'hmac-auths',
    segment: 'hmac-auth',
    key: 'username',
    label: 'username',
    secrets: ['secret'],
  }),
  credential({
    collection: 'jwt_secrets',
    noun: 'jwt-auth',
    path: 'jwts',
    segment: 'jwt',
    key: 'key',
    label: 'key',
    secrets: ['secret'],
  }),
  {
    ...credential({
      collection: 'oauth2_credentials',
      noun: 'oauth2-cred',
      path: 'oauth2',
      segment: 'oauth2',
      key: 'client_id',
      label: 'name',
      secrets: ['client_secret'],
    }),
  },
  {
    ...credential({
      collection: 'acls',
      noun: 'acl-group',
      path: 'acls',
      segment: 'acls',
      label: 'group',
      secrets: [],
    }),
    identity: [['consumer', 'group']],
    uniqueTogether: [['consumer', 'group']],
  },
  {
    ...credential({
      collection: 'mtls_auth_credentials',
      noun: 'mtls-auth',
      path: 'mtls-auths',
      segment: 'mtls-auth',
      label: 'subject_name',
      secrets: [],
    }),
    references: [
      reference('consumer', 'consumers'),
      reference('ca_certificate', 'ca_certificates', 'restrict'),
    ],
    isEnterprise: true,
  },
  {
    collection: 'services',
    noun: 'service',
    path: 'services',
    segment: 'services',
    endpointKey: 'name',
    identity: [['name']],
    labelField: 'name',
    references: [reference('client_certificate', 'certificates', 'restrict')],
    nestsBy: [],
    uniqueTogether: [],
    secrets: [],
  },
  {
    collection: 'routes',
    noun: 'route',
    path: 'routes',
    segment: 'routes',
    endpointKey: 'name',
    identity: [['name']],
    labelField: 'name',
    references: [reference('service', 'services', 'restrict')],
    nestsBy: ['service'],
    uniqueTogether: [],
    secrets: [],
  },
  {
    collection: 'plugins',
    noun: 'plugin',
    path: 'plugins',
    segment: 'plugins',
    endpointKey: 'instance_name',
    identity: [['name', 'service', 'route', 'consumer', 'consumer_group']],
    isIdentityStrict: true,
    labelField: 'name',
    references: [
      reference('service', 'services'),
      reference('route', 'routes'),
      reference('consumer', 'consumers'),
      reference('consumer_group', 'consumer_groups'),
    ],
    nestsBy: ['service', 'route', 'consumer', 'consumer_group'],
    uniqueTogether: [['consumer', 'name', 'route', 'service']],
    secrets: [],
  },
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
