type ParsedTime =
  | { readonly kind: 'time'; readonly text: string; readonly ms: number }
  | { readonly kind: 'problem'; readonly message: string };

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads an RFC 3339 time and prints it as the API does: in UTC, to the second, or to the
 * microsecond for the types that have them (which then are required).
 */
export function parseTime(text: string, hasMicros: boolean): ParsedTime {
  const layout = hasMicros ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00';
  const match = rfc3339.exec(text);
  if (match === null) {
    return {
      kind: 'problem',
      message: `parsing time "${text}" as "${layout}": cannot parse "${text}" as "2006"`,
    };
  }
  const fraction = match[7] ?? '';
  if (hasMicros && fraction.length !== 7) {
    const rest = `${fraction}${match[8] ?? ''}`;
    return {
      kind: 'problem',
      message: `parsing time "${text}" as "${layout}": cannot parse "${rest}" as ".000000"`,
    };
  }
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) {
    return {
      kind: 'problem',
      message: `parsing time "${text}" as "${layout}": day out of range`,
    };
  }
  const seconds = new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19);
  return { kind: 'time', ms, text: `${seconds}${hasMicros ? fraction : ''}Z` };
}

/** A moment as `metadata.creationTimestamp` prints it. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
