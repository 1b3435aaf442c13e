import { LuaTableValue } from './lua-table.ts';
import { type LuaBudget, LuaFailure, type LuaTable, type LuaValue } from './lua-value.ts';

/** Stands for JSON's null, which is no `nil`: `ngx.null`. */
export const luaNull: LuaTable = { get: () => undefined, length: 0, isNull: true };

const depthLimit = 64;

/** JSON, or what is as plain, as Lua sees it. */
export function toLua(value: unknown, budget: LuaBudget, depth = 0): LuaValue {
  if (value === null) return luaNull;
  if (typeof value === 'string') {
    const bytes = toBytes(value);
    budget.take(bytes.length);
    return bytes;
  }
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object') return undefined;
  if (depth === depthLimit) throw new LuaFailure('a value is nested too deeply');
  const table = new LuaTableValue();
  budget.take(64);
  const entries: Iterable<readonly [LuaValue, unknown]> = Array.isArray(value)
    ? value.map((each: unknown, index) => [index + 1, each] as const)
    : Object.entries(value).map(([key, each]) => [toBytes(key), each] as const);
  for (const [key, each] of entries) table.set(key, toLua(each, budget, depth + 1), budget);
  return table;
}

/** What a program hands out, as JSON would have it. A table from 1 on is a list, an empty one a map. */
export function fromLua(value: LuaValue, budget: LuaBudget, depth = 0): unknown {
  budget.spend(1);
  if (value === undefined || value === luaNull) return null;
  if (typeof value === 'string') return toCharacters(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new LuaFailure('a number is not finite');
    return value;
  }
  if (typeof value === 'boolean') return value;
  if (!(value instanceof LuaTableValue)) {
    throw new LuaFailure(
      `a ${typeof value === 'function' ? 'function' : 'table of the gateway'} is no data`,
    );
  }
  if (depth === depthLimit) throw new LuaFailure('a table is nested too deeply');
  const entries = [...value.entries()];
  if (value.length > 0 && entries.length === value.length) {
    return entries.map(([, each]) => fromLua(each, budget, depth + 1));
  }
  return Object.fromEntries(
    entries.map(([key, each]) => {
      if (typeof key !== 'string' && typeof key !== 'number') {
        throw new LuaFailure('a key of a table is neither a string nor a number');
      }
      return [toCharacters(String(key)), fromLua(each, budget, depth + 1)];
    }),
  );
}

/** Characters as Lua has them: one for each byte of UTF-8. */
export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function toCharacters(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A list of names and values as Kong gives headers and arguments: what came once is no list. */
export function toGroups(pairs: Iterable<readonly [string, LuaValue]>): LuaTableValue {
  const table = new LuaTableValue();
  for (const [name, value] of pairs) {
    const known = table.get(name);
    if (known === undefined) table.put(name, value);
    else if (known instanceof LuaTableValue) known.put(known.length + 1, value);
    else table.put(name, LuaTableValue.of([known, value]));
  }
  return table;
}
