import { type CivilTime, dayNames, monthNames } from './calendar.ts';

/** A part of a layout: text as it stands, or what a time is to show. */
type LayoutPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: LayoutField; readonly text: string };

export type LayoutField =
  | 'longMonth'
  | 'month'
  | 'numMonth'
  | 'zeroMonth'
  | 'longWeekday'
  | 'weekday'
  | 'day'
  | 'underDay'
  | 'zeroDay'
  | 'underYearDay'
  | 'zeroYearDay'
  | 'hour'
  | 'hour12'
  | 'zeroHour12'
  | 'minute'
  | 'zeroMinute'
  | 'second'
  | 'zeroSecond'
  | 'longYear'
  | 'year'
  | 'pm'
  | 'lowerPm'
  | 'zoneName'
  | 'zone'
  | 'fraction';

const fields: readonly (readonly [RegExp, LayoutField])[] = [
  [/January/y, 'longMonth'],
  [/Jan(?![a-z])/y, 'month'],
  [/Monday/y, 'longWeekday'],
  [/Mon(?![a-z])/y, 'weekday'],
  [/MST/y, 'zoneName'],
  [/01/y, 'zeroMonth'],
  [/02/y, 'zeroDay'],
  [/03/y, 'zeroHour12'],
  [/04/y, 'zeroMinute'],
  [/05/y, 'zeroSecond'],
  [/06/y, 'year'],
  [/002/y, 'zeroYearDay'],
  [/15/y, 'hour'],
  [/1/y, 'numMonth'],
  [/2006/y, 'longYear'],
  [/2/y, 'day'],
  [/_2(?!006)/y, 'underDay'],
  [/__2/y, 'underYearDay'],
  [/3/y, 'hour12'],
  [/4/y, 'minute'],
  [/5/y, 'second'],
  [/PM/y, 'pm'],
  [/pm/y, 'lowerPm'],
  [/-070000|-07:00:00|-0700|-07:00|-07|Z070000|Z07:00:00|Z0700|Z07:00|Z07/y, 'zone'],
  [/[.,](0+|9+)(?![0-9])/y, 'fraction'],
];

/** Cuts a layout such as `2006-01-02T15:04:05Z07:00` into its parts. */
export function readLayout(layout: string): LayoutPart[] {
  const parts: LayoutPart[] = [];
  let text = '';
  for (let at = 0; at < layout.length; ) {
    const field = fieldAt(layout, at);
    if (field === undefined) {
      text += layout[at++];
      continue;
    }
    if (text !== '') parts.push({ kind: 'text', text });
    text = '';
    parts.push(field);
    at += field.text.length;
  }
  if (text !== '') parts.push({ kind: 'text', text });
  return parts;
}

function fieldAt(layout: string, at: number): LayoutPart | undefined {
  for (const [pattern, kind] of fields) {
    pattern.lastIndex = at;
    const text = pattern.exec(layout)?.[0];
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}

/** A time by a layout, as Go's `Time.Format`. */
export function formatTime(time: CivilTime, layout: string): string {
  return readLayout(layout)
    .map((part) => (part.kind === 'text' ? part.text : show(time, part.kind, part.text)))
    .join('');
}

function show(time: CivilTime, field: LayoutField, text: string): string {
  switch (field) {
    case 'longMonth':
      return monthNames[time.month - 1]!;
    case 'month':
      return monthNames[time.month - 1]!.slice(0, 3);
    case 'numMonth':
      return String(time.month);
    case 'zeroMonth':
      return two(time.month);
    case 'longWeekday':
      return dayNames[time.weekday]!;
    case 'weekday':
      return dayNames[time.weekday]!.slice(0, 3);
    case 'day':
      return String(time.day);
    case 'underDay':
      return String(time.day).padStart(2);
    case 'zeroDay':
      return two(time.day);
    case 'underYearDay':
      return String(time.yearDay).padStart(3);
    case 'zeroYearDay':
      return String(time.yearDay).padStart(3, '0');
    case 'hour':
      return two(time.hour);
    case 'hour12':
      return String(time.hour % 12 || 12);
    case 'zeroHour12':
      return two(time.hour % 12 || 12);
    case 'minute':
      return String(time.minute);
    case 'zeroMinute':
      return two(time.minute);
    case 'second':
      return String(time.second);
    case 'zeroSecond':
      return two(time.second);
    case 'longYear':
      return time.year < 0
        ? `-${String(-time.year).padStart(4, '0')}`
        : String(time.year).padStart(4, '0');
    case 'year':
      return two(Math.abs(time.year) % 100);
    case 'pm':
      return time.hour >= 12 ? 'PM' : 'AM';
    case 'lowerPm':
      return time.hour >= 12 ? 'pm' : 'am';
    case 'zoneName':
      return time.abbreviation;
    case 'zone':
      return showOffset(time.offsetSeconds, text);
    case 'fraction':
      return showFraction(time.nanosecond, text);
  }
}

function showOffset(seconds: number, text: string): string {
  if (text[0] === 'Z' && seconds === 0) return 'Z';
  const size = Math.abs(seconds);
  const colon = text.includes(':') ? ':' : '';
  const short = text.slice(1) === '07';
  const hasSeconds = text.replaceAll(':', '').length === 7;
  return (
    (seconds < 0 ? '-' : '+') +
    two(Math.floor(size / 3600)) +
    (short ? '' : colon + two(Math.floor(size / 60) % 60)) +
    (hasSeconds ? colon + two(size % 60) : '')
  );
}

function showFraction(nanosecond: number, text: string): string {
  const digits = String(nanosecond)
    .padStart(9, '0')
    .slice(0, text.length - 1)
    .padEnd(text.length - 1, '0');
  if (text[1] === '0') return text[0] + digits;
  const trimmed = digits.replace(/0+$/, '');
  return trimmed === '' ? '' : text[0] + trimmed;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
