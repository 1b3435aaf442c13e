import { createHash } from 'node:crypto';
import {
  type CollectionName,
  entityKind,
  findSchema,
  type JsonObject,
  type JsonValue,
} from '@waygate/kong';
import { isObject, uuidV5 } from '@waygate/text';

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

/**
 * Kong draws the ids of these anew each time it reads a file. Here they are made from what tells one from
 * the other, so that the same file read again is the same configuration.
 */
const ownKeys: Partial<Record<CollectionName, string>> = {
  keyauth_credentials: 'key',
  jwt_secrets: 'key',
  oauth2_credentials: 'client_id',
  certificates: 'cert',
  ca_certificates: 'cert',
  snis: 'name',
};

/** The parent that an entity is nested under in the file. */
interface DeclaredParent {
  readonly field: string;
  readonly id: string;
}

/**
 * Makes the ids of a document's entities that have none of their own. The same document gets the same
 * ids each time, wherever it is read, and an entity keeps its id when others beside it come, go or
 * change: its counters, tokens, health and certificates are found by it.
 */
export class DeclaredIds {
  /** How often a text that ids are made from was seen: entities may be written twice. */
  readonly #seen = new Map<string, number>();

  /** Where Kong makes an id from a name, the same one: routes of equal rank are tried by id. */
  idOf(collection: CollectionName, item: JsonObject, parent: DeclaredParent | undefined): string {
    return kongId(collection, item, parent) ?? this.#ownId(collection, item, parent);
  }

  #ownId(collection: CollectionName, item: JsonObject, parent: DeclaredParent | undefined): string {
    const field = ownKeys[collection];
    const value = field === undefined ? undefined : item[field];
    const told =
      typeof value === 'string'
        ? `${field} ${value}`
        : `${parent?.field} ${parent?.id} ${sortedText(item)}`;
    // Hashed well first, since keys are among it and ids are shown.
    const text = createHash('sha256').update(`${collection} ${told}`).digest('hex');
    const count = this.#seen.get(text) ?? 0;
    this.#seen.set(text, count + 1);
    return uuidV5(uuidV5(entityNamespace, collection), count === 0 ? text : `${text} ${count}`);
  }
}

/** The id that Kong makes; undefined where it would draw one. */
function kongId(
  collection: CollectionName,
  item: JsonObject,
  parent: DeclaredParent | undefined,
): string | undefined {
  if (ownKeys[collection] !== undefined && (collection !== 'snis' || parent !== undefined)) {
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

/** JSON that does not depend on the order in which fields are written. */
function sortedText(value: JsonValue | undefined): string {
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      isObject(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? ''
  );
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
