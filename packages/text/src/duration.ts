import { TextError } from './error.ts';

const nanosecondsOf: Record<string, bigint | undefined> = {
  __proto__: null as never,
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const maxInt64 = (1n << 63n) - 1n;

/**
 * A Go duration (`1h30m`, `1.5s`, `-250ms`) in nanoseconds, exact.
 *
 * ```ts
 * parseDurationNanoseconds('1.5us'); // 1_500n
 * ```
 *
 * @throws TextError `WG_TEXT_DURATION`
 */
export function parseDurationNanoseconds(text: string): bigint {
  const problem = () =>
    new TextError(
      'WG_TEXT_DURATION',
      `invalid duration "${text.slice(0, 80)}": expected a form such as 300ms, 1.5h or 2h45m`,
    );
  if (text.length > 256) throw problem();
  const negative = text[0] === '-';
  let rest = negative || text[0] === '+' ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw problem();
  let total = 0n;
  while (rest !== '') {
    const part = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (part === null || ((part[1] ?? '') === '' && (part[2] ?? '') === '')) throw problem();
    const unit = nanosecondsOf[part[3] as string] as bigint;
    total += BigInt(part[1] || '0') * unit;
    // Digits beyond a nanosecond of an hour are dropped, as Go drops them.
    const fraction = (part[2] ?? '').slice(0, 24);
    if (fraction !== '') total += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
    rest = rest.slice(part[0].length);
  }
  if (total > maxInt64 + (negative ? 1n : 0n)) throw problem();
  return negative ? -total : total;
}

/**
 * A Go duration in milliseconds, with a fraction for what is below.
 *
 * ```ts
 * parseDuration('1h30m'); // 5_400_000
 * parseDuration('250ms'); // 250
 * ```
 */
export function parseDuration(text: string): number {
  return Number(parseDurationNanoseconds(text)) / 1e6;
}

/**
 * Prints as Go does: `1h0m0s`, `1.5s`, `100ms`, `0s`.
 *
 * ```ts
 * formatDurationNanoseconds(1_500n); // '1.5µs'
 * ```
 */
export function formatDurationNanoseconds(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const value = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (value < 1_000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 1_000n)}µs`;
  if (value < 1_000_000_000n) return `${sign}${decimal(value, 1_000_000n)}ms`;
  const minutes = value / 60_000_000_000n;
  const seconds = decimal(value % 60_000_000_000n, 1_000_000_000n);
  if (minutes === 0n) return `${sign}${seconds}s`;
  const hours = minutes / 60n;
  if (hours === 0n) return `${sign}${minutes}m${seconds}s`;
  return `${sign}${hours}h${minutes % 60n}m${seconds}s`;
}

/**
 * A duration as Go prints it: `1h30m0s`, `1.5s`, `250ms`.
 *
 * ```ts
 * formatDuration(5_400_000); // '1h30m0s'
 * ```
 */
export function formatDuration(milliseconds: number): string {
  return formatDurationNanoseconds(BigInt(Math.round(milliseconds * 1e6)));
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit).toString().padStart(unit.toString().length - 1, '0');
  const trimmed = fraction.replace(/0+$/, '');
  return trimmed === '' ? `${value / unit}` : `${value / unit}.${trimmed}`;
}
