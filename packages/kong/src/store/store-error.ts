import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { type FieldErrors, schemaViolation } from '../schema/schema-errors.ts';

/** An answer of the Admin API that is not a success: its status and its body. */
export interface StoreError {
  readonly status: number;
  readonly body: {
    readonly message: string;
    readonly code?: number;
    readonly name?: string;
    readonly fields?: Readonly<Record<string, unknown>>;
    readonly options?: Readonly<Record<string, string>>;
  };
}

/** A key as Kong prints one: `{name="a"}`, with nested keys and nulls. */
function shownKey(key: Readonly<Record<string, JsonValue | undefined>>): string {
  const parts = Object.keys(key)
    .sort()
    .map((name) => `${name}=${shownValue(key[name])}`);
  return `{${parts.join(',')}}`;
}

function shownValue(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'object' && !Array.isArray(value)) return shownKey(value as JsonObject);
  return typeof value === 'string' ? `"${value}"` : String(value);
}

export const storeErrors = {
  schema(errors: FieldErrors): StoreError {
    return { status: 400, body: schemaViolation(errors) };
  },

  invalidPrimaryKey(fields: Readonly<Record<string, string>>): StoreError {
    return {
      status: 400,
      body: {
        code: 1,
        name: 'invalid primary key',
        message: `invalid primary key: '${shownKey(fields)}'`,
        fields,
      },
    };
  },

  primaryKey(id: string): StoreError {
    return {
      status: 400,
      body: {
        code: 3,
        name: 'primary key violation',
        message: `primary key violation on key '${shownKey({ id })}'`,
        fields: { id },
      },
    };
  },

  missingReference(field: string, id: string, collection: string): StoreError {
    return {
      status: 400,
      body: {
        code: 4,
        name: 'foreign key violation',
        message: `the foreign key '${shownKey({ id })}' does not reference an existing '${collection}' entity.`,
        fields: { [field]: { id } },
      },
    };
  },

  stillReferenced(holder: string, collection: string): StoreError {
    return {
      status: 400,
      body: {
        code: 4,
        name: 'foreign key violation',
        message: `an existing '${holder}' entity references this '${collection}' entity`,
        fields: { '@referenced_by': holder },
      },
    };
  },

  unique(key: JsonObject): StoreError {
    return {
      status: 409,
      body: {
        code: 5,
        name: 'unique constraint violation',
        message: `UNIQUE violation detected on '${shownKey(key)}'`,
        fields: key,
      },
    };
  },

  notFound(key: JsonObject): StoreError {
    const kind = Object.hasOwn(key, 'id') ? 'primary key ' : '';
    return {
      status: 404,
      body: {
        code: 6,
        name: 'not found',
        message: `could not find the entity with ${kind}'${shownKey(key)}'`,
        fields: key,
      },
    };
  },

  invalidOffset(offset: string): StoreError {
    return {
      status: 400,
      body: {
        code: 7,
        name: 'invalid offset',
        message: `'${offset}' is not a valid offset: bad json encoding`,
      },
    };
  },

  invalidSize(message: string): StoreError {
    return { status: 400, body: { code: 9, name: 'invalid size', message } };
  },

  invalidUnique(field: string, message: string): StoreError {
    return { status: 400, body: { code: 10, name: `invalid unique ${field}`, message } };
  },

  invalidTags(message: string): StoreError {
    return {
      status: 400,
      body: {
        code: 11,
        name: 'invalid options',
        message: `invalid option (tags: ${message})`,
        options: { tags: message },
      },
    };
  },

  unresolvedReference(
    field: string,
    key: string,
    value: JsonValue,
    collection: string,
  ): StoreError {
    const message = `the foreign key cannot be resolved with '${shownKey({ [key]: value })}' for an existing '${collection}' entity`;
    return {
      status: 400,
      body: {
        code: 13,
        name: 'foreign keys unresolved',
        message: `foreign key unresolved (${field}.${key}: ${message})`,
        fields: { [field]: { [key]: message } },
      },
    };
  },

  caStillReferenced(id: string, collection: string, holder: string): StoreError {
    return {
      status: 400,
      body: {
        code: 19,
        name: 'referenced by others',
        message: `ca certificate ${id} is still referenced by ${collection} (id = ${holder})`,
      },
    };
  },
} as const;
