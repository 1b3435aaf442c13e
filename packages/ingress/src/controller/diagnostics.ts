import {
  type CollectionName,
  findEntityKind,
  type JsonObject,
  maskEntity,
  masked,
} from '@waygate/kong';
import type { DeclarativeDocument } from '../translate/declarative-config.ts';

/** Collections that a declarative document may nest in an entity of another one. */
const nested: ReadonlySet<string> = new Set([
  'routes',
  'plugins',
  'targets',
  'snis',
  'keyauth_credentials',
  'basicauth_credentials',
  'hmacauth_credentials',
  'jwt_secrets',
  'oauth2_credentials',
  'acls',
  'mtls_auth_credentials',
]);

/** A configuration that can be shown: everything that is, or may be, a secret reads `***`. */
export function maskedDocument(document: DeclarativeDocument): DeclarativeDocument {
  return Object.fromEntries(
    Object.entries(document).map(([collection, value]) => [
      collection,
      Array.isArray(value) ? value.map((entity) => maskedEntity(collection, entity)) : value,
    ]),
  );
}

function maskedEntity(collection: string, entity: Record<string, unknown>): unknown {
  const own: Record<string, unknown> = {};
  const children: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(entity)) {
    if (nested.has(field) && Array.isArray(value))
      children[field] = value.map((one) => maskedEntity(field, one as Record<string, unknown>));
    else own[field] = value;
  }
  if (findEntityKind(collection) === undefined) {
    // A licence or an entity of a plugin of its own: nothing is known of its fields.
    const fields = Object.keys(own).map((field) => [field, field === 'id' ? own[field] : masked]);
    return Object.fromEntries(fields);
  }
  return { ...maskEntity(collection as CollectionName, own as JsonObject), ...children };
}
