import { type CelLibrary, overload, unguarded } from '../declaration.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listOf,
  mapOf,
  paramOf,
  stringType,
  timestampType,
  uintType,
} from '../types/type.ts';
import { maxSize, tooLarge } from '../values/collections.ts';
import { compareValues, equalValues } from '../values/equality.ts';
import { intOrOverflow, uintOrOverflow } from '../values/number.ts';
import { durationOrOverflow, timestampOrOverflow } from '../values/time.ts';
import {
  CelDuration,
  CelFailure,
  CelList,
  CelMap,
  type CelResult,
  CelTimestamp,
  CelUint,
  type CelValue,
  noSuchOverload,
} from '../values/value.ts';

const a = paramOf('A');
const b = paramOf('B');

export function add(one: CelValue, other: CelValue): CelResult {
  if (typeof one === 'bigint' && typeof other === 'bigint') return intOrOverflow(one + other);
  if (typeof one === 'string' && typeof other === 'string') {
    return one.length + other.length > maxSize ? tooLarge : one + other;
  }
  if (typeof one === 'number' && typeof other === 'number') return one + other;
  if (one instanceof CelList && other instanceof CelList) return one.concat(other);
  if (one instanceof CelUint && other instanceof CelUint)
    return uintOrOverflow(one.value + other.value);
  if (one instanceof Uint8Array && other instanceof Uint8Array) return joinBytes(one, other);
  if (one instanceof CelDuration) {
    if (other instanceof CelDuration)
      return durationOrOverflow(one.nanoseconds + other.nanoseconds);
    if (other instanceof CelTimestamp)
      return timestampOrOverflow(one.nanoseconds + other.nanoseconds, other.offset);
  }
  if (one instanceof CelTimestamp && other instanceof CelDuration) {
    return timestampOrOverflow(one.nanoseconds + other.nanoseconds, one.offset);
  }
  return noSuchOverload;
}

function joinBytes(one: Uint8Array, other: Uint8Array): CelResult {
  if (one.length + other.length > maxSize) return tooLarge;
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}

function subtract(one: CelValue, other: CelValue): CelResult {
  if (typeof one === 'bigint' && typeof other === 'bigint') return intOrOverflow(one - other);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (one instanceof CelUint && other instanceof CelUint)
    return uintOrOverflow(one.value - other.value);
  if (one instanceof CelDuration && other instanceof CelDuration) {
    return durationOrOverflow(one.nanoseconds - other.nanoseconds);
  }
  if (one instanceof CelTimestamp) {
    if (other instanceof CelTimestamp)
      return durationOrOverflow(one.nanoseconds - other.nanoseconds);
    if (other instanceof CelDuration)
      return timestampOrOverflow(one.nanoseconds - other.nanoseconds, one.offset);
  }
  return noSuchOverload;
}

function multiply(one: CelValue, other: CelValue): CelResult {
  if (typeof one === 'bigint' && typeof other === 'bigint') return intOrOverflow(one * other);
  if (typeof one === 'number' && typeof other === 'number') return one * other;
  if (one instanceof CelUint && other instanceof CelUint)
    return uintOrOverflow(one.value * other.value);
  return noSuchOverload;
}

function divide(one: CelValue, other: CelValue): CelResult {
  if (typeof one === 'number' && typeof other === 'number') return one / other;
  if (typeof one === 'bigint' && typeof other === 'bigint') {
    return other === 0n ? new CelFailure('division by zero') : intOrOverflow(one / other);
  }
  if (one instanceof CelUint && other instanceof CelUint) {
    return other.value === 0n
      ? new CelFailure('division by zero')
      : new CelUint(one.value / other.value);
  }
  return noSuchOverload;
}

function modulo(one: CelValue, other: CelValue): CelResult {
  if (typeof one === 'bigint' && typeof other === 'bigint') {
    if (other === 0n) return new CelFailure('modulus by zero');
    // The one division that does not fit has no modulus either.
    const quotient = intOrOverflow(one / other);
    return quotient instanceof CelFailure ? quotient : one % other;
  }
  if (one instanceof CelUint && other instanceof CelUint) {
    return other.value === 0n
      ? new CelFailure('modulus by zero')
      : new CelUint(one.value % other.value);
  }
  return noSuchOverload;
}

function negate(value: CelValue): CelResult {
  if (typeof value === 'number') return -value;
  return typeof value === 'bigint' ? intOrOverflow(-value) : noSuchOverload;
}

function order(holds: (comparison: number) => boolean) {
  return (one: CelValue, other: CelValue): CelResult => {
    const comparison = compareValues(one, other);
    return comparison instanceof CelFailure ? comparison : holds(comparison);
  };
}

/** Whether a list has an item, or a map a key. */
export function contains(value: CelValue, within: CelValue): CelResult {
  if (within instanceof CelMap) {
    const found = within.find(value);
    return found instanceof CelFailure ? found : found !== undefined;
  }
  if (!(within instanceof CelList)) return noSuchOverload;
  let failure: CelFailure | undefined;
  for (const item of within) {
    const isEqual = equalValues(item, value);
    if (isEqual === true) return true;
    if (isEqual instanceof CelFailure) failure ??= isEqual;
  }
  return failure ?? false;
}

const orderedPairs: readonly (readonly [suffix: string, CelType, CelType])[] = [
  ['bool', boolType, boolType],
  ['int64', intType, intType],
  ['int64_double', intType, doubleType],
  ['int64_uint64', intType, uintType],
  ['uint64', uintType, uintType],
  ['uint64_double', uintType, doubleType],
  ['uint64_int64', uintType, intType],
  ['double', doubleType, doubleType],
  ['double_int64', doubleType, intType],
  ['double_uint64', doubleType, uintType],
  ['string', stringType, stringType],
  ['bytes', bytesType, bytesType],
  ['timestamp', timestampType, timestampType],
  ['duration', durationType, durationType],
];

const ordered = (name: string, holds: (comparison: number) => boolean) =>
  unguarded(
    order(holds),
    orderedPairs.map(
      ([suffix, one, other]) => [`${name}_${suffix}`, [one, other], boolType] as const,
    ),
  );

const numbers = (name: string, types: readonly CelType[]) =>
  types.map((type) => {
    const suffix = { int: 'int64', uint: 'uint64', double: 'double' }[type.kind as 'int'];
    return [`${name}_${suffix}`, [type, type], type] as const;
  });

/** Operators. Equality, conditions and indexes are done where expressions are run. */
export const operators: CelLibrary = {
  functions: {
    '_?_:_': [overload('conditional', [boolType, a, a], a, () => noSuchOverload)],
    '_&&_': [overload('logical_and', [boolType, boolType], boolType, () => noSuchOverload)],
    '_||_': [overload('logical_or', [boolType, boolType], boolType, () => noSuchOverload)],
    '!_': unguarded(
      (value) => (typeof value === 'boolean' ? !value : noSuchOverload),
      [['logical_not', [boolType], boolType]],
    ),
    '@not_strictly_false': unguarded(
      (value) => value !== false,
      [['not_strictly_false', [boolType], boolType]],
    ),
    '_==_': [overload('equals', [a, a], boolType, equalValues)],
    '_!=_': [overload('not_equals', [a, a], boolType, () => noSuchOverload)],
    '_+_': unguarded(add, [
      ['add_bytes', [bytesType, bytesType], bytesType],
      ['add_double', [doubleType, doubleType], doubleType],
      ['add_duration_duration', [durationType, durationType], durationType],
      ['add_duration_timestamp', [durationType, timestampType], timestampType],
      ['add_timestamp_duration', [timestampType, durationType], timestampType],
      ['add_int64', [intType, intType], intType],
      ['add_list', [listOf(a), listOf(a)], listOf(a)],
      ['add_string', [stringType, stringType], stringType],
      ['add_uint64', [uintType, uintType], uintType],
    ]),
    '_-_': unguarded(subtract, [
      ['subtract_double', [doubleType, doubleType], doubleType],
      ['subtract_duration_duration', [durationType, durationType], durationType],
      ['subtract_int64', [intType, intType], intType],
      ['subtract_timestamp_duration', [timestampType, durationType], timestampType],
      ['subtract_timestamp_timestamp', [timestampType, timestampType], durationType],
      ['subtract_uint64', [uintType, uintType], uintType],
    ]),
    '_*_': unguarded(multiply, numbers('multiply', [doubleType, intType, uintType])),
    '_/_': unguarded(divide, numbers('divide', [doubleType, intType, uintType])),
    '_%_': unguarded(modulo, numbers('modulo', [intType, uintType])),
    '-_': unguarded(negate, [
      ['negate_double', [doubleType], doubleType],
      ['negate_int64', [intType], intType],
    ]),
    '_<_': ordered('less', (comparison) => comparison < 0),
    '_<=_': ordered('less_equals', (comparison) => comparison <= 0),
    '_>_': ordered('greater', (comparison) => comparison > 0),
    '_>=_': ordered('greater_equals', (comparison) => comparison >= 0),
    '@in': unguarded(contains, [
      ['in_list', [a, listOf(a)], boolType],
      ['in_map', [a, mapOf(a, b)], boolType],
    ]),
    '_[_]': [
      overload('index_list', [listOf(a), intType], a, () => noSuchOverload),
      overload('index_map', [mapOf(a, b), a], b, () => noSuchOverload),
    ],
  },
};
