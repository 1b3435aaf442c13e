import { formatDurationNanoseconds } from '@waygate/text';
import {
  type CivilTime,
  civilTime,
  dayNames,
  floorDivide,
  monthNames,
  unixNanosecondsOf,
} from './calendar.ts';
import { fn, int, of, str } from './define.ts';
import type { GoFunction } from './function.ts';
import { formatTime } from './time-layout.ts';
import { type GoType, int64Type, intType, namedType } from './type.ts';
import { GoInt, GoObject, type GoValue, goInt, goInt64 } from './value.ts';
import { utc, type Zone } from './zone.ts';

const billion = 1_000_000_000n;
const hour = 3600n * billion;
const maxDuration = (1n << 63n) - 1n;

type Methods = Map<string, (receiver: GoValue) => GoFunction>;

const durationMethods: Methods = new Map();

/** Go's time.Duration: an int64 of nanoseconds with methods. */
export const durationType: GoType = namedType('time.Duration', int64Type, {
  methods: durationMethods,
  text: (value) => formatDurationNanoseconds((value as GoInt).value),
});

/** A duration of so many nanoseconds. */
export function goDuration(nanoseconds: bigint): GoInt {
  return new GoInt(durationType, BigInt.asIntN(64, nanoseconds));
}

function nanosecondsOf(value: GoValue): bigint {
  return (value as GoInt).value;
}

function ratio(value: bigint, unit: bigint): number {
  return Number(value / unit) + Number(value % unit) / Number(unit);
}

for (const [name, unit] of [
  ['Hours', hour],
  ['Minutes', 60n * billion],
  ['Seconds', billion],
] as const) {
  durationMethods.set(name, (value) => fn([], () => ratio(nanosecondsOf(value), unit)));
}
for (const [name, unit] of [
  ['Milliseconds', 1_000_000n],
  ['Microseconds', 1_000n],
  ['Nanoseconds', 1n],
] as const) {
  durationMethods.set(name, (value) => fn([], () => goInt64(nanosecondsOf(value) / unit)));
}
durationMethods.set('String', (value) => fn([], () => durationType.text!(value)));
durationMethods.set('Abs', (value) => fn([], () => goDuration(absolute(nanosecondsOf(value)))));
durationMethods.set('Round', (value) =>
  fn([of<GoInt>(durationType)], (_, to) =>
    goDuration(roundDuration(nanosecondsOf(value), to.value)),
  ),
);
durationMethods.set('Truncate', (value) =>
  fn([of<GoInt>(durationType)], (_, to) =>
    goDuration(truncateDuration(nanosecondsOf(value), to.value)),
  ),
);

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Go's Duration.Round: half away from zero; a multiple that is not positive changes nothing. */
export function roundDuration(value: bigint, to: bigint): bigint {
  if (to <= 0n) return value;
  const rest = absolute(value) % to;
  const size = absolute(value) - rest + (rest * 2n >= to ? to : 0n);
  const rounded = value < 0n ? -size : size;
  if (rounded > maxDuration) return maxDuration;
  if (rounded < -maxDuration) return -maxDuration - 1n;
  return rounded;
}

/** Go's Duration.Truncate: toward zero. */
export function truncateDuration(value: bigint, to: bigint): bigint {
  return to <= 0n ? value : value - (value % to);
}

const monthType: GoType = namedType('time.Month', intType, {
  text: (value) =>
    monthNames[Number((value as GoInt).value) - 1] ?? `%!Month(${(value as GoInt).value})`,
});
const weekdayType: GoType = namedType('time.Weekday', intType, {
  text: (value) =>
    dayNames[Number((value as GoInt).value)] ?? `%!Weekday(${(value as GoInt).value})`,
});

const timeMethods: Methods = new Map();

/** Go's time.Time. */
export const timeType: GoType = {
  name: 'time.Time',
  kind: 'struct',
  methods: timeMethods,
  text: (value) => (value as GoTime).text(),
};

/** A moment, with the zone that it is shown in. */
export class GoTime extends GoObject {
  readonly unixNanoseconds: bigint;
  readonly zone: Zone;

  constructor(unixNanoseconds: bigint, zone: Zone) {
    super(timeType, [
      { name: 'wall', value: goInt64(unixNanoseconds) },
      { name: 'loc', value: zone.name },
    ]);
    this.unixNanoseconds = unixNanoseconds;
    this.zone = zone;
  }

  get civil(): CivilTime {
    return civilTime(this.unixNanoseconds, this.zone);
  }

  get unixSeconds(): bigint {
    return floorDivide(this.unixNanoseconds, billion);
  }

  format(layout: string): string {
    return formatTime(this.civil, layout);
  }

  in(zone: Zone): GoTime {
    return new GoTime(this.unixNanoseconds, zone);
  }

  text(): string {
    const { abbreviation } = this.civil;
    const shown = this.format('2006-01-02 15:04:05.999999999 -0700');
    // A zone without a name is shown by its offset once more.
    return `${shown} ${abbreviation === '' ? this.format('-0700') : abbreviation}`;
  }

  override json(): GoValue {
    return this.format('2006-01-02T15:04:05.999999999Z07:00');
  }

  override copy(): GoTime {
    return this;
  }
}

/** Go's zero time, the first moment of the year 1. */
export const zeroTime = new GoTime(-62_135_596_800n * billion, utc);

function numbers(entries: Record<string, (time: GoTime) => GoValue>): void {
  for (const [name, read] of Object.entries(entries)) {
    timeMethods.set(name, (receiver) =>
      fn([], () => read(receiver as GoTime) as Exclude<GoValue, null>),
    );
  }
}

numbers({
  Year: (time) => goInt(time.civil.year),
  Month: (time) => new GoInt(monthType, BigInt(time.civil.month)),
  Day: (time) => goInt(time.civil.day),
  Hour: (time) => goInt(time.civil.hour),
  Minute: (time) => goInt(time.civil.minute),
  Second: (time) => goInt(time.civil.second),
  Nanosecond: (time) => goInt(time.civil.nanosecond),
  Weekday: (time) => new GoInt(weekdayType, BigInt(time.civil.weekday)),
  YearDay: (time) => goInt(time.civil.yearDay),
  Unix: (time) => goInt64(time.unixSeconds),
  UnixMilli: (time) => goInt64(floorDivide(time.unixNanoseconds, 1_000_000n)),
  UnixMicro: (time) => goInt64(floorDivide(time.unixNanoseconds, 1_000n)),
  UnixNano: (time) => goInt64(time.unixNanoseconds),
  IsZero: (time) => time.unixNanoseconds === zeroTime.unixNanoseconds,
  UTC: (time) => time.in(utc),
  Local: (time) => time,
  String: (time) => time.text(),
});

timeMethods.set('Format', (receiver) =>
  fn([str], (_, layout) => (receiver as GoTime).format(layout)),
);
timeMethods.set('Add', (receiver) =>
  fn([of<GoInt>(durationType)], (_, { value }) => shifted(receiver as GoTime, value)),
);
timeMethods.set('Sub', (receiver) =>
  fn([of<GoTime>(timeType)], (_, other) =>
    goDuration((receiver as GoTime).unixNanoseconds - other.unixNanoseconds),
  ),
);
timeMethods.set('AddDate', (receiver) =>
  fn([int, int, int], (_, years, months, days) => {
    const time = receiver as GoTime;
    const { civil } = time;
    const date = {
      ...civil,
      year: civil.year + years,
      month: civil.month + months,
      day: civil.day + days,
    };
    return new GoTime(unixNanosecondsOf(date, time.zone), time.zone);
  }),
);
timeMethods.set('Round', (receiver) => rounding(receiver as GoTime, roundDuration));
timeMethods.set('Truncate', (receiver) => rounding(receiver as GoTime, truncateDuration));
for (const [name, holds] of [
  ['Before', (a: bigint, b: bigint) => a < b],
  ['After', (a: bigint, b: bigint) => a > b],
  ['Equal', (a: bigint, b: bigint) => a === b],
] as const) {
  timeMethods.set(name, (receiver) =>
    fn([of<GoTime>(timeType)], (_, other) =>
      holds((receiver as GoTime).unixNanoseconds, other.unixNanoseconds),
    ),
  );
}

/** The time so many nanoseconds later. */
export function shifted(time: GoTime, nanoseconds: bigint): GoTime {
  return new GoTime(time.unixNanoseconds + nanoseconds, time.zone);
}

/** Rounds what has passed since the zero time. */
function rounding(time: GoTime, round: (value: bigint, to: bigint) => bigint): GoFunction {
  return fn([of<GoInt>(durationType)], (_, { value }) => {
    const since = time.unixNanoseconds - zeroTime.unixNanoseconds;
    if (value <= 0n) return time;
    const rest = since % value;
    const isUp = round === roundDuration && rest * 2n >= value;
    return new GoTime(time.unixNanoseconds - rest + (isUp ? value : 0n), time.zone);
  });
}
