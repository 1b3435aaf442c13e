import { type CollectionName, entityKind, findSchema, type JsonObject } from '@waygate/kong';
import { uuidV5 } from '../../router/uuid-v5.ts';

const entityNamespace = 'fd02801f-0957-4a15-a55a-c8d9606f30b5';

/** The fields that Kong builds an id from before it looks at the entity's own name. */
const keyFields: Partial<Record<CollectionName, readonly string[]>> = {
  plugins: ['name', 'route', 'service', 'consumer'],
  targets: ['upstream', 'target'],
  acls: ['consumer', 'group'],
  basicauth_credentials: ['username'],
  hmacauth_credentials: ['username'],
  vaults: ['prefix'],
  key_sets: ['name'],
  keys: ['kid', 'set'],
};

/** Ids of these are random, since the field that would make them comes from chance itself. */
const withoutId: ReadonlySet<CollectionName> = new Set([
  'keyauth_credentials',
  'jwt_secrets',
  'oauth2_credentials',
  'certificates',
  'ca_certificates',
]);

/** The parent that an entity is nested under in the file. */
export interface DeclaredParent {
  readonly field: string;
  /** Undefined if the parent's id is left to chance. */
  readonly id: string | undefined;
}

/**
 * The id that an entity without one gets: the same for the same file each time, and the same as Kong's,
 * since routes of equal rank are tried by id. Undefined if it has to be random.
 */
export function declaredId(
  collection: CollectionName,
  item: JsonObject,
  parent: DeclaredParent | undefined,
): string | undefined {
  if (withoutId.has(collection) || (collection === 'snis' && parent !== undefined)) {
    return undefined;
  }
  const namespace = uuidV5(entityNamespace, collection);
  const fields = keyFields[collection];
  if (fields !== undefined) {
    const key = cacheKey(collection, item, fields, parent);
    return key === undefined ? undefined : uuidV5(namespace, key);
  }
  const { endpointKey } = entityKind(collection);
  const value = endpointKey === undefined ? undefined : item[endpointKey];
  return typeof value === 'string' ? uuidV5(namespace, value) : undefined;
}

function cacheKey(
  collection: CollectionName,
  item: JsonObject,
  fields: readonly string[],
  parent: DeclaredParent | undefined,
): string | undefined {
  const parts: string[] = [collection, '*'];
  for (const field of fields) {
    const value = item[field];
    if (typeof value === 'string') {
      parts.push(value);
    } else if (value === undefined) {
      if (parent?.field === field) {
        if (parent.id === undefined) {
          return undefined;
        }
        parts.push(parent.id);
      } else if (findSchema(collection)?.fields.get(field)?.required === true) {
        return undefined;
      } else {
        parts.push('');
      }
    }
  }
  return parts.join(':');
}
