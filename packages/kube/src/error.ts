import type { Status } from '@waygate/schema';

/** Stable: programs may compare it. */
export type KubeErrorCode =
  | 'WG_KUBE_API' // the API answered with a Status
  | 'WG_KUBE_CONNECTION' // no answer: refused, reset, timed out
  | 'WG_KUBE_CONFIG' // the configuration cannot be used
  | 'WG_KUBE_DECODE' // an answer that is not what the API promises
  | 'WG_KUBE_NO_MATCH'; // a kind or resource that the server does not know

/** Every error of this room. `status` is the API's own word, when it said one. */
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
