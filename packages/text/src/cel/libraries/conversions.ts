import { type CelLibrary, overload, unguarded } from '../declaration.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  paramOf,
  stringType,
  timestampType,
  uintType,
} from '../types/type.ts';
import { intOrOverflow, showDouble, truncate, uintOrOverflow } from '../values/number.ts';
import {
  durationOrOverflow,
  floorDivide,
  parseGoDuration,
  parseTimestamp,
  showDuration,
  showTimestamp,
  timestampOrOverflow,
} from '../values/time.ts';
import {
  CelDuration,
  CelFailure,
  CelList,
  CelMap,
  CelObject,
  type CelResult,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  encodeText,
  lengthOf,
  typeNameOf,
} from '../values/value.ts';

const a = paramOf('A');
const b = paramOf('B');
const second = 1_000_000_000n;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function notConvertible(value: CelValue, to: string): CelFailure {
  return new CelFailure(`type conversion error from '${typeNameOf(value)}' to '${to}'`);
}

function toInt(value: CelValue): CelResult {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') {
    const whole = truncate(value);
    // The largest double below 2^63 is the largest that counts as an int.
    if (whole === undefined || value <= -(2 ** 63) || value >= 2 ** 63) {
      return new CelFailure('integer overflow');
    }
    return whole;
  }
  if (value instanceof CelUint) return intOrOverflow(value.value);
  if (value instanceof CelTimestamp) return floorDivide(value.nanoseconds, second);
  if (value instanceof CelDuration) return value.nanoseconds;
  if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) {
    const read = intOrOverflow(BigInt(value.replace('+', '')));
    if (!(read instanceof CelFailure)) return read;
  }
  return notConvertible(value, 'int');
}

function toUint(value: CelValue): CelResult {
  if (value instanceof CelUint) return value;
  if (typeof value === 'bigint') return uintOrOverflow(value);
  if (typeof value === 'number') {
    const whole = truncate(value);
    return whole === undefined || value < 0 || value >= 2 ** 64
      ? new CelFailure('unsigned integer overflow')
      : new CelUint(whole);
  }
  if (typeof value === 'string' && /^\d+$/.test(value)) {
    const read = uintOrOverflow(BigInt(value));
    if (!(read instanceof CelFailure)) return read;
  }
  return notConvertible(value, 'uint');
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const infinity = /^([+-]?)inf(?:inity)?$/i;

function toDouble(value: CelValue): CelResult {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  if (typeof value === 'string') {
    const endless = infinity.exec(value);
    if (endless !== null) return endless[1] === '-' ? -Infinity : Infinity;
    if (/^nan$/i.test(value)) return Number.NaN;
    if (decimal.test(value) && Number.isFinite(Number(value))) return Number(value);
  }
  return notConvertible(value, 'double');
}

/** The text of a value of a type that has one. */
export function toText(value: CelValue): CelResult {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      return showDouble(value);
  }
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTimestamp) return showTimestamp(value);
  if (value instanceof CelDuration) return showDuration(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof Uint8Array) {
    try {
      return decoder.decode(value);
    } catch {
      return new CelFailure('invalid UTF-8 in bytes, cannot convert to string');
    }
  }
  return notConvertible(value, 'string');
}

function toBool(value: CelValue): CelResult {
  if (typeof value === 'boolean') return value;
  const known = ['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False'];
  const index = typeof value === 'string' ? known.indexOf(value) : -1;
  return index < 0 ? notConvertible(value, 'bool') : index < 6;
}

function toTimestamp(value: CelValue): CelResult {
  if (value instanceof CelTimestamp) return value;
  if (typeof value === 'bigint') return timestampOrOverflow(value * second);
  const read = typeof value === 'string' ? parseTimestamp(value) : undefined;
  return read ?? notConvertible(value, 'google.protobuf.Timestamp');
}

function toDuration(value: CelValue): CelResult {
  if (value instanceof CelDuration) return value;
  if (typeof value === 'bigint') return durationOrOverflow(value);
  const read = typeof value === 'string' ? parseGoDuration(value) : undefined;
  return read === undefined
    ? notConvertible(value, 'google.protobuf.Duration')
    : new CelDuration(read);
}

function size(value: CelValue): CelResult {
  if (typeof value === 'string') return BigInt(lengthOf(value));
  if (value instanceof CelList || value instanceof CelMap) return BigInt(value.size);
  if (value instanceof Uint8Array) return BigInt(value.length);
  const own = value instanceof CelObject ? value.size : undefined;
  return own === undefined ? new CelFailure('no such overload: size') : BigInt(own);
}

const sizes = [
  ['bytes', bytesType],
  ['list', listOf(a)],
  ['map', mapOf(a, b)],
  ['string', stringType],
] as const;

export const conversions: CelLibrary = {
  functions: {
    size: [
      ...unguarded(
        size,
        sizes.map(([name, type]) => [`size_${name}`, [type], intType] as const),
      ),
      ...unguarded(
        size,
        sizes.map(([name, type]) => [`${name}_size`, [type], intType] as const),
      ).map((each) => ({ ...each, isMember: true })),
    ],
    type: unguarded(
      (value) => new CelTypeValue(typeNameOf(value)),
      [['type', [a], { kind: 'type', of: a }]],
    ),
    dyn: unguarded((value) => value, [['to_dyn', [a], dynType]]),
    bool: [
      overload('bool_to_bool', [boolType], boolType, toBool),
      overload('string_to_bool', [stringType], boolType, toBool),
    ],
    bytes: [
      overload('bytes_to_bytes', [bytesType], bytesType, (value) => value),
      overload('string_to_bytes', [stringType], bytesType, (value) => encodeText(value as string)),
    ],
    double: [
      overload('double_to_double', [doubleType], doubleType, toDouble),
      overload('int64_to_double', [intType], doubleType, toDouble),
      overload('string_to_double', [stringType], doubleType, toDouble),
      overload('uint64_to_double', [uintType], doubleType, toDouble),
    ],
    duration: [
      overload('duration_to_duration', [durationType], durationType, toDuration),
      overload('int64_to_duration', [intType], durationType, toDuration),
      overload('string_to_duration', [stringType], durationType, toDuration),
    ],
    int: [
      overload('int64_to_int64', [intType], intType, toInt),
      overload('double_to_int64', [doubleType], intType, toInt),
      overload('duration_to_int64', [durationType], intType, toInt),
      overload('string_to_int64', [stringType], intType, toInt),
      overload('timestamp_to_int64', [timestampType], intType, toInt),
      overload('uint64_to_int64', [uintType], intType, toInt),
    ],
    string: [
      overload('string_to_string', [stringType], stringType, toText),
      overload('bool_to_string', [boolType], stringType, toText),
      overload('bytes_to_string', [bytesType], stringType, toText),
      overload('double_to_string', [doubleType], stringType, toText),
      overload('duration_to_string', [durationType], stringType, toText),
      overload('int64_to_string', [intType], stringType, toText),
      overload('timestamp_to_string', [timestampType], stringType, toText),
      overload('uint64_to_string', [uintType], stringType, toText),
    ],
    timestamp: [
      overload('timestamp_to_timestamp', [timestampType], timestampType, toTimestamp),
      overload('int64_to_timestamp', [intType], timestampType, toTimestamp),
      overload('string_to_timestamp', [stringType], timestampType, toTimestamp),
    ],
    uint: [
      overload('uint64_to_uint64', [uintType], uintType, toUint),
      overload('double_to_uint64', [doubleType], uintType, toUint),
      overload('int64_to_uint64', [intType], uintType, toUint),
      overload('string_to_uint64', [stringType], uintType, toUint),
    ],
  },
};
