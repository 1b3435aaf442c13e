import { equalJson, isObject } from '../../json.ts';
import { ValueList } from '../values/collections.ts';
import { equalValues } from '../values/equality.ts';
import { dateOf, parseTimestamp } from '../values/time.ts';
import {
  CelDuration,
  CelFailure,
  CelList,
  CelMap,
  type CelResult,
  CelTimestamp,
  type CelValue,
  noSuchOverload,
} from '../values/value.ts';
import { parseOpenApiDuration } from './duration.ts';
import { escapeField, unescapeField } from './escape.ts';
import { type CelSchema, valuesOf, withObjectMeta } from './structural.ts';

/**
 * A value of JSON as its schema says. Nothing is copied; parts are made when they are asked for.
 *
 * ```ts
 * celOfSchema(3, { type: 'integer' }); // 3n
 * celOfSchema(null, { type: 'integer' }) instanceof CelFailure; // true
 * ```
 */
export function celOfSchema(json: unknown, schema: CelSchema): CelResult {
  if (json === null || json === undefined) {
    return schema.nullable === true
      ? null
      : new CelFailure('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string'] === true) return intOrString(json);
  switch (schema.type) {
    case 'object':
      return isObject(json)
        ? new SchemaMap(json, schema)
        : new CelFailure('invalid data, expected a map for the provided schema with type=object');
    case 'array':
      return listOfSchema(json, schema);
    case 'string':
      return typeof json === 'string' ? textOfSchema(json, schema) : notA('string', json);
    case 'number':
      if (typeof json === 'number') return json;
      return typeof json === 'bigint' ? Number(json) : notA('float', json);
    case 'integer':
      if (typeof json === 'bigint') return json;
      return Number.isInteger(json) ? BigInt(json as number) : notA('int', json);
    case 'boolean':
      return typeof json === 'boolean' ? json : notA('bool', json);
    default:
      if (schema['x-kubernetes-preserve-unknown-fields'] === true) return new UnknownMap(json);
      return new CelFailure(
        `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ''}`,
      );
  }
}

function notA(type: string, json: unknown): CelFailure {
  const goTypes: Record<string, string> = { string: 'string', boolean: 'bool' };
  const whole = Number.isInteger(json) ? 'int64' : 'float64';
  const found =
    goTypes[typeof json] ?? (typeof json === 'number' ? whole : 'map[string]interface {}');
  return new CelFailure(`invalid data, expected ${type}, got ${found}`);
}

function intOrString(json: unknown): CelResult {
  if (typeof json === 'string' || typeof json === 'bigint') return json;
  if (Number.isInteger(json)) return BigInt(json as number);
  return new CelFailure(
    'invalid data, expected XIntOrString value to be either a string or integer',
  );
}

function textOfSchema(text: string, { format }: CelSchema): CelResult {
  switch (format) {
    case 'duration': {
      const duration = parseOpenApiDuration(text);
      return duration === undefined
        ? new CelFailure(`Invalid duration ${text}: unable to parse ${text} as duration`)
        : new CelDuration(duration);
    }
    case 'date': {
      const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
      const seconds = dateOf(Number(year), Number(month), Number(day));
      return seconds === undefined
        ? new CelFailure(`Invalid date formatted string ${text}: cannot parse it`)
        : new CelTimestamp(BigInt(seconds) * 1_000_000_000n);
    }
    case 'date-time':
      return (
        parseTimestamp(text.toUpperCase()) ??
        new CelFailure(`Invalid date-time formatted string ${text}: cannot parse it`)
      );
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    default:
      return text;
  }
}

function listOfSchema(json: unknown, schema: CelSchema): CelResult {
  if (!Array.isArray(json)) {
    return new CelFailure(
      'invalid data, expected an array for the provided schema with type=array',
    );
  }
  const { items } = schema;
  if (items === undefined) {
    return new CelFailure('invalid array type, expected Items with a non-empty Schema');
  }
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeField(key) ?? key);
  switch (schema['x-kubernetes-list-type']) {
    case 'map':
      return new KeyedList(json, items, keys);
    case 'set':
      return new SetList(json, items);
    default:
      return new SchemaList(json, items);
  }
}

/** A list whose items have a schema. */
class SchemaList extends CelList {
  readonly json: readonly unknown[];
  readonly items: CelSchema;

  constructor(json: readonly unknown[], items: CelSchema) {
    super();
    this.json = json;
    this.items = items;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): CelResult {
    return celOfSchema(this.json[index], this.items);
  }

  concat(other: CelList): CelResult {
    const own: CelValue[] = [];
    for (const item of this) {
      if (item instanceof CelFailure) return item;
      own.push(item);
    }
    return new ValueList(own).concat(other);
  }

  equals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (this.size !== other.size) return false;
    for (let index = 0; index < this.size; index += 1) {
      const isEqual = equalValues(this.at(index), other.at(index));
      if (isEqual !== true) return isEqual;
    }
    return true;
  }
}

/** A list without order: the same items make the same list. */
class SetList extends SchemaList {
  #keys: Set<unknown> | undefined;

  get keys(): ReadonlySet<unknown> {
    this.#keys ??= new Set([...this].map(scalarKey));
    return this.#keys;
  }

  override equals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (this.size !== other.size) return false;
    for (const item of other) if (!this.keys.has(scalarKey(item))) return false;
    return true;
  }

  /** What the other has besides comes behind. */
  override concat(other: CelList): CelResult {
    const keys = new Set(this.keys);
    const added: CelValue[] = [];
    for (const item of other) {
      if (item instanceof CelFailure) return item;
      const key = scalarKey(item);
      if (keys.has(key)) continue;
      keys.add(key);
      added.push(item);
    }
    return new SetValues([...this, ...added] as CelValue[]);
  }
}

function scalarKey(value: CelResult): unknown {
  return typeof value === 'bigint' ? `n${value}` : typeof value === 'string' ? `s${value}` : value;
}

/** A set that an expression made. */
class SetValues extends ValueList {
  override equals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (this.size !== other.size) return false;
    const keys = new Set([...this].map(scalarKey));
    for (const item of other) if (!keys.has(scalarKey(item))) return false;
    return true;
  }
}

/** A list whose items have keys: order does not count, and adding replaces. */
class KeyedList extends SchemaList {
  readonly keys: readonly string[];

  constructor(json: readonly unknown[], items: CelSchema, keys: readonly string[]) {
    super(json, items);
    this.keys = keys;
  }

  #keyOf(item: CelResult): string {
    if (!(item instanceof CelMap)) return '';
    return JSON.stringify(this.keys.map((key) => String(scalarKey(item.find(key) ?? null))));
  }

  override equals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (this.size !== other.size) return false;
    const own = new Map([...this].map((item) => [this.#keyOf(item), item]));
    for (const item of other) {
      const mine = own.get(this.#keyOf(item));
      if (mine === undefined) return false;
      const isEqual = equalValues(mine, item);
      if (isEqual !== true) return isEqual;
    }
    return true;
  }

  override concat(other: CelList): CelResult {
    const merged = [...this];
    const places = new Map(merged.map((item, index) => [this.#keyOf(item), index]));
    for (const item of other) {
      const place = places.get(this.#keyOf(item));
      if (place === undefined) merged.push(item);
      else merged[place] = item;
    }
    const failure = merged.find((item) => item instanceof CelFailure);
    return failure ?? new ValueList(merged as CelValue[]);
  }
}

/** An object with fields, or a map. Of objects only the fields that the schema names can be seen. */
class SchemaMap extends CelMap {
  readonly json: Readonly<Record<string, unknown>>;
  readonly #properties: Readonly<Record<string, CelSchema>> | undefined;
  readonly #values: CelSchema | undefined;
  #size: number | undefined;

  constructor(json: Readonly<Record<string, unknown>>, schema: CelSchema) {
    super();
    this.json = json;
    const whole =
      schema['x-kubernetes-embedded-resource'] === true ? withObjectMeta(schema) : schema;
    this.#properties = whole.properties;
    this.#values = valuesOf(whole);
  }

  get size(): number {
    this.#size ??= Object.keys(this.json).length;
    return this.#size;
  }

  #schemaOf(field: string): CelSchema | undefined {
    if (this.#properties === undefined) return this.#values;
    return Object.hasOwn(this.#properties, field) ? this.#properties[field] : undefined;
  }

  find(key: CelValue): CelResult | undefined {
    if (typeof key !== 'string') return noSuchOverload;
    const field = this.#properties === undefined ? key : unescapeField(key);
    if (field === undefined || !Object.hasOwn(this.json, field)) return undefined;
    const value = this.json[field];
    // A field that is null is as good as none.
    if (this.#properties !== undefined && (value === null || value === undefined)) return undefined;
    const schema = this.#schemaOf(field);
    return schema === undefined ? undefined : celOfSchema(value, schema);
  }

  *keys(): Generator<CelValue> {
    for (const field of Object.keys(this.json)) {
      if (this.#schemaOf(field) === undefined) continue;
      yield this.#properties === undefined ? field : (escapeField(field) ?? field);
    }
  }

  equals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof CelMap)) return noSuchOverload;
    if (this.size !== other.size) return false;
    for (const field of Object.keys(this.json)) {
      if (this.#schemaOf(field) === undefined) {
        // Of what no schema is known only the JSON can be compared.
        if (!(other instanceof SchemaMap)) return noSuchOverload;
        const theirs = other.json[field];
        if (theirs !== undefined && !equalJson(this.json[field], theirs)) return false;
        continue;
      }
      const [mine, theirs] = [this.find(field), other.find(field)];
      if ((mine === undefined) !== (theirs === undefined)) return false;
      if (mine === undefined) continue;
      const isEqual = equalValues(mine, theirs as CelResult);
      if (isEqual !== true) return isEqual;
    }
    return true;
  }
}

/** Something of which the schema says nothing: it can be compared, and nothing else. */
class UnknownMap extends CelMap {
  readonly json: unknown;
  readonly size = 0;

  constructor(json: unknown) {
    super();
    this.json = json;
  }

  find(): undefined {
    return undefined;
  }

  keys(): Iterable<CelValue> {
    return [];
  }

  equals(other: CelValue): boolean | CelFailure {
    return other instanceof UnknownMap && equalJson(this.json, other.json);
  }
}
