/** Stable: programs may compare it. */
export type ApplyErrorCode =
  /**
   * An inventory has an id that cannot be read. Look at the object's `status.inventory`: somebody
   * else wrote to it.
   */
  | 'WG_APPLY_ID'
  /** A manifest holds no Kubernetes object. Give the document an apiVersion, a kind and a name. */
  | 'WG_APPLY_MANIFEST'
  /**
   * A CEL expression of a health check cannot be compiled or evaluated. Correct the expression that
   * the message quotes.
   */
  | 'WG_APPLY_EXPRESSION'
  /**
   * An ignore rule makes no sense. Write its paths as JSON pointers and its target as a selector.
   */
  | 'WG_APPLY_RULE'
  /**
   * What was waited for did not come in time. The message names the objects; look at their status
   * and events, or wait longer.
   */
  | 'WG_APPLY_TIMEOUT';

/**
 * Every error of this room.
 *
 * ```ts
 * try {
 *   parseObjectId('web');
 * } catch (error) {
 *   if (!(error instanceof ApplyError)) throw error;
 *   error.code; // 'WG_APPLY_ID'
 * }
 * ```
 */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
  readonly code: ApplyErrorCode;

  constructor(code: ApplyErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
