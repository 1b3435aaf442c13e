import { binaryValue, callValue, indexValue, metaOf, shownText } from './lua-operators.ts';
import { LuaTableValue } from './lua-table.ts';
import {
  expectNumber,
  expectText,
  isTrue,
  type LuaBudget,
  LuaExhausted,
  LuaFailure,
  type LuaFunction,
  type LuaTable,
  type LuaValue,
  parseNumber,
  toText,
  typeOf,
} from './lua-value.ts';

/** A table that was handed to a function of the library. */
function expectTable(value: LuaValue, place: number, name: string): LuaTable {
  if (typeof value === 'object') return value;
  throw new LuaFailure(
    `bad argument #${place} to '${name}' (table expected, got ${typeName(value)})`,
  );
}

function typeName(value: LuaValue): string {
  return value === undefined ? 'no value' : typeOf(value);
}

/** The first of some arguments, where leaving it out is a mistake and `nil` is not. */
function demanded(args: readonly LuaValue[], name: string): LuaValue {
  if (args.length > 0) return args[0];
  throw new LuaFailure(`bad argument #1 to '${name}' (value expected)`);
}

/** One of the program's own: those of the gateway have no metatable and cannot be changed. */
function expectOwn(value: LuaValue, place: number, name: string): LuaTableValue {
  if (value instanceof LuaTableValue) return value;
  throw new LuaFailure(
    `bad argument #${place} to '${name}' (table expected, got ${typeName(value)})`,
  );
}

const next: LuaFunction = ([table, key], budget) => {
  const walked = expectTable(table, 1, 'next');
  return walked.next?.(key, budget) ?? [undefined];
};

const iterate: LuaFunction = ([table, index], budget) => {
  const at = (index as number) + 1;
  const value = (table as LuaTable).get(at, budget);
  return value === undefined ? [undefined] : [at, value];
};

/** A function that fails gives false and why; what a request may cost cannot be caught. */
function attempt(
  run: LuaValue,
  args: readonly LuaValue[],
  budget: LuaBudget,
  onError: (error: LuaValue) => LuaValue,
): LuaValue[] {
  // A function of the library that is called from here was called by no line of the program.
  budget.where = '';
  try {
    return [true, ...callValue(run, args, budget)];
  } catch (error) {
    if (!(error instanceof LuaFailure) || error instanceof LuaExhausted) throw error;
    return [false, onError(error.value)];
  }
}

/** What `error` puts before a text: where it was called. */
function located(value: LuaValue, level: LuaValue, where: string): LuaValue {
  const isText = typeof value === 'string' || typeof value === 'number';
  return !isText || level === 0 || where === '' ? value : `${where} ${toText(value)}`;
}

/** Lua's own functions, without those that reach out of it: no files, no loading of code, no `debug`. */
export const baseLibrary: Readonly<Record<string, LuaValue>> = {
  _VERSION: 'Lua 5.1',
  type: (args: readonly LuaValue[]) => [typeOf(demanded(args, 'type'))],
  tostring: (args, budget) => [shownText(demanded(args, 'tostring'), budget)],
  tonumber: (args: readonly LuaValue[]) => [parseNumber(demanded(args, 'tonumber'), args[1])],
  next,
  pairs: ([table], budget) => {
    const own = metaOf(table, '__pairs');
    if (own !== undefined) return callValue(own, [table], budget).slice(0, 3);
    return [next, expectTable(table, 1, 'pairs'), undefined];
  },
  ipairs: ([table]) => [iterate, expectTable(table, 1, 'ipairs'), 0],
  rawget: ([table, key]) => [expectOwn(table, 1, 'rawget').get(key)],
  rawset: ([table, key, value], budget) => {
    expectOwn(table, 1, 'rawset').set(key, value, budget);
    return [table];
  },
  rawequal: ([one, two]) => [one === two],
  rawlen: ([value]) => [
    typeof value === 'string' ? value.length : expectTable(value, 1, 'rawlen').length,
  ],
  getmetatable: ([value]) => {
    const table = value instanceof LuaTableValue ? value.metatable : undefined;
    return [table?.get('__metatable') ?? table];
  },
  setmetatable: (args) => {
    const [table, metatable] = args;
    const own = expectOwn(table, 1, 'setmetatable');
    const isFitting = args.length > 1 && (metatable === undefined || typeof metatable === 'object');
    if (!isFitting) {
      throw new LuaFailure("bad argument #2 to 'setmetatable' (nil or table expected)");
    }
    if (own.metatable?.get('__metatable') !== undefined) {
      throw new LuaFailure('cannot change a protected metatable');
    }
    own.metatable = metatable === undefined ? undefined : expectOwn(metatable, 2, 'setmetatable');
    return [own];
  },
  assert: (args, budget) => {
    if (isTrue(demanded(args, 'assert'))) return args;
    const failure = new LuaFailure('assertion failed!');
    if (args[1] !== undefined) failure.value = located(args[1], 1, budget.where);
    return failure.raise();
  },
  error: ([value, level], budget) => {
    const failure = new LuaFailure(
      typeof value === 'string' ? value : `(error object is a ${typeOf(value)} value)`,
    );
    failure.value = located(value, level, budget.where);
    return failure.raise();
  },
  pcall: (args, budget) =>
    attempt(demanded(args, 'pcall'), args.slice(1), budget, (error) => error),
  xpcall: (args, budget) =>
    attempt(
      demanded(args, 'xpcall'),
      args.slice(2),
      budget,
      (error) => callValue(args[1], [error], budget)[0],
    ),
  select: ([from, ...rest]) => {
    if (from === '#') return [rest.length];
    const at = expectNumber(from, 'select');
    if (at === 0 || at < -rest.length) {
      throw new LuaFailure("bad argument #1 to 'select' (index out of range)");
    }
    return at < 0 ? rest.slice(at) : rest.slice(at - 1);
  },
  unpack,
};

function unpack([table, from, to]: readonly LuaValue[], budget: Parameters<LuaFunction>[1]) {
  const list = expectTable(table, 1, 'unpack');
  const first = from === undefined ? 1 : expectNumber(from, 'unpack');
  const last = to === undefined ? list.length : expectNumber(to, 'unpack');
  if (last - first >= 8_000) throw new LuaFailure('too many results to unpack');
  const values: LuaValue[] = [];
  for (let at = first; at <= last; at += 1) values.push(indexValue(list, at, budget));
  budget.spend(values.length);
  return values;
}

/** The functions of `table`. */
export const tableLibrary: Readonly<Record<string, LuaFunction>> = {
  unpack,
  pack: (args) => {
    const table = LuaTableValue.of(args);
    table.put('n', args.length);
    return [table];
  },
  getn: ([table]) => [expectTable(table, 1, 'getn').length],
  maxn: ([table]) => {
    const keys = [...expectOwn(table, 1, 'maxn').entries()].map(([key]) => key);
    return [Math.max(0, ...keys.filter((key) => typeof key === 'number'))];
  },
  insert: (args, budget) => {
    const table = expectOwn(args[0], 1, 'insert');
    if (args.length < 2 || args.length > 3) {
      throw new LuaFailure("wrong number of arguments to 'insert'");
    }
    if (args.length < 3) {
      table.set(table.length + 1, args[1], budget);
      return [];
    }
    const at = expectNumber(args[1], 'insert');
    budget.spend(table.length);
    if (at >= 1 && at <= table.length && args[2] !== undefined) {
      budget.take(64);
      table.insert(at, args[2]);
    } else {
      table.set(at, args[2], budget);
    }
    return [];
  },
  remove: ([value, position], budget) => {
    const table = expectOwn(value, 1, 'remove');
    const at = position === undefined ? table.length : expectNumber(position, 'remove');
    if (at < 1 || at > table.length) return [undefined];
    budget.spend(table.length - at + 1);
    return [table.remove(at)];
  },
  concat: ([value, separator, from, to], budget) => {
    const table = expectTable(value, 1, 'concat');
    const between = separator === undefined ? '' : expectText(separator, 'concat');
    const first = from === undefined ? 1 : expectNumber(from, 'concat');
    const last = to === undefined ? table.length : expectNumber(to, 'concat');
    const parts: string[] = [];
    for (let at = first; at <= last; at += 1) {
      budget.spend(1);
      const each = table.get(at);
      if (typeof each !== 'string' && typeof each !== 'number') {
        throw new LuaFailure(
          `invalid value (${typeOf(each)}) at index ${at} in table for 'concat'`,
        );
      }
      const text = expectText(each, 'concat');
      budget.take(text.length + between.length);
      parts.push(text);
    }
    return [parts.join(between)];
  },
  sort: ([value, before], budget) => {
    const { list } = expectOwn(value, 1, 'sort');
    budget.spend(list.length);
    const isBefore = (one: LuaValue, two: LuaValue): boolean => {
      budget.spend(1);
      if (before !== undefined) return isTrue(callValue(before, [one, two], budget)[0]);
      return isTrue(binaryValue('<', one, two, budget));
    };
    const sorted = [...list].sort((one, two) =>
      isBefore(one, two) ? -1 : isBefore(two, one) ? 1 : 0,
    );
    list.splice(0, list.length, ...sorted);
    return [];
  },
};
