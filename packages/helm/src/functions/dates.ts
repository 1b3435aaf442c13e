import { any, type FunctionTable, fn, of, str } from '../go/define.ts';
import { parseGoDuration } from '../go/duration.ts';
import { GoError } from '../go/function.ts';
import { nearestGoInt } from '../go/parse-number.ts';
import { GoTime, goDuration, roundDuration, shifted, timeType, zeroTime } from '../go/time.ts';
import { parseTime } from '../go/time-parse.ts';
import { GoInt, type GoValue } from '../go/value.ts';
import { utc, type Zone, zoneNamed } from '../go/zone.ts';
import type { FunctionOptions } from './function-options.ts';

const second = 1_000_000_000n;

/** Sprig's dates. The clock and the local zone are those of the options. */
export function dateFunctions({ now, timeZone }: FunctionOptions): FunctionTable {
  let known: Zone | undefined;
  const local = (): Zone => {
    known ??= zoneNamed(typeof timeZone === 'string' ? timeZone : timeZone()) ?? utc;
    return known;
  };
  const today = (): GoTime => new GoTime(BigInt(now.getTime()) * 1_000_000n, local());
  const timeOf = (value: GoValue, kinds: readonly string[]): GoTime => {
    if (value instanceof GoTime) return value;
    if (value instanceof GoInt && kinds.includes(value.type.name)) {
      return new GoTime(value.value * second, local());
    }
    return today();
  };
  const zone = (name: string): Zone => (name === 'Local' ? local() : (zoneNamed(name) ?? utc));
  const inZone = (layout: string, value: GoValue, name: string): string =>
    timeOf(value, ['int64', 'int', 'int32']).in(zone(name)).format(layout);
  const dateInZone = fn([str, any, str], (_, layout, value, name) => inZone(layout, value, name));
  const modify = fn([str, of<GoTime>(timeType)], (_, text, time) => {
    try {
      return shifted(time, parseGoDuration(text));
    } catch (error) {
      if (error instanceof GoError) return time;
      throw error;
    }
  });
  const mustModify = fn([str, of<GoTime>(timeType)], (_, text, time) =>
    shifted(time, parseGoDuration(text)),
  );
  const read = (layout: string, text: string): GoTime => {
    const { unixNanoseconds, zone: shown } = parseTime(layout, text, local());
    return new GoTime(unixNanoseconds, shown);
  };
  return {
    now: fn([], today),
    date: fn([str, any], (_, layout, value) => inZone(layout, value, 'Local')),
    dateInZone,
    date_in_zone: dateInZone,
    htmlDate: fn([any], (_, value) => inZone('2006-01-02', value, 'Local')),
    htmlDateInZone: fn([any, str], (_, value, name) => inZone('2006-01-02', value, name)),
    dateModify: modify,
    date_modify: modify,
    mustDateModify: mustModify,
    must_date_modify: mustModify,
    ago: fn([any], (_, value) => {
      const past = today().unixNanoseconds - timeOf(value, ['int64', 'int']).unixNanoseconds;
      return textOfDuration(roundDuration(past, second));
    }),
    duration: fn([any], (_, value) => textOfDuration(secondsOf(value) * second)),
    durationRound: fn([any], (_, value) => largestUnit(nanosecondsOf(value, today()))),
    toDate: fn([str, str], (_, layout, text) => {
      try {
        return read(layout, text);
      } catch (error) {
        if (error instanceof GoError) return zeroTime;
        throw error;
      }
    }),
    mustToDate: fn([str, str], (_, layout, text) => read(layout, text)),
    unixEpoch: fn([of<GoTime>(timeType)], (_, time) => String(time.unixSeconds)),
  };
}

function textOfDuration(nanoseconds: bigint): string {
  const duration = goDuration(nanoseconds);
  return duration.type.text!(duration);
}

function secondsOf(value: GoValue): bigint {
  if (typeof value === 'string') return nearestGoInt(value);
  return value instanceof GoInt && value.type.name === 'int64' ? value.value : 0n;
}

function nanosecondsOf(value: GoValue, now: GoTime): bigint {
  if (typeof value === 'string') {
    try {
      return parseGoDuration(value);
    } catch (error) {
      if (error instanceof GoError) return 0n;
      throw error;
    }
  }
  if (value instanceof GoTime) return now.unixNanoseconds - value.unixNanoseconds;
  return value instanceof GoInt && value.type.name === 'int64' ? value.value : 0n;
}

const hour = 3600n * second;
const units: readonly (readonly [bigint, string])[] = [
  [hour * 24n * 365n, 'y'],
  [hour * 24n * 30n, 'mo'],
  [hour * 24n, 'd'],
  [hour, 'h'],
  [60n * second, 'm'],
  [second, 's'],
];

function largestUnit(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  for (const [unit, name] of units) if (size > unit) return `${size / unit}${name}`;
  return '0s';
}
