import { encodeJson, isObject, varint } from '@waygate/text';
import { type Message, type MessageField, messageTables } from '../typed-schema/message-tables.ts';

type Json = Record<string, unknown>;

const magic = Buffer.from('k8s\0', 'latin1');
const metadataMessage = 'apimachinery.pkg.apis.meta.v1.ObjectMeta';
const listMetadataMessage = 'apimachinery.pkg.apis.meta.v1.ListMeta';

/** Views of any kind, which are in no schema of their own. */
const views: Readonly<Record<string, Message>> = {
  PartialObjectMetadata: { 1: ['metadata', metadataMessage, 'o'] },
  PartialObjectMetadataList: {
    1: ['metadata', listMetadataMessage, 'o'],
    2: ['items', 'PartialObjectMetadata', 'r'],
  },
};

function messageNameOf(object: Json): string | undefined {
  const kind = String(object.kind ?? '');
  if (Object.hasOwn(views, kind)) return kind;
  const { kinds } = messageTables();
  // The oldest documents of discovery do not say their version.
  const key = `${String(object.apiVersion ?? 'v1')}/${kind}`;
  return Object.hasOwn(kinds, key) ? kinds[key] : undefined;
}

function messageNamed(name: string): Message {
  return views[name] ?? messageTables().messages[name] ?? {};
}

/**
 * An object in the protobuf encoding, in the envelope that says what it is; undefined for kinds
 * that have none. What Go writes although it is empty is written, too.
 */
export function protobufOf(object: Json): Buffer | undefined {
  const name = messageNameOf(object);
  if (name === undefined) return undefined;
  const type = new Writer();
  type.text(1, String(object.apiVersion ?? ''));
  type.text(2, String(object.kind));
  const envelope = new Writer();
  envelope.bytes(1, type.result());
  envelope.bytes(2, encodeMessage(name, object));
  envelope.text(3, '');
  envelope.text(4, '');
  return Buffer.concat([magic, envelope.result()]);
}

/** One event of a watch, with the length before it that such streams are cut by. */
export function protobufEvent(type: string, object: Json): Buffer {
  const embedded = new Writer();
  embedded.bytes(1, protobufOf(object) ?? Buffer.alloc(0));
  const event = new Writer();
  event.text(1, type);
  event.bytes(2, embedded.result());
  const bytes = event.result();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The wire format: numbered fields, one after the other. */
class Writer {
  readonly #parts: Buffer[] = [];

  number(field: number, value: number | bigint): void {
    this.#parts.push(varint(field * 8), varint(value));
  }

  double(field: number, value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#parts.push(varint(field * 8 + 1), bytes);
  }

  bytes(field: number, value: Buffer): void {
    this.#parts.push(varint(field * 8 + 2), varint(value.length), value);
  }

  text(field: number, value: string): void {
    this.bytes(field, Buffer.from(value, 'utf8'));
  }

  result(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function encodeMessage(name: string, value: unknown): Buffer {
  const special = specialMessages[name.slice(name.lastIndexOf('.') + 1)];
  const source = special === undefined ? value : special(value);
  if (source === undefined) return Buffer.alloc(0);
  const object = (isObject(source) ? source : {}) as Json;
  const writer = new Writer();
  for (const [number, field] of Object.entries(messageNamed(name)))
    encodeField(writer, Number(number), field, object);
  return writer.result();
}

function encodeField(
  writer: Writer,
  number: number,
  [json, type, flags]: MessageField,
  object: Json,
): void {
  if (flags.includes('i')) {
    writer.bytes(number, encodeMessage(type, object));
    return;
  }
  const value = object[json];
  if (type.startsWith('map:')) {
    for (const [key, item] of Object.entries((value ?? {}) as Json).sort(byKey)) {
      const entry = new Writer();
      entry.text(1, key);
      encodeValue(entry, 2, type.slice(4), item);
      writer.bytes(number, entry.result());
    }
    return;
  }
  if (flags.includes('r')) {
    for (const item of (value ?? []) as unknown[]) encodeValue(writer, number, type, item);
    return;
  }
  const isMissing = value === undefined || value === null;
  if (isMissing && flags.includes('p')) return;
  // Bytes that are not there are not the same as none.
  if (isMissing && type === 'bytes') return;
  encodeValue(writer, number, type, isMissing ? undefined : value);
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function encodeValue(writer: Writer, number: number, type: string, value: unknown): void {
  switch (type) {
    case 'string':
      writer.text(number, String(value ?? ''));
      return;
    case 'bytes':
      writer.bytes(number, Buffer.from(String(value ?? ''), 'base64'));
      return;
    case 'bool':
      writer.number(number, value === true ? 1 : 0);
      return;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      writer.number(
        number,
        typeof value === 'bigint' ? value : BigInt(Math.trunc(Number(value ?? 0))),
      );
      return;
    case 'double':
      writer.double(number, Number(value ?? 0));
      return;
    default:
      writer.bytes(number, encodeMessage(type, value));
  }
}

/** Messages whose JSON is something else than an object of their fields; undefined is empty. */
const specialMessages: Readonly<Record<string, (value: unknown) => unknown>> = {
  Time: (value) => timestamp(value, false),
  MicroTime: (value) => timestamp(value, true),
  Quantity: (value) => ({ string: value === undefined ? '0' : String(value) }),
  IntOrString: (value) =>
    typeof value === 'string'
      ? { type: 1, intVal: 0, strVal: value }
      : { type: 0, intVal: value ?? 0, strVal: '' },
  Verbs: (value) => ({ items: value ?? [] }),
  ExtraValue: (value) => ({ items: value ?? [] }),
  RawExtension: embedded,
  FieldsV1: embedded,
  JSON: embedded,
  JSONSchemaPropsOrArray: (value) =>
    Array.isArray(value) ? { jSONSchemas: value } : { schema: value },
  JSONSchemaPropsOrBool: (value) =>
    typeof value === 'boolean' ? { allows: value } : { allows: true, schema: value },
  JSONSchemaPropsOrStringArray: (value) =>
    Array.isArray(value) ? { property: value } : { schema: value },
};

function timestamp(value: unknown, isFine: boolean): Json | undefined {
  if (typeof value !== 'string') return undefined;
  const milliseconds = Date.parse(value);
  if (Number.isNaN(milliseconds)) return undefined;
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? '';
  const nanos = isFine ? Number(fraction.slice(0, 6).padEnd(6, '0')) * 1000 : 0;
  return { seconds: Math.floor(milliseconds / 1000), nanos };
}

function embedded(value: unknown): Json | undefined {
  if (value === undefined || value === null) return undefined;
  return { '-': Buffer.from(encodeJson(value)).toString('base64') };
}
