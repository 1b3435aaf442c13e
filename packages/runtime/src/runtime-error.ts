/** Stable: programs may compare it. */
export type RuntimeErrorCode =
  /** Options cannot work together. Change what the message names. */
  | 'WG_RUNTIME_CONFIG'
  /** A lock was updated that was never read. Call `get` or `create` before `update`. */
  | 'WG_RUNTIME_LOCK_NOT_INITIALIZED'
  /**
   * The lease could not be renewed in time. End the process and let it start again: another one
   * leads by now.
   */
  | 'WG_RUNTIME_LEADERSHIP_LOST'
  /** A health check failed. The report names the check. */
  | 'WG_RUNTIME_UNHEALTHY'
  /**
   * One reconciliation took longer than it may. It was aborted and comes again with back-off; let
   * it heed its signal, or raise `reconcileTimeoutMs`.
   */
  | 'WG_RUNTIME_RECONCILE_TIMEOUT'
  /**
   * A cache did not fill in time. Look at the right to list and watch that kind, and at whether the
   * API has it.
   */
  | 'WG_RUNTIME_CACHE_SYNC'
  /** Something was started twice, or added too late. Add everything before `run`, and run once. */
  | 'WG_RUNTIME_STATE'
  /**
   * Something did not stop within the grace period. The message names it; let it heed its signal.
   */
  | 'WG_RUNTIME_STOP_TIMEOUT'
  /** An object has no name, or a key is none. A key is `namespace/name`, or `name`. */
  | 'WG_RUNTIME_KEY'
  /** An owner is not in the API: it has no uid. Read it from the API first. */
  | 'WG_RUNTIME_OWNER'
  /** An index does not exist, or exists already. Give all indexers before the cache starts. */
  | 'WG_RUNTIME_INDEX'
  /** An index function threw. Mend it, so that it takes any object; `cause` is what it threw. */
  | 'WG_RUNTIME_INDEX_FUNCTION'
  /**
   * A transform threw. The object is left out and the rest goes on; mend the transform, so that it
   * takes any object, also twice.
   */
  | 'WG_RUNTIME_TRANSFORM'
  /** More items finished than were started. It is a bug in the caller that counts. */
  | 'WG_RUNTIME_SYNC_TRACKER'
  /** A list failed. `cause` has the API's word; it is tried again with back-off. */
  | 'WG_RUNTIME_LIST'
  /** The API answered with something that cannot be cached. Look at what serves that kind. */
  | 'WG_RUNTIME_UNSUPPORTED_LIST'
  /**
   * A watch ended at once, without an event. It is opened again with back-off; a proxy that buffers
   * or cuts is the usual reason.
   */
  | 'WG_RUNTIME_VERY_SHORT_WATCH'
  /**
   * A watch sends what it should not: another kind, a Table, an unknown event, or no end of its
   * initial events. The event is left out; look at what serves that kind.
   */
  | 'WG_RUNTIME_WATCH'
  /**
   * An event handler threw. The others were told, and the cache goes on; `cause` is what was
   * thrown.
   */
  | 'WG_RUNTIME_HANDLER';

/**
 * Every error that this room raises itself. What a callback threw comes as `cause`.
 *
 * ```ts
 * try {
 *   splitMetaNamespaceKey('a/b/c');
 * } catch (error) {
 *   if (error instanceof RuntimeError) console.error(error.code, error.cause);
 * }
 * ```
 */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
