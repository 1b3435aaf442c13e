import { type CelLibrary, member, overload } from '../declaration.ts';
import { sortByMacro } from '../syntax/optional-macros.ts';
import { twoVariableMacros } from '../syntax/standard-macros.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nameOfType,
  paramOf,
  stringType,
  timestampType,
  uintType,
} from '../types/type.ts';
import { ValueList, ValueMap } from '../values/collections.ts';
import { compareValues, equalValues } from '../values/equality.ts';
import {
  CelDuration,
  CelFailure,
  type CelList,
  type CelMap,
  type CelResult,
  CelUint,
  type CelValue,
  CelList as List,
  noSuchOverload,
  typeNameOf,
} from '../values/value.ts';
import { add, contains } from './arithmetic.ts';

const t = paramOf('T');
const listOfT = listOf(t);

const comparable: readonly (readonly [string, CelType])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

const zeros: readonly (readonly [string, CelType, CelValue])[] = [
  ['int', intType, 0n],
  ['uint', uintType, new CelUint(0n)],
  ['double', doubleType, 0],
  ['duration', durationType, new CelDuration(0n)],
];

function isSorted(list: CelValue): CelResult {
  let before: CelValue | undefined;
  for (const item of list as CelList) {
    if (item instanceof CelFailure) return item;
    if (before !== undefined && compareValues(before, item) === 1) return false;
    before = item;
  }
  return true;
}

function sum(list: CelValue, zero: CelValue): CelResult {
  let total: CelResult = zero;
  for (const item of list as CelList) {
    if (item instanceof CelFailure) return item;
    total = add(total, item);
    if (total instanceof CelFailure) return total;
  }
  return total;
}

/** The item before or after all others. */
function extreme(name: string, isBetter: number) {
  return (list: CelValue): CelResult => {
    let best: CelValue | undefined;
    for (const item of list as CelList) {
      if (item instanceof CelFailure) return item;
      if (best === undefined || compareValues(best, item) === isBetter) best = item;
    }
    return best ?? new CelFailure(`${name} called on empty list`);
  };
}

function indexOf(value: CelValue, item: CelValue): CelResult {
  const list = value as CelList;
  for (let index = 0; index < list.size; index += 1) {
    if (equalValues(list.at(index), item) === true) return BigInt(index);
  }
  return -1n;
}

function lastIndexOf(value: CelValue, item: CelValue): CelResult {
  const list = value as CelList;
  for (let index = list.size - 1; index >= 0; index -= 1) {
    if (equalValues(list.at(index), item) === true) return BigInt(index);
  }
  return -1n;
}

/** The list of some items, unless one of them cannot be made. */
function listFrom(items: readonly CelResult[]): CelResult {
  const failure = items.find((item) => item instanceof CelFailure);
  return failure ?? new ValueList(items as CelValue[]);
}

function slice(value: CelValue, from: CelValue, to: CelValue): CelResult {
  const [list, start, end] = [value as CelList, from as bigint, to as bigint];
  const fail = (why: string) => new CelFailure(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) return fail('negative indexes not supported');
  if (start > end) return fail('start index must be less than or equal to end index');
  if (BigInt(list.size) < end) return fail(`list is length ${list.size}`);
  return listFrom([...list].slice(Number(start), Number(end)));
}

function flatten(value: CelValue, depth: CelValue = 1n): CelResult {
  if (!(value instanceof List) || typeof depth !== 'bigint') return noSuchOverload;
  if (depth < 0n) return new CelFailure('level must be non-negative');
  const items: CelResult[] = [];
  const visit = (list: CelList, left: bigint): void => {
    for (const item of list) {
      if (item instanceof List && left > 0n) visit(item, left - 1n);
      else items.push(item);
    }
  };
  visit(value, depth);
  return listFrom(items);
}

function sortBy(value: CelValue, by: CelValue): CelResult {
  const [list, keys] = [[...(value as CelList)], [...(by as CelList)]];
  if (list.length !== keys.length) {
    return new CelFailure(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.length} and ${keys.length} elements respectively`,
    );
  }
  const failure = keys.find((key) => key instanceof CelFailure);
  if (failure !== undefined) return failure;
  const type = keys.length === 0 ? '' : typeNameOf(keys[0] as CelValue);
  if (!keys.every((key) => typeNameOf(key as CelValue) === type)) {
    return new CelFailure('list elements must have the same type');
  }
  const order = keys.map((key, index) => ({ key: key as CelValue, index }));
  order.sort((one, other) => Number(compareValues(one.key, other.key)) || one.index - other.index);
  return listFrom(order.map(({ index }) => list[index] as CelResult));
}

/** A longer list of numbers is more than an expression can look at. */
const maxRange = 1_000_000n;

function range(count: CelValue): CelResult {
  const size = count as bigint;
  if (size > maxRange) return new CelFailure(`lists.range exceeds the limit of ${maxRange} items`);
  return new ValueList(
    Array.from({ length: Math.max(0, Number(size)) }, (_, index) => BigInt(index)),
  );
}

function distinct(value: CelValue): CelResult {
  const kept: CelResult[] = [];
  for (const item of value as CelList) {
    if (!kept.some((other) => equalValues(item, other) === true)) kept.push(item);
  }
  return listFrom(kept);
}

function containsAll(list: CelValue, others: CelValue): CelResult {
  for (const item of others as CelList) {
    const isIn = item instanceof CelFailure ? item : contains(item, list);
    if (isIn !== true) return isIn;
  }
  return true;
}

function isEquivalent(one: CelValue, other: CelValue): CelResult {
  const isIn = containsAll(one, other);
  return isIn === true ? containsAll(other, one) : isIn;
}

function intersects(one: CelValue, other: CelValue): CelResult {
  for (const item of one as CelList) {
    if (!(item instanceof CelFailure) && contains(item, other) === true) return true;
  }
  return false;
}

/** Kubernetes' own functions on lists. */
export const kubernetesLists: CelLibrary = {
  functions: {
    isSorted: comparable.map(([name, type]) =>
      member(`list_${name}_is_sorted_bool`, [listOf(type)], boolType, isSorted),
    ),
    sum: zeros.map(([name, type, zero]) =>
      member(`list_${name}_sum_${name}`, [listOf(type)], type, (list) => sum(list, zero)),
    ),
    max: comparable.map(([name, type]) =>
      member(`list_${name}_max_${name}`, [listOf(type)], type, extreme('max', -1)),
    ),
    min: comparable.map(([name, type]) =>
      member(`list_${name}_min_${name}`, [listOf(type)], type, extreme('min', 1)),
    ),
    indexOf: [member('list_a_index_of_int', [listOfT, t], intType, indexOf)],
    lastIndexOf: [member('list_a_last_index_of_int', [listOfT, t], intType, lastIndexOf)],
  },
};

/** The functions on lists and sets that extend the language. */
export const lists: CelLibrary = {
  macros: [sortByMacro],
  functions: {
    slice: [member('list_slice', [listOfT, intType, intType], listOfT, slice)],
    flatten: [
      { ...member('list_flatten', [listOf(listOfT)], listOfT, flatten), isUnguarded: true },
      {
        ...member('list_flatten_int', [listOf(dynType), intType], listOf(dynType), flatten),
        isUnguarded: true,
      },
    ],
    sort: comparable.map(([, type]) =>
      member(`list_${nameOfType(type)}_sort`, [listOf(type)], listOf(type), (list) =>
        sortBy(list, list),
      ),
    ),
    '@sortByAssociatedKeys': comparable.map(([, type]) =>
      member(
        `list_${nameOfType(type)}_sortByAssociatedKeys`,
        [listOfT, listOf(type)],
        listOfT,
        sortBy,
      ),
    ),
    'lists.range': [overload('lists_range', [intType], listOf(intType), range)],
    reverse: [
      member('list_reverse', [listOfT], listOfT, (list) =>
        listFrom([...(list as CelList)].reverse()),
      ),
    ],
    distinct: [member('list_distinct', [listOfT], listOfT, distinct)],
  },
};

export const sets: CelLibrary = {
  functions: {
    'sets.contains': [
      overload('list_sets_contains_list', [listOfT, listOfT], boolType, containsAll),
    ],
    'sets.equivalent': [
      overload('list_sets_equivalent_list', [listOfT, listOfT], boolType, isEquivalent),
    ],
    'sets.intersects': [
      overload('list_sets_intersects_list', [listOfT, listOfT], boolType, intersects),
    ],
  },
};

const k = paramOf('K');
const v = paramOf('V');
const mapOfKV = mapOf(k, v);

function insert(map: CelValue, key: CelValue, value: CelValue): CelResult {
  const base = map instanceof ValueMap ? map : copyMap(map as CelMap);
  return base instanceof CelFailure ? base : base.insert(key, value);
}

function copyMap(map: CelMap): ValueMap | CelFailure {
  let copy: ValueMap | CelFailure = new ValueMap();
  for (const key of map.keys()) {
    const value = map.find(key) as CelResult;
    if (value instanceof CelFailure) return value;
    copy = (copy as ValueMap).insert(key, value);
    if (copy instanceof CelFailure) return copy;
  }
  return copy;
}

function insertAll(map: CelValue, others: CelValue): CelResult {
  let result: CelResult = map;
  const entries = others as CelMap;
  for (const key of entries.keys()) {
    const value = entries.find(key) as CelResult;
    if (value instanceof CelFailure) return value;
    result = insert(result, key, value);
    if (result instanceof CelFailure) return result;
  }
  return result;
}

/** Loops with two variables. */
export const twoVariableComprehensions: CelLibrary = {
  macros: twoVariableMacros,
  functions: {
    'cel.@mapInsert': [
      overload('@mapInsert_map_key_value', [mapOfKV, k, v], mapOfKV, insert),
      overload('@mapInsert_map_map', [mapOfKV, mapOfKV], mapOfKV, insertAll),
    ],
  },
};
