/** Stable: programs may compare it. */
export type SchemaErrorCode = 'WG_SCHEMA_QUANTITY' | 'WG_SCHEMA_INT_OR_STRING' | 'WG_SCHEMA_FACTS'; // the data files of this room are missing or broken

/** Every error of this room. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly code: SchemaErrorCode;

  constructor(code: SchemaErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
