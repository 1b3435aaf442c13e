import type { Lease } from '@waygate/schema';

/** Clocks differ: what should have been renewed a moment ago may have been. */
const toleranceMs = 5_000;

/** Whether somebody holds a Lease and goes on renewing it. */
export function isHeld({ spec }: Lease, now: number): boolean {
  const { holderIdentity = '', renewTime, leaseDurationSeconds = 15 } = spec ?? {};
  if (holderIdentity === '' || renewTime === undefined) return false;
  return Date.parse(String(renewTime)) + leaseDurationSeconds * 1000 + toleranceMs > now;
}
