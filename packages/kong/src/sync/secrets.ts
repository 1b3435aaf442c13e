import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { type CollectionName, entityKind } from '../entity/entity-kinds.ts';
import type { FieldTable } from '../schema/field-schema.ts';
import { resolveSchema } from '../schema/validate-entity.ts';

/** What is printed in place of a secret. */
export const masked = '***';

/** Names of fields that hold secrets in configurations that no schema is known for. */
const telling =
  /(?:^|_)(?:secret|password|passwd|token|api_?key|private_?key|credentials?)(?:$|_)/i;

/**
 * Secrets of plugins that Kong does not have, and whose schemas are their gateway's: what an htpasswd file held
 * was a Secret's.
 */
const ownSecrets: Readonly<Record<string, readonly string[]>> = {
  'htpasswd-auth': ['users'],
};

function isEncryptedAt(fields: FieldTable, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  const field = name === undefined ? undefined : fields.get(name);
  if (field === undefined) return false;
  if (field.encrypted === true) return true;
  return field.fields === undefined ? false : isEncryptedAt(field.fields, rest);
}

/** Whether the value at a path of an entity must never be shown. */
export function isSecret(
  collection: CollectionName,
  entity: JsonObject,
  path: readonly string[],
): boolean {
  const kind = entityKind(collection);
  const dotted = path.join('.');
  if (kind.secrets.some((secret) => dotted === secret || dotted.startsWith(`${secret}.`)))
    return true;
  if (path[0] === 'config' && path.slice(1).some((part) => telling.test(part))) return true;
  const [top, field = ''] = path;
  if (collection === 'plugins' && top === 'config')
    if (ownSecrets[String(entity.name)]?.includes(field) === true) return true;
  const schema = resolveSchema(collection, entity);
  return schema !== undefined && isEncryptedAt(schema.fields, path);
}

/**
 * An entity with its secrets masked, at any depth.
 *
 * ```ts
 * maskEntity('keyauth_credentials', { key: 'anns-key', ttl: 60 }); // { key: '***', ttl: 60 }
 * ```
 */
export function maskEntity(collection: CollectionName, entity: JsonObject): JsonObject {
  const mask = (value: JsonValue, path: readonly string[]): JsonValue => {
    if (path.length > 0 && value !== null && isSecret(collection, entity, path)) return masked;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((element) => mask(element, path));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, mask(inner ?? null, [...path, key])]),
    );
  };
  return mask(entity, []) as JsonObject;
}

/** The texts of an entity that must never be shown, the longest first. */
export function secretTexts(collection: CollectionName, entity: JsonObject): readonly string[] {
  const texts = new Set<string>();
  const collect = (value: JsonValue, path: readonly string[], isHidden: boolean): void => {
    const isOwn = isHidden || (path.length > 0 && isSecret(collection, entity, path));
    if (typeof value === 'string') {
      if (isOwn && value !== '') texts.add(value);
    } else if (Array.isArray(value)) for (const element of value) collect(element, path, isOwn);
    else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value))
        collect(inner ?? null, [...path, key], isOwn);
    }
  };
  collect(entity, [], false);
  return [...texts].sort((one, two) => two.length - one.length);
}
