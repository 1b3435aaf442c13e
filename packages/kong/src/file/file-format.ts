import { type CollectionName, entityKinds } from '../entity/entity-kinds.ts';
import type { FieldSchema, FieldTable } from '../schema/field-schema.ts';
import { findSchema } from '../schema/schema-catalog.ts';

/**
 * The shape of declarative files: which fields each kind of object has, of which type. It follows from
 * Kong's schemas; the tables here say what decK's files have beside them, and what format 1.1, which is
 * exactly what decK 1.4 takes, does not have yet.
 */

type ValueType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'array'
  | 'strings'
  | 'headers'
  | 'objects'
  | 'integers'
  | 'reference'
  | 'any';

/** A type, one kind of object, or a list of them. */
export type FieldType = ValueType | { readonly object: string } | { readonly list: string };

type Fields = Readonly<Record<string, FieldType>>;

export interface ObjectFormat {
  readonly fields: Fields;
  readonly required?: readonly string[];
  /** At least one of these must be there. */
  readonly anyOf?: readonly string[];
}

/** By collection, by the path of a record in one, or by a name of its own. */
export type FileFormat = Readonly<Record<string, ObjectFormat>>;

type Needs = Omit<ObjectFormat, 'fields'>;

/** What makes an entity one that decK takes. */
const needs: Readonly<Record<string, Needs>> = {
  services: { anyOf: ['name', 'id'] },
  routes: { anyOf: ['name', 'id'] },
  upstreams: { required: ['name'] },
  targets: { required: ['target'] },
  consumers: { anyOf: ['username', 'id', 'custom_id'] },
  consumer_groups: { required: ['name'] },
  keyauth_credentials: { required: ['key'] },
  basicauth_credentials: { required: ['username', 'password'] },
  hmacauth_credentials: { required: ['username', 'secret'] },
  jwt_secrets: { required: ['key'] },
  oauth2_credentials: { required: ['name'] },
  acls: { required: ['group'] },
  mtls_auth_credentials: { required: ['id', 'subject_name'] },
  plugins: { required: ['name'] },
  certificates: { required: ['cert', 'key'] },
  snis: { required: ['name'] },
  ca_certificates: { required: ['cert'] },
  vaults: { required: ['name', 'prefix'] },
  key_sets: { anyOf: ['name', 'id'] },
  keys: { required: ['kid'] },
};

const legacyNeeds: Readonly<Record<string, Needs>> = {
  ...needs,
  consumers: { anyOf: ['username', 'id'] },
  jwt_secrets: { required: ['algorithm', 'key', 'secret'] },
  oauth2_credentials: { required: ['name', 'client_id', 'redirect_uris', 'client_secret'] },
  certificates: { required: ['id', 'cert', 'key'] },
};

/** Fields that no schema has, or has as another type. */
const added: Readonly<Record<string, Fields>> = {
  services: { url: 'string' },
  consumers: { groups: { list: 'groupName' } },
  consumer_groups: { consumers: { list: 'consumerReference' } },
  keyauth_credentials: { ttl: 'integer' },
  plugins: { _config: 'string', run_on: 'string', consumer_group: 'reference', ordering: 'object' },
  keys: { pem: 'object' },
  'upstreams.healthchecks.passive.healthy': { interval: 'number' },
  'upstreams.healthchecks.passive.unhealthy': { interval: 'number' },
};

const ofConsumer: Fields = { consumer: { object: 'consumerReference' } };

/** Format 1.1 writes most references as an object of the whole shape of what they refer to. */
const legacyAdded: Readonly<Record<string, Fields>> = {
  services: { client_certificate: 'string' },
  routes: { service: { object: 'serviceReference' } },
  upstreams: { client_certificate: { object: 'certificateReference' } },
  targets: { upstream: { object: 'upstreamReference' } },
  keyauth_credentials: ofConsumer,
  basicauth_credentials: ofConsumer,
  hmacauth_credentials: ofConsumer,
  jwt_secrets: ofConsumer,
  oauth2_credentials: ofConsumer,
  acls: ofConsumer,
  mtls_auth_credentials: { ...ofConsumer, ca_certificate: { object: 'caCertificateReference' } },
  plugins: { consumer: 'string', route: 'string', service: 'string' },
  snis: { certificate: 'object' },
  'upstreams.healthchecks.active': { timeout: 'integer' },
  'upstreams.healthchecks.active.healthy': { interval: 'integer' },
  'upstreams.healthchecks.active.unhealthy': { interval: 'integer' },
  'upstreams.healthchecks.passive.healthy': { interval: 'integer' },
  'upstreams.healthchecks.passive.unhealthy': { interval: 'integer' },
};

/** Fields that came after the schemas that are built in: a Kong that has them takes them, and others say no. */
const newer: Readonly<Record<string, Fields>> = {
  services: { tls_sans: 'object' },
  upstreams: { sticky_sessions_cookie: 'string', sticky_sessions_cookie_path: 'string' },
  targets: { failover: 'boolean' },
};

/** What came after format 1.1. */
const later: Readonly<Record<string, readonly string[]>> = {
  services: ['enabled'],
  routes: ['expression', 'priority'],
  upstreams: [
    'hash_fallback_query_arg',
    'hash_fallback_uri_capture',
    'hash_on_query_arg',
    'hash_on_uri_capture',
    'updated_at',
    'use_srv_name',
  ],
  'upstreams.healthchecks.active': ['headers'],
  targets: ['updated_at'],
  consumers: ['groups', 'updated_at'],
  oauth2_credentials: ['client_type', 'hash_secret'],
  plugins: ['consumer_group', 'instance_name', 'ordering', 'updated_at'],
  certificates: ['cert_alt', 'key_alt', 'updated_at'],
  snis: ['updated_at'],
  ca_certificates: ['cert_digest', 'updated_at'],
};

const laterKinds: ReadonlySet<string> = new Set(['consumer_groups', 'key_sets', 'keys', 'vaults']);

const legacyFile: Fields = {
  _format_version: 'string',
  _info: { object: 'info' },
  _plugin_configs: 'objects',
  _workspace: 'string',
  ca_certificates: { list: 'ca_certificates' },
  certificates: { list: 'certificates' },
  consumers: { list: 'consumers' },
  plugins: { list: 'plugins' },
  routes: { list: 'routes' },
  services: { list: 'services' },
  upstreams: { list: 'upstreams' },
};

/** Puts the format of an object, and of the records in it, to the others. */
function addObject(
  path: string,
  fields: Iterable<readonly [string, FieldSchema]>,
  isLegacy: boolean,
  format: Record<string, ObjectFormat>,
): void {
  const types = new Map<string, FieldType>();
  for (const [name, field] of fields)
    types.set(name, typeOf(`${path}.${name}`, field, isLegacy, format));
  for (const kind of entityKinds) {
    for (const { collection, nestedAs } of kind.references) {
      if (collection === path && nestedAs !== undefined)
        types.set(nestedAs, { list: kind.collection });
    }
  }
  for (const one of isLegacy ? [added, legacyAdded] : [added, newer]) {
    for (const [name, type] of Object.entries(one[path] ?? {})) types.set(name, type);
  }
  for (const name of isLegacy ? (later[path] ?? []) : []) types.delete(name);
  format[path] = { fields: Object.fromEntries(types), ...(isLegacy ? legacyNeeds : needs)[path] };
}

function typeOf(
  path: string,
  field: FieldSchema,
  isLegacy: boolean,
  format: Record<string, ObjectFormat>,
): FieldType {
  switch (field.type) {
    case 'foreign':
      return 'reference';
    case 'map':
      return 'headers';
    case 'array':
    case 'set': {
      const element = field.elements && typeOf(path, field.elements, isLegacy, format);
      if (typeof element === 'object') return { list: path };
      return element === 'integer' ? 'integers' : 'strings';
    }
    case 'record':
      if (field.fields === undefined) return 'object';
      addObject(path, field.fields, isLegacy, format);
      return { object: path };
    case 'json':
      return 'any';
    default:
      return field.type;
  }
}

/** The fields of a route are those of both sorts of router. */
function schemaFields(collection: CollectionName): FieldTable {
  const fields = findSchema(collection)?.fields ?? new Map<string, FieldSchema>();
  return collection === 'routes'
    ? new Map([...fields, ...(findSchema(collection, 'expressions')?.fields ?? [])])
    : fields;
}

/** An object that is referred to has no nested lists, and may need less. */
function referred(
  { fields }: ObjectFormat,
  without: readonly string[],
  changed: Fields = {},
): Fields {
  const kept = Object.entries({ ...fields, ...changed }).filter(
    ([name, type]) => !without.includes(name) && !(typeof type === 'object' && 'list' in type),
  );
  return Object.fromEntries(kept);
}

function makeFormat(isLegacy: boolean): FileFormat {
  const format: Record<string, ObjectFormat> = {};
  const kinds = entityKinds.filter(
    ({ collection, isMembership }) =>
      isMembership !== true && !(isLegacy && laterKinds.has(collection)),
  );
  for (const { collection } of kinds) {
    addObject(collection, schemaFields(collection), isLegacy, format);
  }
  const of = (collection: CollectionName) => format[collection] as ObjectFormat;
  format.consumerReference = {
    fields: referred(of('consumers'), []),
    ...(isLegacy ? legacyNeeds : needs).consumers,
  };
  if (isLegacy) {
    const ofCertificate = { object: 'certificateReference' } as const;
    const service = referred(of('services'), ['url'], { client_certificate: ofCertificate });
    format.serviceReference = { fields: service, anyOf: ['name', 'id'] };
    format.upstreamReference = { fields: referred(of('upstreams'), []), required: ['name'] };
    format.certificateReference = { fields: referred(of('certificates'), [], { snis: 'strings' }) };
    format.caCertificateReference = { fields: of('ca_certificates').fields };
    return {
      ...format,
      file: { fields: legacyFile },
      info: { fields: { select_tags: 'strings' } },
    };
  }
  const lists = kinds.map(({ collection }) => [collection, { list: collection }] as const);
  return {
    ...format,
    groupName: { fields: referred(of('consumer_groups'), []), anyOf: ['name', 'id'] },
    file: {
      fields: {
        ...legacyFile,
        ...Object.fromEntries(lists),
        _comment: 'string',
        _ignore: 'array',
        _transform: 'boolean',
      },
    },
    info: { fields: { select_tags: 'strings', default_lookup_tags: 'object', defaults: 'object' } },
  };
}

const formats = new Map<boolean, FileFormat>();

/** The shape of files of a version; a file that does not say is taken for a recent one. */
export function fileFormat(version: unknown): FileFormat {
  const isLegacy = version === '1.1';
  const format = formats.get(isLegacy) ?? makeFormat(isLegacy);
  formats.set(isLegacy, format);
  return format;
}

/** Whether a file of format 1.1 may have a field. */
export function isLegacyField(collection: CollectionName, field: string): boolean {
  const format = fileFormat('1.1')[collection];
  return format !== undefined && Object.hasOwn(format.fields, field);
}
