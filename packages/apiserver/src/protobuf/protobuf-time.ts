/** A point in time as protobuf has it; the empty message is no time at all. */
interface Timestamp {
  readonly seconds?: unknown;
  readonly nanos?: unknown;
}

/** Seconds only, as the API prints times; null for none. */
export function formatTime(time: Timestamp): string | null {
  const date = dateOf(time);
  return date === undefined ? null : `${date.slice(0, 19)}Z`;
}

/** With six digits behind the point. */
export function formatMicroTime(time: Timestamp): string | null {
  const date = dateOf(time);
  if (date === undefined) return null;
  const micros = Math.floor(Number(time.nanos ?? 0) / 1000);
  return `${date.slice(0, 19)}.${String(micros).padStart(6, '0')}Z`;
}

function dateOf(time: Timestamp): string | undefined {
  if (time.seconds === undefined && time.nanos === undefined) return undefined;
  const date = new Date(Number(time.seconds ?? 0) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
