import { createHash } from 'node:crypto';
import { isObject } from '@waygate/text';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { type CollectionName, type EntityKind, findEntityKind } from '../entity/entity-kinds.ts';
import { isUuid } from '../schema/constraint.ts';
import type { FieldSchema, FieldTable } from '../schema/field-schema.ts';
import { resolveSchema } from '../schema/validate-entity.ts';

/** Fields that say what an entity is, not what is in it. */
const plainFields: Partial<Record<CollectionName, readonly string[]>> = {
  plugins: ['name'],
  routes: ['methods'],
  vaults: ['name', 'prefix'],
};

const emailAddress = /^[\w.%+-]+@[\w.-]+\.[A-Za-z]{2,}$/;
const vaultReference = /^\{vault:\/\//;

/** Whether a schema lists the values that a field may have: such a value gives nothing away. */
function isChoice(field: FieldSchema | undefined): boolean {
  return field?.one_of !== undefined || field?.elements?.one_of !== undefined;
}

/** Puts hashes in the place of texts; the same text gives the same hash, so that references hold. */
class Sanitizer {
  readonly #salt: string;

  constructor(salt: string) {
    this.#salt = salt;
  }

  config(config: DeclarativeConfig): DeclarativeConfig {
    const clean: { [key: string]: unknown } = {};
    for (const [key, value] of Object.entries(config)) {
      const kind = findEntityKind(key);
      if (kind === undefined) clean[key] = key === '_info' ? this.#info(value) : value;
      else
        clean[key] = (value as readonly JsonObject[]).map((entity) => this.#entity(kind, entity));
    }
    return clean as DeclarativeConfig;
  }

  #info(info: unknown): unknown {
    const { select_tags: tags, ...rest } = info as { readonly select_tags?: readonly string[] };
    return { ...rest, ...(tags && { select_tags: tags.map((tag) => this.#text(tag)) }) };
  }

  #entity(kind: EntityKind, entity: JsonObject): JsonObject {
    const { collection } = kind;
    const fields = resolveSchema(collection, entity)?.fields;
    const clean: { [key: string]: JsonValue } = {};
    for (const [name, value] of Object.entries(entity)) {
      if (value === undefined) continue;
      const nested = fields?.has(name) === true ? undefined : findEntityKind(name);
      if (nested !== undefined && Array.isArray(value)) {
        clean[name] = value.map((inner: JsonValue) =>
          isObject(inner) ? this.#entity(nested, inner) : this.#value(inner, undefined),
        );
      } else if (plainFields[collection]?.includes(name) === true) clean[name] = value;
      else clean[name] = this.#field(collection, name, value, fields?.get(name));
    }
    return clean;
  }

  #field(
    collection: CollectionName,
    name: string,
    value: JsonValue,
    field: FieldSchema | undefined,
  ): JsonValue {
    if (typeof value !== 'string') return this.#value(value, field, name);
    if (collection === 'targets' && name === 'target') return this.#target(value);
    if (collection === 'routes' && name === 'expression') return this.#expression(value);
    return this.#value(value, field, name);
  }

  #value(value: JsonValue, field: FieldSchema | undefined, name?: string): JsonValue {
    if (typeof value === 'string') {
      const isId = isUuid(value) && (name === 'id' || field?.type === 'foreign');
      return isId || isChoice(field) ? value : this.#text(value);
    }
    if (Array.isArray(value)) {
      return isChoice(field)
        ? value
        : value.map((element) => this.#value(element, field?.elements));
    }
    return isObject(value) ? this.#record(value, field?.fields, field?.values) : value;
  }

  #record(
    record: JsonObject,
    fields: FieldTable | undefined,
    values: FieldSchema | undefined,
  ): JsonObject {
    return Object.fromEntries(
      Object.entries(record).map(([name, value]) => [
        name,
        this.#value(value ?? null, fields?.get(name) ?? values, name),
      ]),
    );
  }

  /** The hash of a text, in a form that is as much like the text as a reader needs. */
  #text(text: string): string {
    if (text === '' || vaultReference.test(text)) return text;
    const hash = this.#hash(text);
    const pem = /^\s*-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(text)?.[1];
    if (pem !== undefined) return `-----BEGIN ${pem}-----\n${hash}\n-----END ${pem}-----`;
    const scheme = /^[A-Za-z][A-Za-z0-9+.-]{0,20}:\/\//.exec(text)?.[0];
    if (scheme !== undefined) return `${scheme}${hash}.redacted`;
    if (emailAddress.test(text)) return `email@${hash}.redacted`;
    if (/^[^:]+:/.test(text)) return `redacted:${hash}`;
    if (/^~?\//.test(text)) return `/redacted/path/${hash}`;
    return text.includes('/') ? `redacted/${hash}` : hash;
  }

  /** A target stays one: its port is no secret. */
  #target(target: string): string {
    const port = /:\d{1,5}$/.exec(target)?.[0] ?? '';
    return `${this.#hash(target.slice(0, target.length - port.length))}${port}`;
  }

  /** Of an expression only the texts that it compares with. */
  #expression(expression: string): string {
    return expression.replace(/"((?:[^"\\]|\\.)*)"/g, (_whole, text: string) =>
      JSON.stringify(this.#text(text)),
    );
  }

  #hash(text: string): string {
    return createHash('sha256').update(this.#salt).update(text).digest('hex');
  }
}

/**
 * A configuration that may be shown to others: every text is replaced by a salted hash, but for ids,
 * the names of plugins and values that a schema lists. Equal texts have equal hashes, so entities
 * still refer to each other; certificates and keys become stand-ins that no Kong takes.
 *
 * ```ts
 * const { services = [] } = sanitizeConfig({ services: [{ name: 'shop', host: 'shop', port: 80 }] }, 'salt');
 * services[0]?.name === services[0]?.host; // true
 * services[0]?.name === 'shop'; // false
 * ```
 */
export function sanitizeConfig(config: DeclarativeConfig, salt: string): DeclarativeConfig {
  return new Sanitizer(salt).config(config);
}
