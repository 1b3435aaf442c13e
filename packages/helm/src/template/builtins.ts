import { byteLength, encodeBytes } from '../go/bytes.ts';
import { any, type FunctionTable, fn, reflected, str, variadic } from '../go/define.ts';
import { sprint, sprintf, sprintln } from '../go/format.ts';
import { Boxed, GoError, type Reflected } from '../go/function.ts';
import { uint8Type } from '../go/type.ts';
import {
  GoInt,
  GoMap,
  GoObject,
  type GoValue,
  goInt,
  isNil,
  itemsOf,
  plain,
  typeOf,
  unboxed,
} from '../go/value.ts';
import { isEqual, isLess } from './compare.ts';
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts';
import { held, zeroOf } from './held.ts';
import { isTrue } from './truth.ts';

/** The functions that Go's templates have of their own. `and` and `or` are executed by the executor. */
export const builtins: FunctionTable = {
  and: variadic([reflected], reflected, (_, __, first) => first),
  or: variadic([reflected], reflected, (_, __, first) => first),
  not: fn([reflected], (_, value) => !isTrue(value)),
  call: variadic([reflected], reflected, (_, [callee], name) => call(name, callee)),
  index: variadic([reflected], reflected, (_, indexes, item) => index(item, indexes)),
  len: fn([reflected], (_, item) => length(item)),
  print: variadic([], any, ({ budget }, args) => sprint(args, budget)),
  printf: variadic([str], any, ({ budget }, args, format) => sprintf(format, args, budget)),
  println: variadic([], any, ({ budget }, args) => sprintln(args, budget)),
  html: variadic([], any, ({ budget }, args) => escapeHtml(sprint(args.map(printable), budget))),
  js: variadic([], any, ({ budget }, args) => escapeJs(sprint(args.map(printable), budget))),
  urlquery: variadic([], any, ({ budget }, args) =>
    escapeQuery(sprint(args.map(printable), budget)),
  ),
  eq: variadic([reflected], reflected, ({ budget }, others, first) =>
    isEqual(first, others, budget),
  ),
  ne: fn([reflected, reflected], ({ budget }, one, other) => !isEqual(one, [other], budget)),
  lt: fn([reflected, reflected], (_, one, other) => isLess(one, other)),
  le: fn(
    [reflected, reflected],
    ({ budget }, one, other) => isLess(one, other) || isEqual(one, [other], budget),
  ),
  gt: fn(
    [reflected, reflected],
    ({ budget }, one, other) => !(isLess(one, other) || isEqual(one, [other], budget)),
  ),
  ge: fn([reflected, reflected], (_, one, other) => !isLess(one, other)),
};

/** As an action would print it. */
function printable(value: GoValue): GoValue {
  if (value === null) return '<no value>';
  return value instanceof GoObject &&
    value.type.kind === 'ptr' &&
    value.type.elem!.text === undefined
    ? new GoObject(value.type.elem!, value.fields)
    : value;
}

/** The executor puts the words that name the function before it; no value here is a function. */
function call(name: Reflected, callee: Reflected): never {
  const value = unboxed(callee);
  if (value === undefined) throw new GoError('call of nil');
  throw new GoError(`non-function ${plain(name)} of type ${typeOf(value).name}`);
}

function index(start: Reflected, indexes: readonly Reflected[]): Reflected {
  let item: Reflected = unboxed(start);
  if (item === undefined) throw new GoError('index of untyped nil');
  for (const each of indexes) {
    const value = unboxed(item);
    if (value === undefined) throw new GoError('index of nil pointer');
    item = indexOne(value, unboxed(each));
  }
  return item;
}

function indexOne(value: Exclude<GoValue, null>, at: Exclude<Reflected, Boxed>): Reflected {
  const items = itemsOf(value);
  if (items !== undefined) {
    const position = indexArgument(at, items.length);
    if (position === items.length) throw new GoError('reflect: slice index out of range');
    return held(items[position]!, typeOf(value).elem);
  }
  if (typeof value === 'string') {
    const position = indexArgument(at, byteLength(value));
    const byte = encodeBytes(value)[position];
    if (byte === undefined) throw new GoError('reflect: string index out of range');
    return new GoInt(uint8Type, BigInt(byte));
  }
  if (value instanceof GoMap) {
    if (at === undefined) throw new GoError('value is nil; should be of type string');
    if (typeof at !== 'string')
      throw new GoError(`value has type ${typeOf(at).name}; should be string`);
    const found = value.get(at);
    if (found !== undefined) return held(found, value.type.elem);
    return zeroOf(value.type.elem!);
  }
  throw new GoError(`can't index item of type ${typeOf(value).name}`);
}

function indexArgument(at: Exclude<Reflected, Boxed>, length: number): number {
  if (at === undefined) throw new GoError('cannot index slice/array with nil');
  if (!(at instanceof GoInt)) {
    throw new GoError(`cannot index slice/array with type ${typeOf(at).name}`);
  }
  if (at.value < 0n || at.value > BigInt(length))
    throw new GoError(`index out of range: ${at.value}`);
  return Number(at.value);
}

function length(item: Reflected): GoInt {
  const value = unboxed(item);
  if (value === undefined) {
    if (item instanceof Boxed) throw new GoError('len of nil pointer');
    throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  }
  if (typeof value === 'string') return goInt(byteLength(value));
  if (value instanceof GoMap) return goInt(value.size);
  const items = itemsOf(value);
  if (items === undefined || isNilPointer(value))
    throw new GoError(`len of type ${structName(value)}`);
  return goInt(items.length);
}

function isNilPointer(value: GoValue): boolean {
  return value instanceof GoObject && isNil(value);
}

function structName(value: Exclude<GoValue, null>): string {
  const type = typeOf(value);
  return type.kind === 'ptr' ? type.elem!.name : type.name;
}
