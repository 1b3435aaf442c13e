import { expect, test } from 'vitest';
import { checkLeaderElectorOptions } from './leader-election-options.ts';
import type { ResourceLock } from './lease-lock.ts';

const good = {
  lock: { identity: 'me' } as ResourceLock,
  callbacks: { onStartedLeading: async () => {}, onStoppedLeading: () => {} },
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};
type Options = Parameters<typeof checkLeaderElectorOptions>[0];

test.each<[string, Partial<Options>]>([
  ['the usual ones', {}],
  ['a lease of a second', { leaseDurationMs: 1_000, renewDeadlineMs: 999, retryPeriodMs: 1 }],
  ['a deadline just after the longest pause', { renewDeadlineMs: 2_401 }],
])('an election works with %s', (_, more) => {
  expect(() => checkLeaderElectorOptions({ ...good, ...more })).not.toThrow();
});

test.each<[string, Partial<Options>]>([
  ['durations must be finite numbers of milliseconds', { leaseDurationMs: Number.NaN }],
  [
    'durations must be finite numbers of milliseconds',
    { leaseDurationMs: Number.POSITIVE_INFINITY },
  ],
  ['durations must be finite numbers of milliseconds', { retryPeriodMs: Number.NaN }],
  ['leaseDuration must be greater than renewDeadline', { leaseDurationMs: 10_000 }],
  ['renewDeadline must be greater than retryPeriod*JitterFactor', { renewDeadlineMs: 2_400 }],
  [
    'leaseDuration must be greater than zero',
    { leaseDurationMs: 0, renewDeadlineMs: -1, retryPeriodMs: -2 },
  ],
  ['renewDeadline must be greater than zero', { renewDeadlineMs: 0, retryPeriodMs: -1 }],
  ['retryPeriod must be greater than zero', { retryPeriodMs: 0 }],
  [
    'leaseDuration must be at least one second',
    { leaseDurationMs: 999, renewDeadlineMs: 500, retryPeriodMs: 1 },
  ],
  ['OnStartedLeading callback must not be nil', { callbacks: undefined }],
  ['OnStartedLeading callback must not be nil', { callbacks: { onStoppedLeading: () => {} } }],
  [
    'OnStoppedLeading callback must not be nil',
    { callbacks: { onStartedLeading: async () => {} } },
  ],
  ['Lock must not be nil', { lock: undefined }],
  ['Lock identity is empty', { lock: { identity: '' } as ResourceLock }],
])('%s', (message, more) => {
  expect(() => checkLeaderElectorOptions({ ...good, ...more })).toThrow(
    expect.objectContaining({ code: 'WG_RUNTIME_CONFIG', message }),
  );
});
