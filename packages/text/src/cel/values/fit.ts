import { type CelType, nameOfType } from '../types/type.ts';
import {
  CelFailure,
  CelList,
  CelMap,
  CelOptional,
  type CelResult,
  type CelValue,
  typeNameOf,
} from './value.ts';

/** Whether a value is of a type; of lists and maps the first items speak for all. */
export function fits(value: CelResult, type: CelType): boolean {
  if (value instanceof CelFailure) return false;
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true;
    case 'list':
      return value instanceof CelList && (value.size === 0 || fits(value.at(0), type.item));
    case 'map':
      return value instanceof CelMap && fitsMap(value, type.key, type.value);
    case 'opaque':
      if (value instanceof CelOptional) {
        if (type.name !== 'optional_type') return false;
        return value.value === undefined || fits(value.value, type.params[0] as CelType);
      }
      break;
  }
  return typeNameOf(value) === nameOfType(type);
}

function fitsMap(map: CelMap, keyType: CelType, valueType: CelType): boolean {
  for (const key of map.keys())
    return fits(key, keyType) && fits(map.find(key) as CelValue, valueType);
  return true;
}
