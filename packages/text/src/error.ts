/** Stable: programs may compare it. */
export type TextErrorCode =
  /** A text is not the YAML that Kubernetes takes. `line` says where. */
  | 'WG_TEXT_YAML'
  /**
   * A value cannot be carried by JSON, or a text is none. Look at the place that the message names.
   */
  | 'WG_TEXT_JSON'
  /** A label or field selector cannot be read. Write it as `app=web,tier in (a, b),!canary`. */
  | 'WG_TEXT_SELECTOR'
  /** A text is no duration. Write it as Go does: `1h30m`, `250ms`. */
  | 'WG_TEXT_DURATION'
  /**
   * A patch is malformed or does not fit the document. The message names the operation and the
   * path.
   */
  | 'WG_TEXT_PATCH'
  /**
   * A proxy cannot be used, or does not lead where it should. Look at the address that the settings or
   * the environment (`HTTPS_PROXY`, `NO_PROXY`) name, and at what the proxy allows.
   */
  | 'WG_TEXT_PROXY'
  /** An answer is longer than what is taken from such a server. Look at who answers there. */
  | 'WG_TEXT_SIZE'
  /** Something was sent through a client that is closed, or was when it closed. Open another. */
  | 'WG_TEXT_CLOSED'
  /** A text is no signed token, or signed in a way that proves nothing. Ask the issuer for another. */
  | 'WG_TEXT_TOKEN';

/**
 * Every error of this room. `line` (from 1) is set when the input is a text with lines.
 *
 * ```ts
 * try {
 *   parseYaml('a: [');
 * } catch (error) {
 *   if (error instanceof TextError) console.error(error.code, error.line);
 * }
 * ```
 */
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
