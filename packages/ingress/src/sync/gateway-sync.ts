import type { Rejection } from '../fallback/rejection.ts';
import type { ServiceResult } from '../translate/kong-service.ts';
import type { KongState } from '../translate/kong-state.ts';

/** How one attempt to bring gateways to a configuration ended. */
export type SyncOutcome =
  /** They have it already; nothing was sent. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'applied'; readonly writes: number; readonly bytes: number }
  /** They refuse parts of it; what they held before stays in force. */
  | { readonly kind: 'rejected'; readonly rejection: Rejection; readonly error: Error }
  /** They could not be reached, or not by all writes: to be tried again. */
  | { readonly kind: 'failed'; readonly error: Error };

/** What one gateway was sent, and how that ended. */
export interface Push {
  /** The address of its Admin API. */
  readonly dataplane: string;
  readonly durationMs: number;
  /** The size of what was sent, where that is one document. */
  readonly bytes?: number;
  /** How many objects it refused. */
  readonly brokenCount: number;
  readonly error?: Error;
}

/** Says how a push ended that a sync outcome is the result of. */
export function pushOf(dataplane: string, durationMs: number, outcome: SyncOutcome): Push {
  const error =
    outcome.kind === 'rejected' || outcome.kind === 'failed' ? outcome.error : undefined;
  return {
    dataplane,
    durationMs,
    brokenCount: outcome.kind === 'rejected' ? outcome.rejection.problems.length : 0,
    ...(error && { error }),
  };
}

/** A configuration to bring gateways to. */
export interface SyncRequest {
  /** All of it. Putting it together takes time that grows with the cluster: ask when it is needed. */
  state(): KongState;
  /**
   * When only Kong services changed since the last pass that ended well: their names, each with what
   * it is now (nothing for one that is gone). Undefined when anything else may have changed.
   */
  readonly changedServices: ReadonlyMap<string, readonly ServiceResult[]> | undefined;
}

/** Brings gateways to a configuration: one with a database, or any number without. */
export interface GatewaySync {
  /** The word that metrics have for it. */
  readonly protocol: 'db-less' | 'deck';
  sync(request: SyncRequest, signal: AbortSignal): Promise<SyncOutcome>;
  /** Whether all must be sent again: a gateway lost what it had, or it is time to look for drift. */
  needsFullSync(signal: AbortSignal): Promise<boolean>;
  /** Forgets what gateways were last known to have: another process may have written to them since. */
  forget(): void;
}
