import { any, type FunctionTable, fn, str } from '../go/define.ts';
import { type GoValue, kindOf, typeOf } from '../go/value.ts';
import { isDeepEqual } from './deep-equal.ts';

/** `typeOf`, `kindOf` and their relatives. */
export const reflectionFunctions: FunctionTable = {
  typeOf: fn([any], (_, value) => typeName(value)),
  typeIs: fn([str, any], (_, name, value) => typeName(value) === name),
  typeIsLike: fn([str, any], (_, name, value) => {
    const found = typeName(value);
    return found === name || found === `*${name}`;
  }),
  kindOf: fn([any], (_, value) => kindOf(value)),
  kindIs: fn([str, any], (_, kind, value) => kindOf(value) === kind),
  deepEqual: fn([any, any], ({ budget }, a, b) => isDeepEqual(a, b, budget)),
};

function typeName(value: GoValue): string {
  return typeOf(value)?.name ?? '<nil>';
}
