import { CelList, type CelResult } from '../values/value.ts';
import { actualSize, type CallCost, textFactor } from './call-cost.ts';

/** A call, and the list that it makes. */
const allocating = (size: number, factor: number) => Math.floor(size * factor) + 1 + 10;

/** Comparing every item of a list with every other. */
function selfComparing(list: CelResult): number {
  const size = actualSize(list);
  const first = list instanceof CelList && size > 0 ? list.at(0) : undefined;
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return allocating(size * size, isText ? 2 + textFactor : 2);
}

const onResult: CallCost = (_args, result) => allocating(actualSize(result), 1);
const onPair =
  (factor: number): CallCost =>
  ([first, second]) =>
    1 + factor * actualSize(first as CelResult) * actualSize(second as CelResult);

const costs: Readonly<Record<string, CallCost>> = {
  list_slice: onResult,
  lists_range: onResult,
  list_reverse: onResult,
  list_flatten: ([first]) => allocating(actualSize(first as CelResult), 1),
  list_flatten_int: ([first, depth]) =>
    allocating(actualSize(first as CelResult), typeof depth === 'bigint' ? Number(depth) : 1),
  list_distinct: ([first]) => selfComparing(first as CelResult),
  list_sets_contains_list: onPair(1),
  list_sets_intersects_list: onPair(1),
  list_sets_equivalent_list: onPair(2),
};

/** The cost of the functions that extend the language with lists; undefined for any other. */
export function listCallCostOf(overload: string): CallCost | undefined {
  if (Object.hasOwn(costs, overload)) return costs[overload];
  if (overload.endsWith('_sortByAssociatedKeys')) {
    return ([, keys]) => selfComparing(keys as CelResult);
  }
  const isSort = overload.startsWith('list_') && overload.endsWith('_sort');
  return isSort ? ([first]) => selfComparing(first as CelResult) : undefined;
}
