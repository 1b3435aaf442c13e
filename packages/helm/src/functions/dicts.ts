import type { Budget } from '../go/budget.ts';
import { any, type FunctionTable, fn, map, str, variadic } from '../go/define.ts';
import { GoError, GoPanic } from '../go/function.ts';
import { anyMap, stringSlice } from '../go/type.ts';
import { GoMap, GoObject, GoSlice, type GoValue, itemsOf, typeOf } from '../go/value.ts';
import { mergeInto } from './merge.ts';
import { textOf } from './text-of.ts';

const nilMap = new GoMap([], anyMap, true);

const merge = mergeFunction(false);
const mergeOverwrite = mergeFunction(true);
const deepCopy = fn([any], ({ budget }, value) => copied(value, budget, 0));

/** Sprig's functions of maps. `set`, `unset` and the merges change the map that they are given. */
export const dictFunctions: FunctionTable = {
  dict: variadic([], any, ({ budget }, args) => dict(args, budget)),
  get: fn([map, str], (_, from, key) => from?.get(key) ?? valueOrEmpty(from, key)),
  set: fn([map, str, any], ({ budget }, into, key, value) => {
    if (into === null || into.isNil) throw new GoError('assignment to entry in nil map');
    budget.make(16);
    return into.as(anyMap).set(key, value);
  }),
  unset: fn([map, str], (_, from, key) => {
    from?.delete(key);
    return (from ?? nilMap).as(anyMap);
  }),
  hasKey: fn([map, str], (_, from, key) => from?.has(key) ?? false),
  pluck: variadic([str], map, (_, maps, key) =>
    maps.flatMap((from) => (from?.has(key) ? [from.get(key)!] : [])),
  ),
  keys: variadic([], map, ({ budget }, maps) => {
    const all = maps.flatMap((from) => from?.sortedKeys() ?? []);
    budget.make(all.length * 8);
    return new GoSlice(stringSlice, all);
  }),
  values: fn([map], ({ budget }, from) => {
    budget.make((from?.size ?? 0) * 8);
    return from === null ? [] : from.sortedKeys().map((key) => from.get(key)!);
  }),
  pick: variadic([map], str, (_, keys, from) => {
    const picked = new GoMap();
    for (const key of keys) if (from?.has(key)) picked.set(key, from.get(key)!);
    return picked;
  }),
  omit: variadic([map], str, ({ budget }, keys, from) => {
    const omitted = new Set(keys);
    budget.make((from?.size ?? 0) * 16);
    return new GoMap([...(from?.entries ?? [])].filter(([key]) => !omitted.has(key)));
  }),
  merge,
  mustMerge: merge,
  mergeOverwrite,
  mustMergeOverwrite: mergeOverwrite,
  deepCopy,
  mustDeepCopy: deepCopy,
  dig: variadic([], any, (_, args) => dig(args)),
};

function valueOrEmpty(from: GoMap | null, key: string): GoValue {
  return from?.has(key) ? null : '';
}

function dict(args: readonly GoValue[], budget: Budget): GoMap {
  const made = new GoMap();
  budget.make(args.length * 8);
  for (let at = 0; at < args.length; at += 2) {
    const value = args[at + 1];
    made.set(textOf(args[at]!, budget), value === undefined ? '' : value);
  }
  return made;
}

function mergeFunction(overwrites: boolean) {
  return variadic([map], map, ({ budget }, sources, target) => {
    // A nil map that is merged into becomes one of its own, which the caller does not see.
    const into = target === null || target.isNil ? new GoMap() : target.as(anyMap);
    let isChanged = target !== null && !target.isNil;
    for (const source of sources) {
      if (source === null || source.isNil) continue;
      mergeInto(into, source, overwrites, budget);
      isChanged = true;
    }
    return isChanged ? into : nilMap;
  });
}

/** Of a list or map, whatever is in it. */
const bytesOfCopy = 96;
/** What it takes to make a map, beside what is put into it. */
const stepsOfMap = 20;

function copied(value: GoValue, budget: Budget, depth: number): GoValue {
  budget.nest(depth);
  budget.step();
  if (value === null && depth === 0)
    throw new GoPanic('reflect: call of reflect.Value.Type on zero Value');
  if (value instanceof GoMap) {
    budget.step(stepsOfMap);
    budget.make(bytesOfCopy + value.size * 64);
    const entries = [...value.entries].map(([key, each]): [string, GoValue] => [
      key,
      copied(each, budget, depth + 1),
    ]);
    return new GoMap(entries, value.type, value.isNil);
  }
  const items = itemsOf(value);
  if (items === undefined) {
    if (!(value instanceof GoObject)) return value;
    return value.copy?.() ?? new GoObject(value.type, value.fields);
  }
  budget.make(bytesOfCopy + items.length * 8);
  const copies = items.map((item) => copied(item, budget, depth + 1));
  return value instanceof GoSlice ? new GoSlice(value.type, copies, value.isNil) : copies;
}

function dig(args: readonly GoValue[]): GoValue {
  if (args.length < 3) throw new GoError('dig needs at least three arguments');
  let place = plainMap(args.at(-1)!);
  const keys = args.slice(0, -2).map((key) => {
    if (typeof key !== 'string') throw conversion(key, 'string');
    return key;
  });
  for (const [at, key] of keys.entries()) {
    const found = place.get(key);
    if (found === undefined) return args.at(-2)!;
    if (at === keys.length - 1) return found;
    place = plainMap(found);
  }
  return null;
}

function plainMap(value: GoValue): GoMap {
  if (value instanceof GoMap && value.type === anyMap) return value;
  throw conversion(value, anyMap.name);
}

function conversion(value: GoValue, wanted: string): GoError {
  const given = typeOf(value)?.name ?? 'nil';
  return new GoError(`interface conversion: interface {} is ${given}, not ${wanted}`);
}
