import type { HistoryEntry } from '../api/kustomization-object.ts';

const maxEntries = 5;

export interface HistoryRecord {
  readonly digest: string;
  readonly status: string;
  /** RFC 3339, in seconds. */
  readonly time: string;
  /** As Go prints it. */
  readonly duration: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * The history with one more outcome: an entry for each digest and status, the latest first.
 *
 * ```ts
 * const record = { digest: 'sha256:1', status: 'ReconciliationSucceeded', time: '2026-01-01T00:00:00Z', duration: '2s' };
 * withOutcome(withOutcome([], record), record).map(({ totalReconciliations }) => totalReconciliations); // [2]
 * ```
 */
export function withOutcome(
  history: readonly HistoryEntry[],
  record: HistoryRecord,
): HistoryEntry[] {
  const known = history.find(
    (one) => one.digest === record.digest && one.lastReconciledStatus === record.status,
  );
  const entry: HistoryEntry = {
    digest: record.digest,
    firstReconciled: known?.firstReconciled ?? record.time,
    lastReconciled: record.time,
    lastReconciledDuration: record.duration,
    lastReconciledStatus: record.status,
    totalReconciliations: (known?.totalReconciliations ?? 0) + 1,
    ...(record.metadata === undefined ? {} : { metadata: { ...record.metadata } }),
  };
  return [entry, ...history.filter((one) => one !== known)].slice(0, maxEntries);
}
