import { equalLists, equalMaps, ValueList } from './collections.ts';
import { showDuration, showTimestamp } from './time.ts';
import {
  CelDuration,
  CelFailure,
  CelList,
  CelMap,
  CelOptional,
  type CelResult,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from './value.ts';

/**
 * A value of JSON as one of CEL, without a schema: whole numbers are ints. Nothing is copied.
 *
 * ```ts
 * celOfJson(3); // 3n
 * celOfJson(3.5); // 3.5
 * ```
 */
export function celOfJson(value: unknown): CelValue {
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? BigInt(value) : value;
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null) return null;
  if (Array.isArray(value)) return new JsonList(value);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) {
    return new JsonMap(value as Readonly<Record<string, unknown>>);
  }
  return value as CelValue;
}

class JsonList extends CelList {
  readonly json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    super();
    this.json = json;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): CelValue {
    return celOfJson(this.json[index]);
  }

  concat(other: CelList): CelResult {
    return new ValueList(this.json.map(celOfJson)).concat(other);
  }

  equals(other: CelValue): boolean | CelFailure {
    return other instanceof CelList && equalLists(this, other);
  }
}

class JsonMap extends CelMap {
  readonly json: Readonly<Record<string, unknown>>;
  #size: number | undefined;

  constructor(json: Readonly<Record<string, unknown>>) {
    super();
    this.json = json;
  }

  get size(): number {
    this.#size ??= Object.keys(this.json).length;
    return this.#size;
  }

  find(key: CelValue): CelResult | undefined {
    if (typeof key !== 'string') return undefined;
    return Object.hasOwn(this.json, key) ? celOfJson(this.json[key]) : undefined;
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.json);
  }

  equals(other: CelValue): boolean | CelFailure {
    return other instanceof CelMap && equalMaps(this, other);
  }
}

/**
 * A value of CEL as JSON; undefined for what JSON does not have.
 *
 * ```ts
 * jsonOfCel(3n); // 3
 * ```
 */
export function jsonOfCel(value: CelResult): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return toNumber(value);
  if (typeof value === 'number') return value;
  if (value instanceof CelUint) return toNumber(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof CelTimestamp) return showTimestamp(value);
  if (value instanceof CelDuration) return showDuration(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOptional)
    return value.value === undefined ? undefined : jsonOfCel(value.value);
  if (value instanceof CelList) return [...value].map(jsonOfCel);
  if (value instanceof CelMap) {
    const json: Record<string, unknown> = {};
    for (const key of value.keys()) {
      const item = jsonOfCel(value.find(key) as CelResult);
      if (item !== undefined)
        Object.defineProperty(json, String(jsonOfCel(key)), {
          value: item,
          enumerable: true,
          writable: true,
          configurable: true,
        });
    }
    return json;
  }
  if (value instanceof CelFailure) return undefined;
  return value.toString();
}

function toNumber(value: bigint): number | bigint {
  const number = Number(value);
  return BigInt(number) === value ? number : value;
}
