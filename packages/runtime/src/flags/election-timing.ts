import type { FlagReader } from './flag-reader.ts';

/** How long a Lease holds and how it is kept, in milliseconds. */
export interface ElectionTiming {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/**
 * Reads how a Lease is kept from the three flags that Flux' controllers have for it. What could not
 * work becomes a problem of the reader: an election would refuse it only later, and in other words.
 *
 * ```ts
 * const table: ControllerFlag[] = [
 *   { name: 'leader-election-lease-duration', type: 'duration', default: '15s', summary: 'how long' },
 * ];
 * const flags = new FlagReader(table, { 'leader-election-lease-duration': '20s' }, { environment: {} });
 * const usual = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
 * const timing = electionTiming(flags, usual);
 * ```
 */
export function electionTiming(flags: FlagReader, usual: ElectionTiming): ElectionTiming {
  const said = (name: string) => flags.positiveDuration(`leader-election-${name}`);
  const leaseDurationMs = said('lease-duration') ?? usual.leaseDurationMs;
  const renewDeadlineMs = said('renew-deadline') ?? usual.renewDeadlineMs;
  const retryPeriodMs = said('retry-period') ?? usual.retryPeriodMs;
  if (leaseDurationMs < 1_000)
    flags.problems.push(
      '--leader-election-lease-duration must be 1s or more: Leases count seconds',
    );
  if (leaseDurationMs <= renewDeadlineMs)
    flags.problems.push(
      '--leader-election-lease-duration must be longer than --leader-election-renew-deadline',
    );
  if (renewDeadlineMs <= retryPeriodMs * 1.2)
    flags.problems.push(
      '--leader-election-renew-deadline must be more than 1.2 times --leader-election-retry-period',
    );
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}
