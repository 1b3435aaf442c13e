/**
 * Kong's entities as plain data, in the shape that the Admin API and declarative files use
 * (snake_case names, foreign keys as objects). Their types are made from Kong's schemas. Every field is
 * optional: what is required, and what its default is, is said by the schema, not the type.
 */

/** A value as JSON carries it. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** A JSON object, the common shape of all entities when the kind is only known at run time. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/**
 * A foreign key. Kong stores and answers ids; names are accepted in requests and declarative files.
 * `null` clears the reference.
 */
export interface KongReference {
  readonly id?: string;
  readonly name?: string;
}

export type * from './generated/entity-types.ts';
