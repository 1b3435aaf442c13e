import type { LeaderElectorOptions } from '../election/leader-election-options.ts';

/** How quickly an election goes. */
export type LeaderTiming = Required<
  Pick<LeaderElectorOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>
>;
