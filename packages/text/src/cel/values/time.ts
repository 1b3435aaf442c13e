import { maxInt, minInt, plainDecimal } from './number.ts';
import { CelDuration, CelFailure, CelTimestamp } from './value.ts';

const second = 1_000_000_000n;
/** The first moment of the year 1, and the last of the year 9999, in seconds. */
const minSeconds = -62_135_596_800n;
const maxSeconds = 253_402_300_799n;

export function timestampOrOverflow(nanoseconds: bigint, offset = 0): CelTimestamp | CelFailure {
  const seconds = floorDivide(nanoseconds, second);
  return seconds < minSeconds || seconds > maxSeconds
    ? new CelFailure('timestamp overflow')
    : new CelTimestamp(nanoseconds, offset);
}

export function durationOrOverflow(nanoseconds: bigint): CelDuration | CelFailure {
  return nanoseconds < minInt || nanoseconds > maxInt
    ? new CelFailure('integer overflow')
    : new CelDuration(nanoseconds);
}

export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:(Z)|([+-])(\d\d):(\d\d))$/;

/** Reads a moment as RFC 3339 writes it; undefined when it is none. */
export function parseTimestamp(text: string): CelTimestamp | CelFailure | undefined {
  const found = rfc3339.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, seconds, fraction = '', , sign, offHour, offMinute] =
    found;
  const date = dateOf(Number(year), Number(month), Number(day));
  if (date === undefined) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(seconds) > 59) return undefined;
  if (Number(offHour ?? 0) > 24 || Number(offMinute ?? 0) > 60) return undefined;
  const offset = (Number(offHour ?? 0) * 60 + Number(offMinute ?? 0)) * (sign === '-' ? -60 : 60);
  const inDay = Number(hour) * 3600 + Number(minute) * 60 + Number(seconds) - offset;
  const nanoseconds = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return timestampOrOverflow((BigInt(date) + BigInt(inDay)) * second + nanoseconds, offset);
}

/** The seconds since 1970 of a day that exists. */
export function dateOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1) return undefined;
  return date.getUTCDate() === day ? date.getTime() / 1000 : undefined;
}

/** As RFC 3339 writes it, in the zone that it came in. */
export function showTimestamp({ nanoseconds, offset }: CelTimestamp): string {
  const seconds = floorDivide(nanoseconds, second);
  const date = new Date((Number(seconds) + offset) * 1000);
  const fraction = String(nanoseconds - seconds * second)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const year = String(date.getUTCFullYear()).padStart(4, '0');
  const rest = date.toISOString().slice(-20, -5);
  return `${year}${rest}${fraction === '' ? '' : `.${fraction}`}${showOffset(offset)}`;
}

function showOffset(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset) / 60;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** Seconds with a fraction, as Go prints the nearest double. */
export function showDuration({ nanoseconds }: CelDuration): string {
  return `${showSeconds(nanoseconds)}s`;
}

function showSeconds(nanoseconds: bigint): string {
  const whole = nanoseconds / second;
  const value = Number(whole) + Number(nanoseconds % second) / 1e9;
  if (value === 0) return '0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  return plainDecimal(mantissa, Number(exponent));
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
};

/** Reads a duration as Go does: `1h2m3.5s`; undefined when it is none. */
export function parseGoDuration(text: string): bigint | undefined {
  const found = /^([+-]?)(.+)$/.exec(text);
  if (found === null) return undefined;
  const [, sign, rest = ''] = found;
  if (rest === '0') return 0n;
  let total = 0n;
  let last = 0;
  for (const part of rest.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/gy)) {
    const [all, whole = '', fraction = '', unit = ''] = part;
    if (whole === '' && fraction === '') return undefined;
    const size = units[unit] as bigint;
    total += BigInt(whole === '' ? 0 : whole) * size;
    if (fraction !== '') total += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
    if (total > maxInt + 1n) return undefined;
    last = part.index + all.length;
  }
  if (last !== rest.length) return undefined;
  const value = sign === '-' ? -total : total;
  return value > maxInt ? undefined : value;
}

/** The parts of a moment in a time zone. */
export interface TimeParts {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  readonly weekday: number;
  readonly dayOfYear: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** The parts of a moment in a zone: a name, or an offset such as `+02:00`. */
export function partsOf({ nanoseconds }: CelTimestamp, zone = 'UTC'): TimeParts | CelFailure {
  const seconds = floorDivide(nanoseconds, second);
  const offset = offsetOf(Number(seconds), zone);
  if (offset instanceof CelFailure) return offset;
  const date = new Date((Number(seconds) + offset) * 1000);
  const year = date.getUTCFullYear();
  const newYear = new Date(0);
  newYear.setUTCFullYear(year, 0, 1);
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    dayOfYear: Math.floor((date.getTime() - newYear.getTime()) / 86_400_000),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    milliseconds: Number((nanoseconds - seconds * second) / 1_000_000n),
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsetOf(seconds: number, zone: string): number | CelFailure {
  if (zone === 'UTC' || zone === '') return 0;
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed !== null) {
    const [, sign, hours, minutes] = fixed;
    return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60);
  }
  try {
    let format = formats.get(zone);
    if (format === undefined) {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        timeZoneName: 'longOffset',
        era: 'short',
      });
      if (formats.size < 1000) formats.set(zone, format);
    }
    const name = format
      .formatToParts(seconds * 1000)
      .find(({ type }) => type === 'timeZoneName')?.value;
    const [, sign, hours = '0', minutes = '0', rest = '0'] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name ?? '') ?? [];
    return (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)) * (sign === '-' ? -1 : 1);
  } catch {
    return new CelFailure(`unknown time zone ${zone}`);
  }
}
