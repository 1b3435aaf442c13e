import { compileRegex } from '../../regex/compile-regex.ts';
import { type CelLibrary, type CelOverload, member, overload } from '../declaration.ts';
import { boolType, durationType, intType, stringType, timestampType } from '../types/type.ts';
import { partsOf, type TimeParts } from '../values/time.ts';
import {
  type CelDuration,
  CelFailure,
  type CelResult,
  type CelTimestamp,
  type CelValue,
} from '../values/value.ts';

function matches(text: CelValue, pattern: CelValue): CelResult {
  try {
    return compileRegex(pattern as string)(text as string);
  } catch (error) {
    return new CelFailure((error as Error).message);
  }
}

/** A part of a moment, in UTC or in the time zone that is given. */
function timePart(name: string, part: (parts: TimeParts) => number): CelOverload[] {
  const read = (moment: CelValue, zone?: CelValue): CelResult => {
    const parts = partsOf(moment as CelTimestamp, zone as string | undefined);
    return parts instanceof CelFailure ? parts : BigInt(part(parts));
  };
  return [
    member(`timestamp_to_${name}`, [timestampType], intType, read),
    member(`timestamp_to_${name}_with_tz`, [timestampType, stringType], intType, read),
  ];
}

/** How many whole units a duration has. */
function durationPart(name: string, unit: bigint): CelOverload {
  return member(
    `duration_to_${name}`,
    [durationType],
    intType,
    (value) => (value as CelDuration).nanoseconds / unit,
  );
}

const text = (id: string, call: (one: string, other: string) => CelResult) =>
  member(id, [stringType, stringType], boolType, (one, other) =>
    call(one as string, other as string),
  );

/** Questions to texts, and the parts of moments and durations. */
export const textAndTime: CelLibrary = {
  functions: {
    contains: [text('contains_string', (one, other) => one.includes(other))],
    endsWith: [text('ends_with_string', (one, other) => one.endsWith(other))],
    startsWith: [text('starts_with_string', (one, other) => one.startsWith(other))],
    matches: [
      overload('matches', [stringType, stringType], boolType, matches),
      text('matches_string', matches),
    ],
    getFullYear: timePart('year', ({ year }) => year),
    getMonth: timePart('month', ({ month }) => month),
    getDayOfYear: timePart('day_of_year', ({ dayOfYear }) => dayOfYear),
    getDayOfMonth: timePart('day_of_month', ({ day }) => day - 1),
    getDate: timePart('day_of_month_1_based', ({ day }) => day),
    getDayOfWeek: timePart('day_of_week', ({ weekday }) => weekday),
    getHours: [
      ...timePart('hours', ({ hours }) => hours),
      durationPart('hours', 3_600_000_000_000n),
    ],
    getMinutes: [
      ...timePart('minutes', ({ minutes }) => minutes),
      durationPart('minutes', 60_000_000_000n),
    ],
    getSeconds: [
      ...timePart('seconds', ({ seconds }) => seconds),
      durationPart('seconds', 1_000_000_000n),
    ],
    getMilliseconds: [
      ...timePart('milliseconds', ({ milliseconds }) => milliseconds),
      durationPart('milliseconds', 1_000_000n),
    ],
  },
};
