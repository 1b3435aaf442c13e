import { RuntimeError } from '../runtime-error.ts';
import type { Clock } from '../time/clock.ts';
import type { ResourceLock } from './lease-lock.ts';

/** What is told when leading begins and ends. */
export interface LeaderCallbacks {
  /**
   * Runs while this process leads; the signal aborts when it stops leading, and the lock is given
   * back only after the returned promise settled. When it throws, the election ends with that error.
   */
  readonly onStartedLeading: (signal: AbortSignal) => void | Promise<void>;
  /** Called once, when `run` ends, also when this process never led. */
  readonly onStoppedLeading: () => void;
  /** Called for each new leader seen: the first one, oneself, and the empty one after a release. */
  readonly onNewLeader?: (identity: string) => void;
}

/** Where the election reports what client-go reports as `leader_election_*`. */
export interface LeaderElectionMetrics {
  leaderOn(name: string): void;
  leaderOff(name: string): void;
  /** A renewal had to read the lock first. */
  slowpathExercised(name: string): void;
}

/** The lock, the timing and who is told. */
export interface LeaderElectorOptions {
  readonly lock: ResourceLock;
  readonly callbacks: LeaderCallbacks;
  /** How long others wait, since the last change they saw, before they take over. 15 s. */
  readonly leaseDurationMs?: number;
  /** How long a leader tries to renew before it gives up. 10 s. */
  readonly renewDeadlineMs?: number;
  /** The pause between tries. 2 s. */
  readonly retryPeriodMs?: number;
  /** Gives the lock back when the signal aborts, so that the next leader need not wait. */
  readonly releaseOnCancel?: boolean;
  /** Names the election in metrics and health checks; the lock's own name when absent. */
  readonly name?: string;
  readonly clock?: Clock;
  /** In [0, 1): spreads the candidates' tries. */
  readonly random?: () => number;
  readonly metrics?: LeaderElectionMetrics;
  /** Told what went wrong in a try that will be repeated, and what a callback threw. */
  readonly onError?: (error: unknown) => void;
}

export const defaultLeaseDurationMs = 15_000;
export const defaultRenewDeadlineMs = 10_000;
export const defaultRetryPeriodMs = 2_000;
/** Candidates wait `retryPeriod * (1 .. 1 + jitterFactor)` between tries. */
export const jitterFactor = 1.2;

/** Throws on options with which an election could not work, in the order in which client-go checks. */
export function checkLeaderElectorOptions(options: {
  readonly lock: ResourceLock | undefined;
  readonly callbacks: Partial<LeaderCallbacks> | undefined;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, callbacks, lock } = options;
  for (const ms of [leaseDurationMs, renewDeadlineMs, retryPeriodMs])
    if (!Number.isFinite(ms)) throw refused('durations must be finite numbers of milliseconds');
  if (leaseDurationMs <= renewDeadlineMs)
    throw refused('leaseDuration must be greater than renewDeadline');
  if (renewDeadlineMs <= retryPeriodMs * jitterFactor)
    throw refused('renewDeadline must be greater than retryPeriod*JitterFactor');
  if (leaseDurationMs <= 0) throw refused('leaseDuration must be greater than zero');
  if (renewDeadlineMs <= 0) throw refused('renewDeadline must be greater than zero');
  if (retryPeriodMs <= 0) throw refused('retryPeriod must be greater than zero');
  // The record has no unit below the second: a shorter lease would be written as zero.
  if (leaseDurationMs < 1000) throw refused('leaseDuration must be at least one second');
  if (callbacks?.onStartedLeading === undefined)
    throw refused('OnStartedLeading callback must not be nil');
  if (callbacks.onStoppedLeading === undefined)
    throw refused('OnStoppedLeading callback must not be nil');
  if (lock === undefined) throw refused('Lock must not be nil');
  if (lock.identity === '') throw refused('Lock identity is empty');
}

function refused(message: string): RuntimeError {
  return new RuntimeError('WG_RUNTIME_CONFIG', message);
}
