/** One write of our renewTime. */
export interface Renewal {
  readonly timeMs: number;
  /** Monotonic; when it was sent. */
  readonly sentAtMs: number;
  /** Monotonic; when the first write was sent that shows the same whole second. */
  readonly countsFromMs: number;
}

/**
 * Others see a renewal only by its renewTime, in whole seconds. A write that shows the same second as
 * one before may look like none, so the lease then counts from the earlier one. After the wall clock
 * was set back, the renewTime goes on at half speed until the wall clock has caught up: it never
 * shows again what may have been read before.
 */
export function nextRenewal(last: Renewal | undefined, nowMs: number, sentAtMs: number): Renewal {
  if (last === undefined) return { timeMs: nowMs, sentAtMs, countsFromMs: sentAtMs };
  const timeMs = Math.max(nowMs, last.timeMs + (sentAtMs - last.sentAtMs) / 2);
  const isSameSecond = Math.floor(timeMs / 1000) === Math.floor(last.timeMs / 1000);
  return { timeMs, sentAtMs, countsFromMs: isSameSecond ? last.countsFromMs : sentAtMs };
}
