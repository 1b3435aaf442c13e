/** Why something with a Kong or its files failed. The codes are stable. */
export type KongErrorCode =
  /**
   * The Admin API answered with a status that is no success. `status` and `body` have Kong's words.
   */
  | 'WG_KONG_HTTP'
  /**
   * The Admin API could not be reached, or the connection broke. Look at address, certificate and
   * token; it is safe to ask again.
   */
  | 'WG_KONG_UNREACHABLE'
  /**
   * A write was not sent, as this process does not lead any more. Nothing is to be done: who leads now
   * does the work.
   */
  | 'WG_KONG_FENCED'
  /**
   * The Admin API answered something that is not what it should be. Most often another server
   * listens at that address.
   */
  | 'WG_KONG_ANSWER'
  /**
   * A declarative file could not be read, or is wrong. The message names the file and the entity.
   */
  | 'WG_KONG_FILE'
  /** The work was cancelled. What had been sent before stays; run it again to have the rest. */
  | 'WG_KONG_ABORTED';

export interface KongErrorDetails {
  readonly status?: number;
  /** The answer's body, parsed if it is JSON. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

/**
 * The error of this room. Messages never hold secrets: they name paths, statuses and Kong's words.
 *
 * ```ts
 * const client = new AdminClient({ url: 'http://127.0.0.1:8001' });
 * try {
 *   await readState(client);
 * } catch (error) {
 *   if (error instanceof KongError && error.code === 'WG_KONG_UNREACHABLE') console.error('is it up?');
 *   else throw error;
 * }
 * ```
 */
export class KongError extends Error {
  readonly code: KongErrorCode;
  readonly status?: number;
  readonly body?: unknown;

  /** The packed program has this room twice: an error of one copy is one of the other's, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'KongError';
  }

  constructor(code: KongErrorCode, message: string, details: KongErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'KongError';
    this.code = code;
    if (details.status !== undefined) this.status = details.status;
    if (details.body !== undefined) this.body = details.body;
  }
}
