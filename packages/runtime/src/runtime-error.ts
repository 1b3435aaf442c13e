export type RuntimeErrorCode =
  | 'WG_RUNTIME_CONFIG' // options that cannot work together
  | 'WG_RUNTIME_LOCK_NOT_INITIALIZED' // an update of a lock that was never read
  | 'WG_RUNTIME_LEADERSHIP_LOST' // the lease could not be renewed in time
  | 'WG_RUNTIME_UNHEALTHY' // a health check that failed
  | 'WG_RUNTIME_RECONCILE_TIMEOUT' // one reconciliation took longer than it may
  | 'WG_RUNTIME_CACHE_SYNC' // a cache did not fill in time
  | 'WG_RUNTIME_STATE' // started twice, added too late
  | 'WG_RUNTIME_STOP_TIMEOUT'; // something did not stop within the grace period

/** Every error that this room raises itself. What a callback threw comes as `cause`. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
