import { compareUtf8 } from '../../compare-utf8.ts';
import {
  CelDuration,
  CelFailure,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  type CelResult,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  noSuchOverload,
} from './value.ts';

/** Equality of any two values: numbers by what they stand for, all else within its own type. */
export function equalValues(one: CelResult, other: CelResult): boolean | CelFailure {
  if (one instanceof CelFailure) return one;
  if (other instanceof CelFailure) return other;
  if (one === null || other === null) return one === other;
  switch (typeof one) {
    case 'string':
    case 'boolean':
      return one === other;
    case 'bigint':
    case 'number':
      return equalNumbers(one, other);
  }
  if (one instanceof CelList || one instanceof CelMap || one instanceof CelObject) {
    return one.equals(other);
  }
  if (one instanceof CelUint) return equalNumbers(one.value, other);
  if (one instanceof Uint8Array)
    return other instanceof Uint8Array && compareBytes(one, other) === 0;
  if (one instanceof CelTimestamp)
    return other instanceof CelTimestamp && one.nanoseconds === other.nanoseconds;
  if (one instanceof CelDuration)
    return other instanceof CelDuration && one.nanoseconds === other.nanoseconds;
  if (one instanceof CelTypeValue) return other instanceof CelTypeValue && one.name === other.name;
  return equalOptionals(one, other);
}

function equalNumbers(one: bigint | number, other: CelValue): boolean {
  const number = numberOf(other);
  return number !== undefined && compareNumbers(one, number) === 0;
}

function equalOptionals(one: CelOptional, other: CelValue): boolean | CelFailure {
  if (!(other instanceof CelOptional)) return false;
  if (one.value === undefined || other.value === undefined) return one.value === other.value;
  return equalValues(one.value, other.value);
}

function numberOf(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof CelUint ? value.value : undefined;
}

function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (one[index] as number) - (other[index] as number);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(one.length - other.length);
}

/** -1, 0 or 1 of two values that have an order. */
export function compareValues(one: CelValue, other: CelValue): number | CelFailure {
  const [left, right] = [numberOf(one), numberOf(other)];
  if (left !== undefined && right !== undefined) return compareNumbers(left, right);
  if (typeof one === 'string' && typeof other === 'string')
    return Math.sign(compareUtf8(one, other));
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other);
  if (one instanceof Uint8Array && other instanceof Uint8Array) return compareBytes(one, other);
  if (
    (one instanceof CelTimestamp && other instanceof CelTimestamp) ||
    (one instanceof CelDuration && other instanceof CelDuration)
  ) {
    return compareNumbers(one.nanoseconds, other.nanoseconds);
  }
  return noSuchOverload;
}

/** A whole number and a double are compared as doubles, as the original does. */
function compareNumbers(one: bigint | number, other: bigint | number): number | CelFailure {
  if (typeof one !== typeof other) return compareNumbers(Number(one), Number(other));
  if (Number.isNaN(one) || Number.isNaN(other)) {
    return new CelFailure('NaN values cannot be ordered');
  }
  return one < other ? -1 : one > other ? 1 : 0;
}
