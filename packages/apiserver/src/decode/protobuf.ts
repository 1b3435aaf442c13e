import { messages } from './protobuf-messages.ts';
import { formatTime } from './time-text.ts';

/** The bytes are not protobuf, or hold something that is not understood. */
export class ProtobufProblem extends Error {
  override readonly name = 'ProtobufProblem';
  readonly code = 'WG_APISERVER_PROTOBUF';
}

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const maxDepth = 40;

/** Turns a Kubernetes protobuf body into the JSON value that it stands for. */
export function decodeProtobuf(body: Buffer): Record<string, unknown> {
  if (!body.subarray(0, 4).equals(magic)) throw new ProtobufProblem('the body is not protobuf');
  let apiVersion = '';
  let kind = '';
  let raw: Buffer = Buffer.alloc(0);
  for (const field of fieldsOf(body.subarray(4))) {
    if (field.number === 1) {
      for (const part of fieldsOf(bytesOf(field))) {
        if (part.number === 1) apiVersion = bytesOf(part).toString('utf8');
        if (part.number === 2) kind = bytesOf(part).toString('utf8');
      }
    } else if (field.number === 2) raw = bytesOf(field);
  }
  if (messages[kind] === undefined)
    throw new ProtobufProblem(`the kind ${kind} is not understood in protobuf`);
  return { apiVersion, kind, ...decodeMessage(raw, kind, 0) };
}

interface Field {
  readonly number: number;
  readonly value: Buffer | bigint;
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new ProtobufProblem('the message ends too early');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new ProtobufProblem('a number is too long');
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0:
        yield { number, value: BigInt.asIntN(64, varint()) };
        break;
      case 2: {
        const length = Number(varint());
        if (at + length > bytes.length) throw new ProtobufProblem('the message ends too early');
        yield { number, value: bytes.subarray(at, at + length) };
        at += length;
        break;
      }
      default:
        throw new ProtobufProblem('a field has a type that is not used by Kubernetes');
    }
  }
}

function bytesOf(field: Field): Buffer {
  if (typeof field.value === 'bigint') throw new ProtobufProblem('a message was expected');
  return field.value;
}

function decodeMessage(bytes: Buffer, type: string, depth: number): Record<string, unknown> {
  if (depth > maxDepth) throw new ProtobufProblem('the message is nested too deeply');
  const known = messages[type] ?? {};
  const result: Record<string, unknown> = {};
  for (const field of fieldsOf(bytes)) {
    const description = known[field.number];
    if (description === undefined) {
      // An empty message or zero says nothing; anything else would be lost.
      if (isEmpty(field)) continue;
      throw new ProtobufProblem(`field ${field.number} of ${type} is not understood in protobuf`);
    }
    const [name = '', kind = ''] = description.split(' ');
    if (name === '...') Object.assign(result, decodeMessage(bytesOf(field), kind, depth + 1));
    else if (kind.startsWith('[]')) {
      const list = (result[name] ?? []) as unknown[];
      list.push(decodeValue(field, kind.slice(2), depth));
      result[name] = list;
    } else if (kind.startsWith('{}')) {
      const map = (result[name] ?? {}) as Record<string, unknown>;
      const [key, value] = decodeEntry(field, kind.slice(2), depth);
      if (key !== '__proto__') map[key] = value;
      result[name] = map;
    } else {
      const value = decodeValue(field, kind, depth);
      if (value !== undefined && value !== '') result[name] = value;
    }
  }
  return result;
}

function isEmpty(field: Field): boolean {
  return typeof field.value === 'bigint' ? field.value === 0n : field.value.length === 0;
}

function decodeEntry(field: Field, kind: string, depth: number): [string, unknown] {
  let key = '';
  let value: unknown = kind === 'string' || kind === 'bytes' ? '' : undefined;
  for (const part of fieldsOf(bytesOf(field))) {
    if (part.number === 1) key = bytesOf(part).toString('utf8');
    else if (part.number === 2) value = decodeValue(part, kind, depth);
  }
  return [key, value];
}

function decodeValue(field: Field, kind: string, depth: number): unknown {
  switch (kind) {
    case 'string':
      return bytesOf(field).toString('utf8');
    case 'bytes':
      return bytesOf(field).toString('base64');
    case 'int':
      return Number(field.value);
    case 'bool':
      return field.value === 1n;
    case 'Time':
      return timeOf(bytesOf(field));
    case 'Quantity':
      return textField(bytesOf(field), 1);
    case 'IntOrString':
      return intOrString(bytesOf(field));
    default:
      return decodeMessage(bytesOf(field), kind, depth + 1);
  }
}

function textField(bytes: Buffer, number: number): string {
  for (const field of fieldsOf(bytes))
    if (field.number === number) return bytesOf(field).toString('utf8');
  return '';
}

function timeOf(bytes: Buffer): string | undefined {
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1 && typeof field.value === 'bigint')
      return formatTime(Number(field.value) * 1000);
  }
  return undefined;
}

function intOrString(bytes: Buffer): string | number {
  let isText = false;
  let number = 0;
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) isText = field.value === 1n;
    if (field.number === 2) number = Number(field.value);
  }
  return isText ? textField(bytes, 3) : number;
}
