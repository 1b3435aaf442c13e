import { isObject, varint } from '@waygate/text';
import type { ProtoField } from './proto-file.ts';
import type { FieldType, ProtoTypes } from './proto-types.ts';

const deepest = 64;
const timestamp = 'google.protobuf.Timestamp';

/** JSON as a message of a type. What the message does not have is left out; what cannot be one throws. */
export function encodeMessage(
  types: ProtoTypes,
  message: string,
  value: unknown,
  depth = 0,
): Buffer {
  if (depth > deepest) throw new Error('nested too deep');
  const given = message === timestamp && typeof value === 'string' ? instant(value) : value;
  if (!isObject(given)) throw new Error(`${message} is no object`);
  const pieces: Buffer[] = [];
  for (const field of types.fields(message)) {
    const item = given[field.name] ?? given[jsonName(field.name)];
    if (item === undefined || item === null) continue;
    const encode = (one: unknown) =>
      encodeValue(types, types.typeOf(message, field.type), one, depth);
    pieces.push(...encodeField(types, message, field, item, encode));
  }
  return Buffer.concat(pieces);
}

function encodeField(
  types: ProtoTypes,
  message: string,
  field: ProtoField,
  item: unknown,
  encode: (one: unknown) => Encoded,
): Buffer[] {
  if (field.mapKey !== undefined) {
    if (!isObject(item)) throw new Error(`${field.name} is no object`);
    const key = types.typeOf(message, field.mapKey);
    return Object.entries(item).map(([name, one]) => {
      const entry = [tagged(1, encodeValue(types, key, name, 0)), tagged(2, encode(one))];
      return tagged(field.number, { wire: 2, bytes: Buffer.concat(entry) });
    });
  }
  if (field.isRepeated) {
    // In a query, a list of one looks like its item.
    const all = (Array.isArray(item) ? item : [item]).map(encode);
    if (all.length === 0) return [];
    const isPacked = all.every(({ wire }) => wire !== 2);
    return isPacked
      ? [tagged(field.number, { wire: 2, bytes: Buffer.concat(all.map(({ bytes }) => bytes)) })]
      : all.map((one) => tagged(field.number, one));
  }
  const one = encode(item);
  return one.isDefault === true && !field.hasPresence ? [] : [tagged(field.number, one)];
}

interface Encoded {
  readonly wire: 0 | 1 | 2 | 5;
  readonly bytes: Buffer;
  /** Whether it is what a reader takes for granted. */
  readonly isDefault?: boolean;
}

/** With its number and wire type; of variable length, with its length. */
function tagged(number: number, { wire, bytes }: Encoded): Buffer {
  const head = varint(number * 8 + wire);
  return wire === 2
    ? Buffer.concat([head, varint(bytes.length), bytes])
    : Buffer.concat([head, bytes]);
}

function encodeValue(types: ProtoTypes, type: FieldType, value: unknown, depth: number): Encoded {
  if (type.kind === 'message') {
    return { wire: 2, bytes: encodeMessage(types, type.name, value, depth + 1) };
  }
  if (type.kind === 'enum') {
    const number = typeof value === 'string' ? (type.values.get(value) ?? value) : value;
    return integer('int32', number);
  }
  switch (type.name) {
    case 'string':
      return text(Buffer.from(String(value)));
    case 'bytes':
      return text(Buffer.from(String(value), 'base64'));
    case 'bool':
      return bool(value);
    case 'double':
    case 'float':
      return floating(type.name, value);
    default:
      return integer(type.name, value);
  }
}

function text(bytes: Buffer): Encoded {
  return { wire: 2, bytes, isDefault: bytes.length === 0 };
}

function bool(value: unknown): Encoded {
  const words: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };
  const is = words[String(value)];
  if (is === undefined) throw new Error('this is neither true nor false');
  return { wire: 0, bytes: Buffer.from([is ? 1 : 0]), isDefault: !is };
}

function floating(name: string, value: unknown): Encoded {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(number) && value !== 'NaN') throw new Error('this is no number');
  const isDouble = name === 'double';
  const bytes = Buffer.alloc(isDouble ? 8 : 4);
  if (isDouble) bytes.writeDoubleLE(number);
  else bytes.writeFloatLE(number);
  return { wire: isDouble ? 1 : 5, bytes, isDefault: Object.is(number, 0) };
}

function integer(name: string, value: unknown): Encoded {
  if (typeof value !== 'number' && !/^-?\d{1,20}$/.test(String(value)))
    throw new Error('this is no whole number');
  const whole = BigInt(value as string | number);
  const bits = name.endsWith('64') ? 64 : 32;
  const isSigned = !/^u|^fixed/.test(name);
  const fits = isSigned ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole);
  if (fits !== whole) throw new Error(`this is no ${name}`);
  const isDefault = whole === 0n;
  if (name.includes('fixed')) {
    const bytes = Buffer.alloc(bits / 8);
    if (bits === 64) bytes.writeBigUInt64LE(BigInt.asUintN(64, whole));
    else bytes.writeUInt32LE(Number(BigInt.asUintN(32, whole)));
    return { wire: bits === 64 ? 1 : 5, bytes, isDefault };
  }
  const zigzag = name.startsWith('s') ? (whole < 0n ? -whole * 2n - 1n : whole * 2n) : whole;
  return { wire: 0, bytes: varint(zigzag), isDefault };
}

/** `some_field` as JSON has it: `someField`. */
function jsonName(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function instant(value: string): { seconds: number; nanos: number } {
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) throw new Error('this is no time');
  const fraction = /\.(\d{1,9})/.exec(value)?.[1] ?? '';
  return { seconds: Math.floor(ms / 1000), nanos: Number(fraction.padEnd(9, '0')) };
}
