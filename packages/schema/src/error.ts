/** Stable: programs may compare it. */
export type SchemaErrorCode =
  | 'WG_SCHEMA_YAML' // text that is not the YAML that Kubernetes takes
  | 'WG_SCHEMA_JSON' // a value that JSON cannot carry
  | 'WG_SCHEMA_SELECTOR' // a label or field selector that cannot be read
  | 'WG_SCHEMA_QUANTITY'
  | 'WG_SCHEMA_DURATION'
  | 'WG_SCHEMA_INT_OR_STRING'
  | 'WG_SCHEMA_PATCH' // a patch that is malformed or does not fit the document
  | 'WG_SCHEMA_FACTS'; // the data files of this room are missing or broken

/** Every error of this room. `line` (from 1) is set when the input is a text with lines. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly code: SchemaErrorCode;
  readonly line: number | undefined;

  constructor(
    code: SchemaErrorCode,
    message: string,
    options: { cause?: unknown; line?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.line = options.line;
  }
}
