import type { Budget } from '../go/budget.ts';
import { any, type FunctionTable, float, fn, int, str, variadic } from '../go/define.ts';
import { sprint } from '../go/format.ts';
import { GoError } from '../go/function.ts';
import { nearestGoInt, parseGoInt } from '../go/parse-number.ts';
import { intType, sliceOf } from '../go/type.ts';
import { GoSlice, type GoValue, goInt, goInt64 } from '../go/value.ts';
import { toFloat64, toInt64 } from './cast.ts';
import {
  addDecimals,
  type Decimal,
  decimalOf,
  decimalToFloat,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
} from './decimal.ts';

const intSlice = sliceOf(intType);

/** Sprig's arithmetic: int64 for the plain ones, decimals of float64 for those that end in `f`. */
export const numberFunctions: FunctionTable = {
  int: fn([any], (_, value) => goInt(toInt64(value))),
  int64: fn([any], (_, value) => goInt64(toInt64(value))),
  float64: fn([any], (_, value) => toFloat64(value)),
  atoi: fn([str], (_, text) => goInt(nearestGoInt(text))),
  toDecimal: fn([any], ({ budget }, value) =>
    goInt64(parseGoInt(sprint([value], budget), 8) ?? 0n),
  ),
  add1: fn([any], (_, value) => goInt64(toInt64(value) + 1n)),
  add: variadic([], any, (_, values) =>
    goInt64(values.reduce((sum, each) => wrap(sum + toInt64(each)), 0n)),
  ),
  sub: fn([any, any], (_, a, b) => goInt64(toInt64(a) - toInt64(b))),
  div: fn([any, any], (_, a, b) => goInt64(toInt64(a) / divisor(b))),
  mod: fn([any, any], (_, a, b) => goInt64(toInt64(a) % divisor(b))),
  mul: variadic([any], any, (_, values, first) =>
    goInt64(values.reduce((product, each) => wrap(product * toInt64(each)), toInt64(first))),
  ),
  max: variadic([any], any, (_, values, first) => goInt64(extreme(first, values, (a, b) => b > a))),
  biggest: variadic([any], any, (_, values, first) =>
    goInt64(extreme(first, values, (a, b) => b > a)),
  ),
  min: variadic([any], any, (_, values, first) => goInt64(extreme(first, values, (a, b) => b < a))),
  maxf: variadic([any], any, (_, values, first) =>
    Math.max(toFloat64(first), ...values.map(toFloat64)),
  ),
  minf: variadic([any], any, (_, values, first) =>
    Math.min(toFloat64(first), ...values.map(toFloat64)),
  ),
  add1f: fn([any], (_, value) => decimals(value, [1], addDecimals)),
  addf: variadic([], any, (_, values) => decimals(0, values, addDecimals)),
  subf: variadic([any], any, (_, values, first) => decimals(first, values, subtractDecimals)),
  mulf: variadic([any], any, (_, values, first) => decimals(first, values, multiplyDecimals)),
  divf: variadic([any], any, (_, values, first) => decimals(first, values, divideDecimals)),
  ceil: fn([any], (_, value) => Math.ceil(toFloat64(value))),
  floor: fn([any], (_, value) => Math.floor(toFloat64(value))),
  round: variadic([any, int], float, (_, [roundOn = 0.5], value, places) =>
    round(toFloat64(value), places, roundOn),
  ),
  until: fn([int], ({ budget }, count) => steps(0, count, count < 0 ? -1 : 1, budget)),
  untilStep: fn([int, int, int], ({ budget }, start, stop, step) =>
    steps(start, stop, step, budget),
  ),
  seq: variadic([], int, ({ budget }, params) => sequence(params, budget)),
};

function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function divisor(value: GoValue): bigint {
  const number = toInt64(value);
  if (number === 0n) throw new GoError('runtime error: integer divide by zero');
  return number;
}

function extreme(
  first: GoValue,
  values: readonly GoValue[],
  isBetter: (best: bigint, next: bigint) => boolean,
): bigint {
  return values
    .map(toInt64)
    .reduce((best, next) => (isBetter(best, next) ? next : best), toInt64(first));
}

function decimals(
  first: GoValue,
  values: readonly GoValue[],
  operate: (a: Decimal, b: Decimal) => Decimal,
): number {
  const start = decimalOf(toFloat64(first));
  return decimalToFloat(
    values.reduce<Decimal>((sum, each) => operate(sum, decimalOf(toFloat64(each))), start),
  );
}

function round(value: number, places: number, roundOn: number): number {
  const power = 10 ** places;
  const digit = power * value;
  const fraction = digit - Math.trunc(digit);
  return (fraction >= roundOn ? Math.ceil(digit) : Math.floor(digit)) / power;
}

/** What it takes to make a number of a list. */
const stepsOfNumber = 3;

function steps(start: number, stop: number, step: number, budget: Budget): GoSlice {
  const isDown = stop < start;
  if (isDown ? step >= 0 : step <= 0) return new GoSlice(intSlice, []);
  const count = Math.ceil(Math.abs((stop - start) / step));
  budget.step(count * stepsOfNumber);
  budget.make(count * 8);
  return new GoSlice(
    intSlice,
    Array.from({ length: count }, (_, at) => goInt(start + at * step)),
  );
}

function sequence(params: readonly number[], budget: Budget): string {
  const [first = 0, second = 0, third = 0] = params;
  switch (params.length) {
    case 1: {
      const increment = first < 1 ? -1 : 1;
      return joined(steps(1, first + increment, increment, budget));
    }
    case 2: {
      const step = second < first ? -1 : 1;
      return joined(steps(first, second + step, step, budget));
    }
    case 3: {
      const isDown = third < first;
      if (isDown && second > 0) return '';
      return joined(steps(first, third + (isDown ? -1 : 1), second, budget));
    }
    default:
      return '';
  }
}

function joined({ items }: GoSlice): string {
  return items.map((item) => String((item as { value: bigint }).value)).join(' ');
}
