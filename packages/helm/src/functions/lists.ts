import { compareUtf8 } from '@waygate/text';
import type { Budget } from '../go/budget.ts';
import { any, type FunctionTable, fn, int, str, variadic } from '../go/define.ts';
import { GoError, type Reflected } from '../go/function.ts';
import { anySlice, sliceOf, stringSlice } from '../go/type.ts';
import { GoSlice, type GoValue, itemsOf, kindOf } from '../go/value.ts';
import { toInt64 } from './cast.ts';
import { isDeepEqual } from './deep-equal.ts';
import { isEmpty } from './emptiness.ts';
import { textOf, textsOf } from './text-of.ts';

const nilList = new GoSlice(anySlice, [], true);

/** What `reflect.TypeOf(nil).Kind()` ends in. */
const nilPanic = 'runtime error: invalid memory address or nil pointer dereference';

/** The items of a list, or an error that names what should have been done with it. */
function listItems(value: GoValue, action: string): readonly GoValue[] {
  if (value === null) throw new GoError(nilPanic);
  const items = itemsOf(value);
  if (items === undefined) throw new GoError(`${action} type ${kindOf(value)}`);
  return items;
}

function made(items: readonly GoValue[], budget: Budget): readonly GoValue[] {
  budget.step(items.length);
  budget.make(items.length * 8);
  return items;
}

type ListBody = (items: readonly GoValue[], budget: Budget) => Reflected | null;

/** A function of one list, under its name and its `must` name, which do the same in a template. */
function ofList(name: string, action: string, body: ListBody): FunctionTable {
  const one = fn([any], ({ budget }, value) => body(listItems(value, action), budget));
  return { [name]: one, [`must${name[0]!.toUpperCase()}${name.slice(1)}`]: one };
}

const push = fn([any, any], ({ budget }, value, item) =>
  made([...listItems(value, 'Cannot push on'), item], budget),
);
const prepend = fn([any, any], ({ budget }, value, item) =>
  made([item, ...listItems(value, 'Cannot prepend on')], budget),
);
const chunk = fn([int, any], ({ budget }, size, value) =>
  chunks(made(listItems(value, 'Cannot chunk'), budget), size),
);
const has = fn([any, any], ({ budget }, needle, value) =>
  value === null ? false : isIn(needle, listItems(value, 'Cannot find has on'), budget),
);
const without = variadic([any], any, ({ budget }, omitted, value) =>
  made(
    listItems(value, 'Cannot find without on').filter((item) => !isIn(item, omitted, budget)),
    budget,
  ),
);
const slice = variadic([any], any, ({ budget }, indices, value) => sliced(value, indices, budget));

/** Sprig's functions of lists. */
export const listFunctions: FunctionTable = {
  list: variadic([], any, ({ budget }, items) => made(items, budget)),
  tuple: variadic([], any, ({ budget }, items) => made(items, budget)),
  append: push,
  push,
  mustAppend: push,
  mustPush: push,
  prepend,
  mustPrepend: prepend,
  chunk,
  mustChunk: chunk,
  has,
  mustHas: has,
  without,
  mustWithout: without,
  slice,
  mustSlice: slice,
  ...ofList('first', 'Cannot find first on', (items) => items[0] ?? null),
  ...ofList('last', 'Cannot find last on', (items) => items.at(-1) ?? null),
  ...ofList('rest', 'Cannot find rest on', (items, budget) =>
    items.length === 0 ? nilList : made(items.slice(1), budget),
  ),
  ...ofList('initial', 'Cannot find initial on', (items, budget) =>
    items.length === 0 ? nilList : made(items.slice(0, -1), budget),
  ),
  ...ofList('reverse', 'Cannot find reverse on', (items, budget) =>
    made([...items].reverse(), budget),
  ),
  ...ofList('compact', 'Cannot compact on', (items, budget) =>
    made(
      items.filter((item) => !isEmpty(item)),
      budget,
    ),
  ),
  ...ofList('uniq', 'Cannot find uniq on', (items, budget) => {
    const found: GoValue[] = [];
    for (const item of items) if (!isIn(item, found, budget)) found.push(item);
    return made(found, budget);
  }),
  concat: variadic([], any, ({ budget }, lists) => concatenated(lists, budget)),
  join: fn([str, any], ({ budget }, separator, value) => {
    const texts = textsOf(value, budget);
    budget.make(texts.length * separator.length);
    return texts.join(separator);
  }),
  sortAlpha: fn([any], ({ budget }, value) => {
    const texts =
      itemsOf(value) === undefined
        ? new GoSlice(stringSlice, [textOf(value, budget)])
        : textSlice(value, budget);
    made(texts.items, budget);
    (texts.items as string[]).sort(compareUtf8);
    return texts;
  }),
  toStrings: fn([any], ({ budget }, value) => textSlice(value, budget)),
};

/** A list of texts is itself and no copy: who sorts it sorts it for all that hold it, and one that is nil stays so. */
function textSlice(value: GoValue, budget: Budget): GoSlice {
  if (value instanceof GoSlice && value.type === stringSlice) return value;
  return new GoSlice(stringSlice, textsOf(value, budget));
}

function isIn(needle: GoValue, items: readonly GoValue[], budget: Budget): boolean {
  return items.some((item) => isDeepEqual(needle, item, budget));
}

function chunks(items: readonly GoValue[], size: number): GoSlice {
  const type = sliceOf(anySlice);
  if (size === 0) {
    if (items.length === 0) throw new GoError('runtime error: makeslice: len out of range');
    throw new GoError('runtime error: makeslice: len out of range');
  }
  const count = Math.floor((items.length - 1) / size) + 1;
  if (count < 0 || (size < 0 && count > 0)) {
    throw new GoError('runtime error: makeslice: len out of range');
  }
  const parts = Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
  return new GoSlice(type, parts);
}

function sliced(value: GoValue, indices: readonly GoValue[], budget: Budget): GoValue {
  if (value === null) throw new GoError(nilPanic);
  const items = itemsOf(value);
  if (items === undefined)
    throw new GoError(`list should be type of slice or array but ${kindOf(value)}`);
  if (items.length === 0) return null;
  const start = indices.length > 0 ? Number(toInt64(indices[0]!)) : 0;
  const end = indices.length > 1 ? Number(toInt64(indices[1]!)) : items.length;
  if (start < 0 || end < start || end > items.length) {
    throw new GoError('reflect.Value.Slice: slice index out of bounds');
  }
  const part = made(items.slice(start, end), budget);
  return value instanceof GoSlice ? new GoSlice(value.type, part) : part;
}

function concatenated(lists: readonly GoValue[], budget: Budget): GoValue {
  const all: GoValue[] = [];
  for (const list of lists) {
    if (list === null) throw new GoError(nilPanic);
    const items = itemsOf(list);
    if (items === undefined) throw new GoError(`Cannot concat type ${kindOf(list)} as list`);
    made(items, budget);
    for (const item of items) all.push(item);
  }
  return all.length === 0 ? nilList : all;
}
