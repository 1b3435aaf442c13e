/** Handlers cannot ask to be told everything more often than this. */
export const minimumResyncPeriodMs = 1_000;

/** When one handler is due to be told everything again. */
export class ResyncSchedule {
  readonly requestedPeriodMs: number;
  #periodMs: number;
  #nextMs: number;

  constructor(requestedPeriodMs: number, checkPeriodMs: number, nowMs: number) {
    this.requestedPeriodMs = requestedPeriodMs;
    this.#periodMs = effectivePeriodMs(requestedPeriodMs, checkPeriodMs);
    this.#nextMs = nowMs + this.#periodMs;
  }

  /** The period that holds: 0 for never. */
  get resyncPeriodMs(): number {
    return this.#periodMs;
  }

  /** The informer now looks at another pace. */
  checkPeriodChanged(checkPeriodMs: number): void {
    this.#periodMs = effectivePeriodMs(this.requestedPeriodMs, checkPeriodMs);
  }

  shouldResync(nowMs: number): boolean {
    return this.#periodMs > 0 && nowMs >= this.#nextMs;
  }

  resynced(nowMs: number): void {
    this.#nextMs = nowMs + this.#periodMs;
  }
}

/** Nobody is resynced more often than the informer looks, or at all if it never does. */
function effectivePeriodMs(requestedMs: number, checkMs: number): number {
  if (requestedMs === 0 || checkMs === 0) return 0;
  return Math.max(requestedMs, checkMs);
}
