/**
 * How long ago a moment was, in the short form of kubectl.
 *
 * ```ts
 * ageText('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:03:20Z')); // '3m20s'
 * ```
 */
export function ageText(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<invalid>' : humanDuration(now - then);
}

/**
 * `45s`, `3m20s`, `5h`, `2d3h`: at most two units, fewer as it grows.
 *
 * ```ts
 * humanDuration(200_000); // '3m20s'
 * ```
 */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return withRest(Math.floor(hours / 24), 'd', hours % 24, 'h');
  const days = Math.floor(hours / 24);
  if (days < 730) return `${days}d`;
  if (days < 8 * 365) return withRest(Math.floor(days / 365), 'y', days % 365, 'd');
  return `${Math.floor(days / 365)}y`;
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}
