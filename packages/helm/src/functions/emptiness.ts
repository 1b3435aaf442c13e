import { GoComplex, GoInt, GoMap, GoObject, type GoValue, itemsOf } from '../go/value.ts';

/** Sprig's `empty`: nil, zero, false, and what holds nothing; a struct is never empty. */
export function isEmpty(value: GoValue): boolean {
  switch (typeof value) {
    case 'string':
      return value === '';
    case 'number':
      return value === 0;
    case 'boolean':
      return !value;
  }
  if (value === null) return true;
  if (value instanceof GoMap) return value.size === 0;
  if (value instanceof GoInt) return value.value === 0n;
  if (value instanceof GoComplex) return value.real === 0 && value.imaginary === 0;
  return !(value instanceof GoObject) && itemsOf(value)!.length === 0;
}
