import type { Budget } from '../go/budget.ts';
import {
  GoComplex,
  GoInt,
  GoMap,
  GoObject,
  type GoValue,
  isNil,
  itemsOf,
  typeOf,
} from '../go/value.ts';

/** Go's reflect.DeepEqual: types have to be equal, too. */
export function isDeepEqual(a: GoValue, b: GoValue, budget: Budget, depth = 0): boolean {
  budget.step(2);
  budget.nest(depth);
  if (a === b) return typeof a !== 'number' || !Number.isNaN(a);
  if (a === null || b === null || typeOf(a) !== typeOf(b)) return false;
  if (a instanceof GoInt && b instanceof GoInt) return a.value === b.value;
  if (a instanceof GoComplex && b instanceof GoComplex) {
    return a.real === b.real && a.imaginary === b.imaginary;
  }
  if (isNil(a) !== isNil(b)) return false;
  if (a instanceof GoMap && b instanceof GoMap) {
    if (a.size !== b.size) return false;
    for (const [key, value] of a.entries) {
      const other = b.get(key);
      if (other === undefined || !isDeepEqual(value, other, budget, depth + 1)) return false;
    }
    return true;
  }
  if (a instanceof GoObject && b instanceof GoObject) {
    return a.fields.every(({ value }, at) =>
      isDeepEqual(value, b.fields[at]!.value, budget, depth + 1),
    );
  }
  const items = itemsOf(a);
  const others = itemsOf(b);
  if (items === undefined || others === undefined || items.length !== others.length) return false;
  return items.every((item, at) => isDeepEqual(item, others[at]!, budget, depth + 1));
}
