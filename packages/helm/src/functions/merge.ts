import type { Budget } from '../go/budget.ts';
import { GoMap, GoSlice, type GoValue, itemsOf, kindOf } from '../go/value.ts';
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
  budget.enter(depth);
  budget.step(1 + source.size);
  for (const key of source.sortedKeys()) {
    const given = source.get(key)!;
    const existing = target.get(key);
    if (given === null) {
      if (overwrites) target.set(key, given);
      continue;
    }
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

function emptyLike(value: GoValue): GoValue {
  return value instanceof GoSlice ? new GoSlice(value.type, []) : [];
}
