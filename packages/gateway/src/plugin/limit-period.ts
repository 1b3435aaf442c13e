/** The periods that limits are counted in, shortest first. */
export const limitPeriods = ['second', 'minute', 'hour', 'day', 'month', 'year'] as const;

export type LimitPeriod = (typeof limitPeriods)[number];

const fixedLengths: Readonly<Partial<Record<LimitPeriod, number>>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** When the period that a moment lies in began and ends, in milliseconds since the epoch (UTC). */
export function periodBounds(period: LimitPeriod, now: number): { start: number; end: number } {
  const length = fixedLengths[period];
  if (length !== undefined) {
    const start = Math.floor(now / length) * length;
    return { start, end: start + length };
  }
  const date = new Date(now);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return period === 'month'
    ? { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
    : { start: Date.UTC(year, 0), end: Date.UTC(year + 1, 0) };
}
