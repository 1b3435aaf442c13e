/** What a reconciliation came to. Nothing returned is `done`. */
export type ReconcileResult =
  /** The object is as it should be; its failures are forgotten. */
  | { readonly kind: 'done' }
  /** Look again, with the back-off of a failure but without counting as one. */
  | { readonly kind: 'requeue' }
  /** All is well; look again later, for what no event will tell. */
  | { readonly kind: 'requeueAfter'; readonly ms: number }
  /** Trying again is of no use until the object changes. Counted as an error. */
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Nothing more to do until something changes.
 *
 * ```ts
 * const reconcile: Reconcile<string> = async (key) => (key === 'shop/web' ? requeueAfter(60_000) : done);
 * ```
 */
export const done: ReconcileResult = { kind: 'done' };

/**
 * Again, after what the limiter says.
 *
 * ```ts
 * requeue; // { kind: 'requeue' }
 * ```
 */
export const requeue: ReconcileResult = { kind: 'requeue' };

/**
 * Again, after this time.
 *
 * ```ts
 * requeueAfter(60_000); // { kind: 'requeueAfter', ms: 60_000 }
 * ```
 */
export function requeueAfter(ms: number): ReconcileResult {
  return { kind: 'requeueAfter', ms };
}

/**
 * An error that no retry will mend, such as a spec that makes no sense.
 *
 * ```ts
 * const error = new Error('not yet');
 * failed(error).kind; // 'failed'
 * ```
 */
export function failed(error: unknown): ReconcileResult {
  return { kind: 'failed', error };
}

/** What a reconciliation is given beside its key. */
export interface ReconcileContext {
  /** Aborts when the time for one reconciliation is over, and when the controller stops. */
  readonly signal: AbortSignal;
  /** How often this key failed in a row before. */
  readonly failures: number;
}

/**
 * Makes the world as one object wants it. It is given a key and not an event: it reads what is there
 * now, so a lost or repeated event does no harm. Throwing means: try again, later each time.
 */
export type Reconcile<K> = (
  key: K,
  context: ReconcileContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is the usual one
) => Promise<ReconcileResult | void> | ReconcileResult | void;
