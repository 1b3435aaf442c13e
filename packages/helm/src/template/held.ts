import { Boxed, boxedNil, type Reflected } from '../go/function.ts';
import { anyType, type GoType } from '../go/type.ts';
import type { GoValue } from '../go/value.ts';

/** What a container holds: in one of `interface {}` everything is boxed. */
export function held(value: GoValue, type: GoType | undefined): Reflected {
  if (value === null) return boxedNil;
  return type === anyType ? new Boxed(value) : value;
}

/** What a map has for a key that it does not have. */
export function zeroOf(type: GoType): Reflected {
  return type.kind === 'string' ? '' : boxedNil;
}
