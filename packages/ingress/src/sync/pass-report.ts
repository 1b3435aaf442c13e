import type { KubeObject } from '@waygate/schema';
import type { Snapshot } from '../translate/incremental/snapshot.ts';
import type { ServiceResult } from '../translate/kong-service.ts';
import type { Problem } from '../translate/problem.ts';
import type { SyncOutcome } from './gateway-sync.ts';

/** One pass of the loop, for those who report on it. */
export interface PassReport {
  readonly outcome: SyncOutcome;
  /** Everything, when this pass looked at everything. */
  readonly snapshot: Snapshot | undefined;
  /** Else the services that changed. */
  readonly services: readonly ServiceResult[];
  readonly rejected: readonly Problem[];
  /** Objects that changed since the pass before. */
  readonly changed: readonly KubeObject[];
  /** Objects that went since the pass before. */
  readonly removed: readonly KubeObject[];
  readonly translationMs: number;
  readonly syncMs: number;
}
