import { type CelLibrary, member, overload } from '../declaration.ts';
import { optionalMacros } from '../syntax/optional-macros.ts';
import {
  boolType,
  dynType,
  intType,
  listOf,
  mapOf,
  optionalOf,
  paramOf,
  stringType,
} from '../types/type.ts';
import { isZero, ValueList } from '../values/collections.ts';
import {
  CelFailure,
  type CelList,
  CelOptional,
  type CelResult,
  type CelValue,
  noSuchOverload,
} from '../values/value.ts';

const k = paramOf('K');
const v = paramOf('V');
const optional = optionalOf(v);

function itemAt(list: CelList, index: number): CelResult {
  if (list.size === 0) return CelOptional.none;
  const item = list.at(index);
  return item instanceof CelFailure ? item : new CelOptional(item);
}

function unwrap(list: CelValue): CelResult {
  const values: CelValue[] = [];
  for (const item of list as CelList) {
    if (item instanceof CelFailure) return item;
    if (!(item instanceof CelOptional))
      return new CelFailure(`value ${String(item)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return new ValueList(values);
}

/** Values that may be missing: `a.?b`, `a[?b]`, `optional.of(a)`. */
export const optionals: CelLibrary = {
  macros: optionalMacros,
  functions: {
    'optional.of': [overload('optional_of', [v], optional, (value) => new CelOptional(value))],
    'optional.ofNonZeroValue': [
      overload('optional_ofNonZeroValue', [v], optional, (value) =>
        isZero(value) ? CelOptional.none : new CelOptional(value),
      ),
    ],
    'optional.none': [overload('optional_none', [], optional, () => CelOptional.none)],
    value: [
      member('optional_value', [optional], v, (value) => {
        const inner = (value as CelOptional).value;
        return inner === undefined ? new CelFailure('optional.none() dereference') : inner;
      }),
    ],
    hasValue: [
      member(
        'optional_hasValue',
        [optional],
        boolType,
        (value) => (value as CelOptional).value !== undefined,
      ),
    ],
    or: [member('optional_or_optional', [optional, optional], optional, () => noSuchOverload)],
    orValue: [member('optional_orValue_value', [optional, v], v, () => noSuchOverload)],
    '_?._': [
      overload('select_optional_field', [dynType, stringType], optional, () => noSuchOverload),
    ],
    '_[?_]': [
      overload('list_optindex_optional_int', [listOf(v), intType], optional, () => noSuchOverload),
      overload(
        'optional_list_optindex_optional_int',
        [optionalOf(listOf(v)), intType],
        optional,
        () => noSuchOverload,
      ),
      overload('map_optindex_optional_value', [mapOf(k, v), k], optional, () => noSuchOverload),
      overload(
        'optional_map_optindex_optional_value',
        [optionalOf(mapOf(k, v)), k],
        optional,
        () => noSuchOverload,
      ),
    ],
    '_[_]': [
      overload(
        'optional_list_index_int',
        [optionalOf(listOf(v)), intType],
        optional,
        () => noSuchOverload,
      ),
      overload(
        'optional_map_index_value',
        [optionalOf(mapOf(k, v)), k],
        optional,
        () => noSuchOverload,
      ),
    ],
    first: [member('list_first', [listOf(v)], optional, (list) => itemAt(list as CelList, 0))],
    last: [
      member('list_last', [listOf(v)], optional, (list) =>
        itemAt(list as CelList, (list as CelList).size - 1),
      ),
    ],
    'optional.unwrap': [overload('optional_unwrap', [listOf(optional)], listOf(v), unwrap)],
    unwrapOpt: [member('optional_unwrapOpt', [listOf(optional)], listOf(v), unwrap)],
  },
};
