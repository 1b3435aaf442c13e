import { equalValues } from './equality.ts';
import {
  CelFailure,
  CelList,
  CelMap,
  CelOptional,
  type CelResult,
  CelUint,
  type CelValue,
} from './value.ts';

/** No text, bytes or list that an expression makes is larger than a request may be. */
export const maxSize = 3 * 1024 * 1024;
export const tooLarge = new CelFailure(
  `a text or list that an expression makes may have ${maxSize} characters or items`,
);

/**
 * A list of values that are there. Lists that grow one by one share their items: the newest one
 * owns the end of the array, so that building a list of n items takes n steps.
 *
 * ```ts
 * const list = new ValueList(['a', 'b']);
 * list.at(1); // 'b'
 * ```
 */
export class ValueList extends CelList {
  readonly #items: CelValue[];
  readonly size: number;

  constructor(items: CelValue[], size = items.length) {
    super();
    this.#items = items;
    this.size = size;
  }

  at(index: number): CelValue {
    return this.#items[index] as CelValue;
  }

  concat(other: CelList): CelResult {
    if (this.size + other.size > maxSize) return tooLarge;
    const items = this.size === this.#items.length ? this.#items : this.#items.slice(0, this.size);
    const before = items.length;
    for (const item of other) {
      if (item instanceof CelFailure) {
        items.length = before;
        return item;
      }
      items.push(item);
    }
    return new ValueList(items);
  }

  equals(other: CelValue): boolean | CelFailure {
    return other instanceof CelList && equalLists(this, other);
  }
}

export function equalLists(one: CelList, other: CelList): boolean | CelFailure {
  if (one.size !== other.size) return false;
  for (let index = 0; index < one.size; index += 1) {
    const isEqual = equalValues(one.at(index), other.at(index));
    if (isEqual !== true) return isEqual;
  }
  return true;
}

type PlainKey = string | boolean | bigint;

/** Numbers that are equal are the same key, whatever their types. */
function plainKey(key: CelValue): PlainKey | undefined {
  switch (typeof key) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return key;
    case 'number':
      return Number.isInteger(key) ? BigInt(key) : undefined;
    default:
      return key instanceof CelUint ? key.value : undefined;
  }
}

interface Entry {
  readonly index: number;
  readonly key: CelValue;
  readonly value: CelValue;
}

/**
 * A map of values that are there. Maps that grow share their entries, as lists do.
 *
 * ```ts
 * const map = ValueMap.of([['color', 'red']]);
 * map.find('color'); // 'red'
 * ```
 */
export class ValueMap extends CelMap {
  readonly #entries: Map<PlainKey, Entry>;
  readonly size: number;

  constructor(entries: Map<PlainKey, Entry> = new Map()) {
    super();
    this.#entries = entries;
    this.size = entries.size;
  }

  static of(entries: Iterable<readonly [CelValue, CelValue]>): ValueMap {
    let map = new ValueMap();
    for (const [key, value] of entries) map = map.insert(key, value) as ValueMap;
    return map;
  }

  /** The map with another entry, which must be new. */
  insert(key: CelValue, value: CelValue): ValueMap | CelFailure {
    const plain = plainKey(key);
    if (plain === undefined) return new CelFailure(`unsupported key type: ${typeof key}`);
    if (this.find(key) !== undefined) {
      return new CelFailure(`insert failed: key ${String(plain)} already exists`);
    }
    const entries =
      this.size === this.#entries.size
        ? this.#entries
        : new Map([...this.#entries].filter(([, { index }]) => index < this.size));
    entries.set(plain, { index: this.size, key, value });
    return new ValueMap(entries);
  }

  find(key: CelValue): CelResult | undefined {
    const plain = plainKey(key);
    if (plain === undefined) {
      return typeof key === 'number'
        ? undefined
        : new CelFailure(`unsupported key type: ${key === null ? 'null_type' : 'list'}`);
    }
    const entry = this.#entries.get(plain);
    return entry === undefined || entry.index >= this.size ? undefined : entry.value;
  }

  *keys(): Generator<CelValue> {
    for (const { index, key } of this.#entries.values()) if (index < this.size) yield key;
  }

  equals(other: CelValue): boolean | CelFailure {
    return other instanceof CelMap && equalMaps(this, other);
  }
}

export function equalMaps(one: CelMap, other: CelMap): boolean | CelFailure {
  if (one.size !== other.size) return false;
  for (const key of one.keys()) {
    const theirs = other.find(key);
    if (theirs === undefined) return false;
    const isEqual = equalValues(one.find(key) as CelResult, theirs);
    if (isEqual !== true) return isEqual;
  }
  return true;
}

/** Whether a value is empty or zero, for `optional.ofNonZeroValue`. */
export function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelOptional) return value.value === undefined;
  return false;
}
