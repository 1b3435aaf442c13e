/** Stable: programs may compare it. */
export type TextErrorCode =
  | 'WG_TEXT_YAML' // text that is not the YAML that Kubernetes takes
  | 'WG_TEXT_JSON' // a value that JSON cannot carry
  | 'WG_TEXT_SELECTOR' // a label or field selector that cannot be read
  | 'WG_TEXT_DURATION'
  | 'WG_TEXT_PATCH'; // a patch that is malformed or does not fit the document

/** Every error of this room. `line` (from 1) is set when the input is a text with lines. */
export class TextError extends Error {
  override readonly name = 'TextError';
  readonly code: TextErrorCode;
  readonly line: number | undefined;

  constructor(
    code: TextErrorCode,
    message: string,
    options: { cause?: unknown; line?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.line = options.line;
  }
}
