import { decodeJson, encodeJson } from '@waygate/text';
import { bodyText } from '../decode/body-text.ts';
import { badRequest, unsupportedMediaType } from '../status/api-error.ts';
import { messageTables } from '../typed-schema/message-tables.ts';
import { wireFields } from './protobuf-reader.ts';
import { formatMicroTime, formatTime } from './protobuf-time.ts';

type Json = Record<string, unknown>;

const magic = Buffer.from('k8s\0', 'latin1');
/** Schemas may nest; no honest one nests like this. */
const maxDepth = 128;

/**
 * The JSON of a body in the protobuf encoding, which clients written in Go (kubectl's create
 * among them) use for built-in kinds. Everything behind it then has one way to read objects.
 */
export function protobufToJson(body: Buffer): string {
  if (!body.subarray(0, 4).equals(magic)) {
    throw badRequest('the body of the request does not appear to be a protobuf message');
  }
  let apiVersion = '';
  let kind = '';
  let raw: Buffer = Buffer.alloc(0);
  for (const field of wireFields(body.subarray(4))) {
    if (field.number === 2) raw = field.bytes;
    if (field.number !== 1) continue;
    for (const part of wireFields(field.bytes)) {
      if (part.number === 1) apiVersion = bodyText(part.bytes);
      if (part.number === 2) kind = bodyText(part.bytes);
    }
  }
  const { kinds } = messageTables();
  const key = `${apiVersion}/${kind}`;
  const message = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
  if (message === undefined) throw unsupportedMediaType(['application/json', 'application/yaml']);
  const object = decodeMessage(message, raw, 0) as Json;
  return encodeJson({ kind, apiVersion, ...object });
}

function decodeMessage(name: string, bytes: Buffer, depth: number): unknown {
  if (depth > maxDepth) throw badRequest('the body of the request is nested too deeply');
  const special = specialMessages[name.slice(name.lastIndexOf('.') + 1)];
  const message = messageTables().messages[name] ?? {};
  // No prototype: a map's key may be __proto__.
  const object = Object.create(null) as Json;
  for (const { number, integer, bytes: content } of wireFields(bytes)) {
    const field = message[number];
    if (field === undefined) continue;
    const [json, type, flags] = field;
    if (type.startsWith('map:')) {
      const [key, value] = decodeEntry(type.slice(4), content, depth);
      object[json] ??= Object.create(null);
      (object[json] as Json)[key] = value;
      continue;
    }
    const value = decodeValue(type, integer, content, depth);
    if (flags.includes('r')) {
      object[json] ??= [];
      (object[json] as unknown[]).push(value);
    } else if (flags.includes('i')) {
      Object.assign(object, value);
    } else if (!isLeftOut(value, flags)) {
      object[json] = value;
    }
  }
  return special === undefined ? object : special(object);
}

/** Go's encoder writes plain fields even when they are empty; the JSON of the same object does not. */
function isLeftOut(value: unknown, flags: string): boolean {
  if (value === null) return true;
  if (!flags.includes('o') || flags.includes('p')) return false;
  return value === '' || value === 0 || value === false;
}

function decodeEntry(type: string, bytes: Buffer, depth: number): [string, unknown] {
  let key = '';
  let value: unknown = decodeValue(type, 0n, Buffer.alloc(0), depth);
  for (const field of wireFields(bytes)) {
    if (field.number === 1) key = bodyText(field.bytes);
    if (field.number === 2) value = decodeValue(type, field.integer, field.bytes, depth);
  }
  return [key, value];
}

function decodeValue(type: string, integer: bigint, bytes: Buffer, depth: number): unknown {
  switch (type) {
    case 'string':
      return bodyText(bytes);
    case 'bytes':
      return bytes.toString('base64');
    case 'bool':
      return integer !== 0n;
    case 'int32':
      return Number(BigInt.asIntN(32, integer));
    case 'int64':
      return Number(BigInt.asIntN(64, integer));
    case 'double': {
      const buffer = Buffer.alloc(8);
      buffer.writeBigUInt64LE(integer);
      return buffer.readDoubleLE();
    }
    default:
      return decodeMessage(type, bytes, depth + 1);
  }
}

/** Messages whose JSON is something else than an object of their fields. */
const specialMessages: Readonly<Record<string, (object: Json) => unknown>> = {
  Time: (object) => formatTime(object),
  MicroTime: (object) => formatMicroTime(object),
  Quantity: (object) => object.string ?? '0',
  IntOrString: (object) => (object.type === 1 ? (object.strVal ?? '') : (object.intVal ?? 0)),
  Verbs: (object) => object.items ?? [],
  ExtraValue: (object) => object.items ?? [],
  RawExtension: embedded,
  FieldsV1: embedded,
  JSON: embedded,
  JSONSchemaPropsOrArray: (object) => object.jSONSchemas ?? object.schema ?? {},
  JSONSchemaPropsOrBool: (object) => object.schema ?? object.allows ?? false,
  JSONSchemaPropsOrStringArray: (object) => object.schema ?? object.property ?? [],
};

/** JSON inside of protobuf: its bytes are the document. */
function embedded(object: Json): unknown {
  const text = bodyText(Buffer.from(String(object['-'] ?? ''), 'base64'));
  if (text === '') return null;
  try {
    return decodeJson(text);
  } catch {
    throw badRequest('the body of the request has an embedded value that is not JSON');
  }
}
