import type { Budget } from '../go/budget.ts';
import { GoPanic } from '../go/function.ts';
import { GoMap, GoObject, GoSlice, type GoValue, itemsOf, kindOf } from '../go/value.ts';
import { isEmpty } from './emptiness.ts';

/**
 * Merges a map into another, in place, as dario.cat/mergo does: without `overwrites` only what is empty in
 * the target is filled; with it what the source has wins. Maps that both have are merged; a null of the
 * source only counts when it overwrites. Maps of the source are shared, not copied.
 */
export function mergeInto(
  target: GoMap,
  source: GoMap,
  overwrites: boolean,
  budget: Budget,
  depth = 0,
): void {
  budget.nest(depth);
  budget.step(1 + source.size);
  for (const key of source.sortedKeys()) {
    const given = source.get(key)!;
    const existing = target.get(key);
    if (given === null) {
      if (overwrites) target.set(key, given);
      continue;
    }
    checkFields(existing, given);
    if (given instanceof GoMap && existing instanceof GoMap) {
      if (existing !== given && existing.entries !== given.entries) {
        mergeInto(existing, given, overwrites, budget, depth + 1);
      }
      if (existing.size > 0) continue;
    }
    const isList = itemsOf(given) !== undefined;
    if (isList) {
      // Mergo asks whether the whole target is empty here, not the one list.
      const replaces = source.size > 0 && (overwrites || target.size === 0);
      const kept = existing === undefined || existing === null ? emptyLike(given) : existing;
      target.set(key, replaces ? given : kept);
      if (existing !== undefined && !isEmpty(existing)) continue;
    }
    if (
      overwrites ? kindOf(given) !== 'ptr' || isEmpty(existing ?? null) : isEmpty(existing ?? null)
    ) {
      target.set(key, given);
    }
  }
}

/** Mergo goes through the fields of a struct in the target, and of the source takes the same ones: a map has none. */
function checkFields(target: GoValue | undefined, given: GoValue): void {
  if (!(target instanceof GoObject)) return;
  const { type, fields } = target;
  const isGoneThrough = type.kind === 'struct' && fields.some(({ name }) => /^[A-Z]/.test(name));
  if (isGoneThrough && given instanceof GoMap)
    throw new GoPanic('reflect: call of reflect.Value.Field on map Value');
}

function emptyLike(value: GoValue): GoValue {
  return value instanceof GoSlice ? new GoSlice(value.type, []) : [];
}
