import { Boxed, type Reflected } from '../go/function.ts';
import { GoComplex, GoInt, GoMap, GoObject, GoSlice, unboxed } from '../go/value.ts';

/** Whether a value counts as true in `if`, `with`, `and`, `or` and `not`. */
export function isTrue(reflected: Reflected): boolean {
  const value = reflected instanceof Boxed ? unboxed(reflected) : reflected;
  switch (typeof value) {
    case 'undefined':
      return false;
    case 'string':
      return value !== '';
    case 'boolean':
      return value;
    case 'number':
      return value !== 0;
  }
  if (value instanceof GoMap) return value.size > 0;
  if (value instanceof GoInt) return value.value !== 0n;
  if (value instanceof GoSlice) return value.items.length > 0;
  if (value instanceof GoComplex) return value.real !== 0 || value.imaginary !== 0;
  return value instanceof GoObject || (value as { length: number }).length > 0;
}
