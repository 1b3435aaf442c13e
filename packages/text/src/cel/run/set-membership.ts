import { CelFailure, type CelList, CelUint, type CelValue } from '../values/value.ts';
import type { Step } from './run.ts';

/**
 * `x in ['a', 'b']` with a list that is the same each time: looked up, not searched. False for the
 * empty list; undefined when the items are of kinds that cannot be looked up.
 */
export function setMembership(item: Step, list: CelValue): Step | false | undefined {
  const items = [...(list as CelList)];
  if (items.length === 0) return false;
  const keys = items.map(keyOf);
  if (keys.includes(undefined)) return undefined;
  const known = new Set(keys);
  return (run) => {
    const value = item(run);
    if (value instanceof CelFailure) return value;
    const key = keyOf(value);
    return key !== undefined && known.has(key);
  };
}

/** Numbers that are equal have the same key, whatever their types. */
function keyOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return `s${value}`;
    case 'boolean':
      return `b${value}`;
    case 'bigint':
      return `n${value}`;
    case 'number':
      return Number.isInteger(value) ? `n${BigInt(value)}` : `n${value}`;
    default:
      if (value === null) return 'null';
      return value instanceof CelUint ? `n${value.value}` : undefined;
  }
}
