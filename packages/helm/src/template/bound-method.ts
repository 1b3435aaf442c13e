import type { GoFunction } from '../go/function.ts';
import type { GoType } from '../go/type.ts';
import type { GoValue } from '../go/value.ts';

/** The method of that name, bound to its receiver. */
export function boundMethod(value: GoValue, type: GoType, name: string): GoFunction | undefined {
  return type.methods?.get(name)?.(value);
}
