import type { Status } from '@waygate/schema';

/** Stable: programs may compare it. */
export type KubeErrorCode =
  /**
   * The API answered with a Status. Ask with `isNotFound`, `isConflict` and the like; `status` is
   * the API's own word.
   */
  | 'WG_KUBE_API'
  /**
   * There was no answer: refused, reset, timed out. `isConnectionError` knows it; it may be tried
   * again.
   */
  | 'WG_KUBE_CONNECTION'
  /** The configuration cannot be used. The message names the file, the context and the field. */
  | 'WG_KUBE_CONFIG'
  /** An answer is not what the API promises. Most often a proxy answered in the API's stead. */
  | 'WG_KUBE_DECODE'
  /**
   * The server does not know the kind or resource. Install its CustomResourceDefinition, or correct
   * the apiVersion.
   */
  | 'WG_KUBE_NO_MATCH'
  /**
   * A write was not sent, as this process does not lead any more. Nothing is to be done: who leads now
   * does the work.
   */
  | 'WG_KUBE_FENCED';

/**
 * Every error of this room. `status` is the API's own word, when it said one.
 *
 * ```ts
 * try {
 *   await client.resource(kinds.ConfigMap).create({ metadata: { name: 'A', namespace: 'shop' } });
 * } catch (error) {
 *   if (!(error instanceof KubeError)) throw error;
 *   console.log(error.code, error.statusCode, error.status?.details?.causes);
 * }
 * ```
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: KubeErrorCode;
  /** The HTTP status, when there was an answer. */
  readonly statusCode: number | undefined;
  readonly status: Status | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: KubeErrorCode,
    message: string,
    options: {
      cause?: unknown;
      statusCode?: number | undefined;
      status?: Status | undefined;
      retryAfterSeconds?: number | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status;
    this.statusCode = options.statusCode ?? options.status?.code;
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? options.status?.details?.retryAfterSeconds;
  }
}
