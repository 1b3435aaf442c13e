export type ApplyErrorCode =
  | 'WG_APPLY_ID' // an inventory id that cannot be read
  | 'WG_APPLY_MANIFEST' // a manifest that holds no Kubernetes object
  | 'WG_APPLY_EXPRESSION' // a CEL expression that cannot be compiled or evaluated
  | 'WG_APPLY_RULE' // an ignore rule that makes no sense
  | 'WG_APPLY_TIMEOUT'; // what was waited for did not come

/** Every error of this room. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
  readonly code: ApplyErrorCode;

  constructor(code: ApplyErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
