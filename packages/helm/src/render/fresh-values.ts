import { GoMap, type GoValue } from '../go/value.ts';

/**
 * Values as they are now: what templates set in them is gone with the copy. What two places share, as the globals of
 * charts, they share in the copy too.
 */
export function freshValues(values: GoMap): GoMap {
  const known = new Map<object, Map<string, GoValue> | readonly GoValue[]>();
  const copy = (value: GoValue): GoValue => {
    if (value instanceof GoMap) return new GoMap(entriesOf(value), value.type, value.isNil);
    if (!Array.isArray(value)) return value;
    const before = known.get(value);
    if (before !== undefined) return before as readonly GoValue[];
    const items: GoValue[] = [];
    known.set(value, items);
    for (const item of value) items.push(copy(item));
    return items;
  };
  const entriesOf = ({ entries }: GoMap): Map<string, GoValue> => {
    const before = known.get(entries);
    if (before !== undefined) return before as Map<string, GoValue>;
    const made = new Map<string, GoValue>();
    known.set(entries, made);
    for (const [key, value] of entries) made.set(key, copy(value));
    return made;
  };
  return copy(values) as GoMap;
}
