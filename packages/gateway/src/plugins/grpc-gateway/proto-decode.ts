import { type WireValue, wireFields, wireValues } from '@waygate/text';
import type { ProtoField } from './proto-file.ts';
import type { FieldType, ProtoTypes } from './proto-types.ts';

type Json = Record<string, unknown>;

const deepest = 64;
const timestamp = 'google.protobuf.Timestamp';

/** A message as JSON, with the fields that it has and no others. Throws at bytes that are no message. */
export function decodeMessage(
  types: ProtoTypes,
  message: string,
  bytes: Buffer,
  depth = 0,
): unknown {
  if (depth > deepest) throw new Error('nested too deep');
  const fields = new Map(types.fields(message).map((field) => [field.number, field]));
  const result: Json = {};
  for (const { number, wire, value } of wireFields(bytes)) {
    const field = fields.get(number);
    if (field !== undefined) put(types, message, field, wire, value, result, depth);
  }
  return message === timestamp ? instantText(result) : result;
}

/** A message as the text of JSON. One that is none is null, as there is nobody left to tell. */
export function jsonText(types: ProtoTypes, message: string, bytes: Buffer): string {
  try {
    return JSON.stringify(decodeMessage(types, message, bytes));
  } catch {
    return 'null';
  }
}

function put(
  types: ProtoTypes,
  message: string,
  field: ProtoField,
  wire: number,
  raw: WireValue,
  into: Json,
  depth: number,
): void {
  const type = types.typeOf(message, field.type);
  if (field.mapKey !== undefined) {
    const entry = mapEntry(types, message, field, type, raw, depth);
    into[field.name] ??= {};
    const map = into[field.name] as Json;
    Object.defineProperty(map, entry.key, { ...open, value: entry.value });
    return;
  }
  const values = isPacked(type, wire) ? unpacked(type, raw as Buffer) : [raw];
  for (const one of values) {
    const value = decodeValue(types, type, one, depth);
    if (field.isRepeated) {
      into[field.name] ??= [];
      (into[field.name] as unknown[]).push(value);
    } else into[field.name] = value;
  }
}

const open = { enumerable: true, configurable: true, writable: true };

function mapEntry(
  types: ProtoTypes,
  message: string,
  field: ProtoField,
  type: FieldType,
  raw: WireValue,
  depth: number,
): { key: string; value: unknown } {
  const keyType = types.typeOf(message, field.mapKey as string);
  let key = '';
  let value: unknown = null;
  for (const { number, value: part } of wireFields(asBytes(raw))) {
    if (number === 1) key = String(decodeValue(types, keyType, part, depth));
    else if (number === 2) value = decodeValue(types, type, part, depth);
  }
  return { key, value };
}

function isPacked(type: FieldType, wire: number): boolean {
  if (wire !== 2 || type.kind === 'message') return false;
  return type.kind === 'enum' || (type.name !== 'string' && type.name !== 'bytes');
}

function unpacked(type: FieldType, bytes: Buffer): Iterable<WireValue> {
  const name = type.kind === 'scalar' ? type.name : 'int32';
  const wire = /^s?fixed64$|^double$/.test(name) ? 1 : /^s?fixed32$|^float$/.test(name) ? 5 : 0;
  return wireValues(bytes, wire);
}

function decodeValue(types: ProtoTypes, type: FieldType, raw: WireValue, depth: number): unknown {
  if (type.kind === 'message') return decodeMessage(types, type.name, asBytes(raw), depth + 1);
  if (type.kind === 'enum') {
    const number = Number(BigInt.asIntN(32, asNumber(raw)));
    for (const [name, value] of type.values) if (value === number) return name;
    return number;
  }
  return decodeScalar(type.name, raw);
}

function decodeScalar(name: string, raw: WireValue): unknown {
  switch (name) {
    case 'string':
      return asBytes(raw).toString('utf8');
    case 'bytes':
      return asBytes(raw).toString('base64');
    case 'bool':
      return asNumber(raw) !== 0n;
    case 'double':
      return asBytes(raw).readDoubleLE();
    case 'float':
      return asBytes(raw).readFloatLE();
    default:
      return decodeInteger(name, raw);
  }
}

function decodeInteger(name: string, raw: WireValue): number | string {
  const bits = name.endsWith('64') ? 64 : 32;
  const isSigned = !/^u|^fixed/.test(name);
  let value: bigint;
  if (name.includes('fixed')) {
    const bytes = asBytes(raw);
    value = bits === 64 ? bytes.readBigUInt64LE() : BigInt(bytes.readUInt32LE());
  } else value = asNumber(raw);
  if (name.startsWith('sint')) value = (value >> 1n) ^ -(value & 1n);
  const whole = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  const number = Number(whole);
  // What a number of JSON cannot hold is text.
  return Number.isSafeInteger(number) ? number : String(whole);
}

function asBytes(raw: WireValue): Buffer {
  if (!Buffer.isBuffer(raw)) throw new Error('a field has another type');
  return raw;
}

function asNumber(raw: WireValue): bigint {
  if (Buffer.isBuffer(raw)) throw new Error('a field has another type');
  return raw;
}

function instantText({ seconds = 0, nanos = 0 }: Json): string {
  const base = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const fraction =
    Number(nanos) === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${base}${fraction}Z`;
}
