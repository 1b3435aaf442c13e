import type { Zone } from './zone.ts';

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const dayNames = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
];

/** What a clock and a calendar show at a moment. Months count from 1. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** From 0 for Sunday. */
  readonly weekday: number;
  /** From 1. */
  readonly yearDay: number;
  readonly offsetSeconds: number;
  readonly abbreviation: string;
}

const billion = 1_000_000_000n;

export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function daysInMonth(month: number, year: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Days since 1970-01-01 of a date; the months and days may be out of range. */
function daysFromCivil(year: number, month: number, day: number): number {
  const years = year + Math.floor((month - 1) / 12);
  const rest = ((((month - 1) % 12) + 12) % 12) + 1;
  const shifted = rest <= 2 ? years - 1 : years;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (rest + (rest > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468
  );
}

/** What clocks of a zone show at a moment in nanoseconds since 1970. */
export function civilTime(unixNanoseconds: bigint, zone: Zone): CivilTime {
  const seconds = Number(floorDivide(unixNanoseconds, billion));
  const nanosecond = Number(unixNanoseconds - BigInt(seconds) * billion);
  const { offsetSeconds, abbreviation } = zone.at(seconds);
  const local = seconds + offsetSeconds;
  const days = Math.floor(local / 86_400);
  const ofDay = local - days * 86_400;
  const { year, month, day } = civilFromDays(days);
  return {
    year,
    month,
    day,
    hour: Math.floor(ofDay / 3600),
    minute: Math.floor(ofDay / 60) % 60,
    second: ofDay % 60,
    nanosecond,
    weekday: (((days + 4) % 7) + 7) % 7,
    yearDay: days - daysFromCivil(year, 1, 1) + 1,
    offsetSeconds,
    abbreviation,
  };
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) /
      365,
  );
  const ofYear =
    ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9);
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** The moment at which clocks of a zone show that. */
export function unixNanosecondsOf(
  date: {
    readonly year: number;
    readonly month: number;
    readonly day: number;
    readonly hour: number;
    readonly minute: number;
    readonly second: number;
    readonly nanosecond: number;
  },
  zone: Zone,
): bigint {
  const days = daysFromCivil(date.year, date.month, date.day);
  const local = days * 86_400 + date.hour * 3600 + date.minute * 60 + date.second;
  // The offset is that of the moment, which depends on the offset: two looks settle it.
  let offset = zone.at(local).offsetSeconds;
  if (offset !== 0) offset = zone.at(local - offset).offsetSeconds;
  return BigInt(local - offset) * billion + BigInt(date.nanosecond);
}
