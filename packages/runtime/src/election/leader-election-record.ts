import type { Lease } from '@waygate/schema';

/** What a Lease says of an election. */
export type LeaseSpec = NonNullable<Lease['spec']>;

/**
 * What the candidates of an election tell each other through the lock. The times are for people and
 * for spotting that the record changed; no candidate ever compares them with its own clock.
 */
export interface LeaderElectionRecord {
  /** Empty: nobody holds the lock. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  readonly leaderTransitions: number;
  readonly strategy?: string | undefined;
  readonly preferredHolder?: string | undefined;
}

export const emptyRecord: LeaderElectionRecord = {
  holderIdentity: '',
  leaseDurationSeconds: 0,
  acquireTime: undefined,
  renewTime: undefined,
  leaderTransitions: 0,
};

/**
 * What a Lease says of the election.
 *
 * ```ts
 * leaseSpecToRecord({ holderIdentity: 'replica-1', leaseDurationSeconds: 15 }).holderIdentity; // 'replica-1'
 * ```
 */
export function leaseSpecToRecord(spec: LeaseSpec | undefined): LeaderElectionRecord {
  return {
    holderIdentity: spec?.holderIdentity ?? '',
    leaseDurationSeconds: spec?.leaseDurationSeconds ?? 0,
    acquireTime: spec?.acquireTime ?? undefined,
    renewTime: spec?.renewTime ?? undefined,
    leaderTransitions: spec?.leaseTransitions ?? 0,
    ...(spec?.strategy ? { strategy: spec.strategy } : {}),
    ...(spec?.preferredHolder ? { preferredHolder: spec.preferredHolder } : {}),
  };
}

/**
 * An election as a Lease says it.
 *
 * ```ts
 * const acquireTime = '2026-01-01T00:00:00.000000Z';
 * const record = {
 *   holderIdentity: 'pod-1', leaseDurationSeconds: 15, leaderTransitions: 2, acquireTime, renewTime: acquireTime,
 * };
 * recordToLeaseSpec(record).leaseTransitions; // 2
 * ```
 */
export function recordToLeaseSpec(record: LeaderElectionRecord): LeaseSpec {
  return {
    holderIdentity: record.holderIdentity,
    leaseDurationSeconds: record.leaseDurationSeconds,
    ...(record.acquireTime === undefined ? {} : { acquireTime: record.acquireTime }),
    ...(record.renewTime === undefined ? {} : { renewTime: record.renewTime }),
    leaseTransitions: record.leaderTransitions,
    ...(record.strategy === undefined ? {} : { strategy: record.strategy }),
    ...(record.preferredHolder === undefined ? {} : { preferredHolder: record.preferredHolder }),
  };
}

/**
 * The text by which two readings of the lock are compared. Times count in whole seconds, as in
 * client-go, so candidates of both kinds agree on what a change is.
 */
export function rawRecord(record: LeaderElectionRecord): string {
  return JSON.stringify([
    record.holderIdentity,
    record.leaseDurationSeconds,
    wholeSeconds(record.acquireTime),
    wholeSeconds(record.renewTime),
    record.leaderTransitions,
    record.strategy ?? '',
    record.preferredHolder ?? '',
  ]);
}

function wholeSeconds(time: string | undefined): number | string | null {
  if (time === undefined) return null;
  const epochMs = Date.parse(time);
  return Number.isNaN(epochMs) ? time : Math.floor(epochMs / 1000);
}
