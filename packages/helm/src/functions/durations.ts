import { any, type FunctionTable, fn } from '../go/define.ts';
import { parseGoDuration } from '../go/duration.ts';
import { formatGoFloat } from '../go/float-text.ts';
import { GoError, type GoFunction } from '../go/function.ts';
import { parseGoFloat } from '../go/parse-number.ts';
import { quoteString } from '../go/quote.ts';
import { durationType, goDuration, roundDuration, truncateDuration } from '../go/time.ts';
import { GoInt, type GoValue, goInt64, typeOf } from '../go/value.ts';
import { floatToInt64 } from './cast.ts';
import { trimSpace } from './runes.ts';

const second = 1_000_000_000n;
const maxInt64 = (1n << 63n) - 1n;

/** Helm 4's functions of durations, which Helm 3 does not have. */
export const durationFunctions: FunctionTable = {
  mustToDuration: fn([any], (_, value) => goDuration(durationOf(value))),
  durationSeconds: inUnits(second),
  durationMinutes: inUnits(60n * second),
  durationHours: inUnits(3600n * second),
  durationDays: inUnits(3600n * second, 24),
  durationWeeks: inUnits(3600n * second, 24, 7),
  durationMilliseconds: wholeUnits(1_000_000n),
  durationMicroseconds: wholeUnits(1_000n),
  durationNanoseconds: wholeUnits(1n),
  durationRoundTo: toMultiple(roundDuration),
  durationTruncateTo: toMultiple(truncateDuration),
};

function inUnits(unit: bigint, ...divisors: readonly number[]): GoFunction {
  return fn([any], (_, value) => {
    const duration = tried(value) ?? 0n;
    const units = Number(duration / unit) + Number(duration % unit) / Number(unit);
    return divisors.reduce((rest, divisor) => rest / divisor, units);
  });
}

function wholeUnits(unit: bigint): GoFunction {
  return fn([any], (_, value) => goInt64((tried(value) ?? 0n) / unit));
}

function toMultiple(round: (value: bigint, to: bigint) => bigint): GoFunction {
  return fn([any, any], (_, value, multiple) => {
    const duration = tried(value);
    const to = tried(multiple);
    if (duration === undefined) return goDuration(0n);
    return goDuration(to === undefined ? duration : round(duration, to));
  });
}

function tried(value: GoValue): bigint | undefined {
  try {
    return durationOf(value);
  } catch (error) {
    if (error instanceof GoError) return undefined;
    throw error;
  }
}

/** A duration, a text of one, or a number of seconds. @throws GoError */
function durationOf(value: GoValue): bigint {
  if (value === null) throw new GoError('invalid duration');
  if (typeof value === 'string') return durationOfText(value);
  if (typeof value === 'number') return durationOfSeconds(value);
  if (!(value instanceof GoInt))
    throw new GoError(`unsupported duration type ${typeOf(value).name}`);
  if (value.type === durationType) return value.value;
  const largest = maxInt64 / second;
  if (value.value > largest || value.value < -largest) {
    throw new GoError(`duration seconds overflow: ${value.value}`);
  }
  return value.value * second;
}

function durationOfText(given: string): bigint {
  const text = trimSpace(given);
  if (text === '') throw new GoError('empty duration');
  try {
    return parseGoDuration(text);
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
  }
  const seconds = parseGoFloat(text);
  if (seconds === undefined) throw new GoError(`could not parse duration ${quoteString(given)}`);
  return durationOfSeconds(seconds);
}

function durationOfSeconds(seconds: number): bigint {
  const shown = formatGoFloat(seconds, 'g', -1);
  if (!Number.isFinite(seconds)) throw new GoError(`invalid duration seconds: ${shown}`);
  const limit = 2 ** 63 / 1e9;
  if (seconds > limit || seconds < -limit) throw new GoError(`duration seconds overflow: ${shown}`);
  return floatToInt64(seconds * 1e9);
}
