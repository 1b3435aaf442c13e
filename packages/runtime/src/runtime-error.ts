/** Stable: programs may compare it. */
export type RuntimeErrorCode =
  | 'WG_RUNTIME_CONFIG' // options that cannot work together
  | 'WG_RUNTIME_LOCK_NOT_INITIALIZED' // an update of a lock that was never read
  | 'WG_RUNTIME_LEADERSHIP_LOST' // the lease could not be renewed in time
  | 'WG_RUNTIME_UNHEALTHY' // a health check that failed
  | 'WG_RUNTIME_RECONCILE_TIMEOUT' // one reconciliation took longer than it may
  | 'WG_RUNTIME_CACHE_SYNC' // a cache did not fill in time
  | 'WG_RUNTIME_STATE' // started twice, added too late
  | 'WG_RUNTIME_STOP_TIMEOUT' // something did not stop within the grace period
  | 'WG_RUNTIME_KEY' // an object without a name, or a key that is none
  | 'WG_RUNTIME_OWNER' // an owner that is not in the API
  | 'WG_RUNTIME_INDEX' // an index that does not exist, or exists already
  | 'WG_RUNTIME_INDEX_FUNCTION' // an index function threw
  | 'WG_RUNTIME_TRANSFORM' // a transform threw
  | 'WG_RUNTIME_SYNC_TRACKER' // more items finished than were started
  | 'WG_RUNTIME_LIST' // a list failed
  | 'WG_RUNTIME_UNSUPPORTED_LIST' // the API answered with something that cannot be cached
  | 'WG_RUNTIME_VERY_SHORT_WATCH' // a watch that ended at once, without an event
  | 'WG_RUNTIME_WATCH' // a watch that is not what it should be
  | 'WG_RUNTIME_HANDLER'; // an event handler threw

/** Every error that this room raises itself. What a callback threw comes as `cause`. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
