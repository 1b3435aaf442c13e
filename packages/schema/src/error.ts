/** Stable: programs may compare it. */
export type SchemaErrorCode =
  /** A text is no quantity. Write it as `500m`, `1.5Gi` or `2e3`. */
  | 'WG_SCHEMA_QUANTITY'
  /** A value is neither a whole number nor a percentage. Write `3` or `25%`. */
  | 'WG_SCHEMA_INT_OR_STRING'
  /** A definition of a custom resource has no such version. Name one that it serves. */
  | 'WG_SCHEMA_NO_VERSION'
  /** The data files of this room are missing or broken. Install the package again. */
  | 'WG_SCHEMA_FACTS';

/**
 * Every error of this room.
 *
 * ```ts
 * try {
 *   Quantity.parse('a lot');
 * } catch (error) {
 *   if (error instanceof SchemaError) console.error(error.code);
 * }
 * ```
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly code: SchemaErrorCode;

  constructor(code: SchemaErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
