import { trimEndOf } from '../trim.ts';

const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:([Tt])(\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d{1,9})?(Z|[-+]\d{2}:\d{2}))|(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d{1,9})?))?$/;

/**
 * The RFC 3339 text of what YAML takes for a timestamp; undefined when the text is none, as is a
 * date that the calendar does not have.
 */
export function parseTimestamp(text: string): string | undefined {
  const match = timestamp.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, separator] = match;
  const hasZone = separator !== undefined;
  const hour = Number(hasZone ? match[5] : (match[10] ?? 0));
  const minute = Number(hasZone ? match[6] : (match[11] ?? 0));
  const second = Number(hasZone ? match[7] : (match[12] ?? 0));
  const fraction = (hasZone ? match[8] : match[13]) ?? '';
  const zone = match[9] ?? 'Z';
  if (hour > 23 || minute > 59 || second > 59 || !isDate(year!, month!, day!)) return undefined;
  if (zone !== 'Z' && (Number(zone.slice(1, 3)) > 24 || Number(zone.slice(4)) > 59)) {
    return undefined;
  }
  const pad = (value: string | number): string => String(value).padStart(2, '0');
  const trimmed = trimEndOf(fraction, '0').replace(/^\.$/, '');
  const zoneText = zone === '+00:00' || zone === '-00:00' ? 'Z' : zone;
  const date = `${year}-${pad(month!)}-${pad(day!)}`;
  return `${date}T${pad(hour)}:${pad(minute)}:${pad(second)}${trimmed}${zoneText}`;
}

function isDate(year: string, month: string, day: string): boolean {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (m < 1 || m > 12 || d < 1) return false;
  const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return d <= days[m - 1]!;
}
