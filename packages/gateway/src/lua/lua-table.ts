import { type LuaBudget, LuaFailure, type LuaTable, type LuaValue } from './lua-value.ts';

/** What an entry of a table costs, besides its texts. */
const entryBytes = 64;

/** A table that programs make and change: a list from 1 on, and everything else by its key. */
export class LuaTableValue implements LuaTable {
  readonly #list: LuaValue[] = [];
  readonly #map = new Map<LuaValue, LuaValue>();
  metatable: LuaTableValue | undefined;
  /** Where the last {@link next} stood in the map, so that a walk takes one step an entry. */
  #cursor: { readonly key: LuaValue; readonly rest: Iterator<LuaValue> } | undefined;

  static of(values: readonly LuaValue[]): LuaTableValue {
    const table = new LuaTableValue();
    values.forEach((value, index) => {
      table.put(index + 1, value);
    });
    return table;
  }

  static from(entries: Iterable<readonly [LuaValue, LuaValue]>): LuaTableValue {
    const table = new LuaTableValue();
    for (const [key, value] of entries) table.put(key, value);
    return table;
  }

  get length(): number {
    return this.#list.length;
  }

  get(key: LuaValue): LuaValue {
    const inList = typeof key === 'number' && key >= 1 && key <= this.#list.length;
    return inList && Number.isInteger(key) ? this.#list[key - 1] : this.#map.get(key);
  }

  /** @throws LuaFailure if the key cannot be one, or nothing is left for another entry */
  set(key: LuaValue, value: LuaValue, budget: LuaBudget): void {
    if (key === undefined) throw new LuaFailure('table index is nil');
    if (Number.isNaN(key)) throw new LuaFailure('table index is NaN');
    if (value !== undefined && this.get(key) === undefined) budget.take(entryBytes);
    this.put(key, value);
  }

  /** Sets an entry that costs nobody anything. */
  put(key: LuaValue, value: LuaValue): void {
    const size = this.#list.length;
    if (typeof key === 'number' && Number.isInteger(key) && key >= 1 && key <= size + 1) {
      if (key === size + 1) this.#append(value);
      else this.#replace(key, value);
    } else if (value === undefined) {
      this.#map.delete(key);
    } else {
      this.#map.set(key, value);
    }
  }

  /** The entry behind a key; undefined behind the last one. `nil` stands before the first. */
  next(key: LuaValue, budget: LuaBudget): readonly [LuaValue, LuaValue] | undefined {
    budget.spend(1);
    const size = this.#list.length;
    const isInList = key === undefined || (typeof key === 'number' && key >= 1 && key <= size);
    if (isInList) {
      for (let at = key === undefined ? 0 : key; at < size; at += 1) {
        const value = this.#list[at];
        if (value !== undefined) return [at + 1, value];
      }
      return this.#advance(this.#map.keys());
    }
    if (this.#cursor !== undefined && this.#cursor.key === key) {
      return this.#advance(this.#cursor.rest);
    }
    const keys = this.#map.keys();
    for (let each = keys.next(); !each.done; each = keys.next()) {
      budget.spend(1);
      if (each.value === key) return this.#advance(keys);
    }
    // A number that was the last of the list and went while it was walked through.
    if (typeof key === 'number') return this.#advance(this.#map.keys());
    throw new LuaFailure("invalid key to 'next'");
  }

  /** Puts a value in between, as `table.insert` does. */
  insert(position: number, value: LuaValue): void {
    this.#list.splice(position - 1, 0, value);
  }

  remove(position: number): LuaValue {
    const [value] = this.#list.splice(position - 1, 1);
    this.#trim();
    return value;
  }

  /** The list part, to be sorted or joined. */
  get list(): LuaValue[] {
    return this.#list;
  }

  *entries(): Generator<readonly [LuaValue, LuaValue]> {
    for (const [index, value] of this.#list.entries()) {
      if (value !== undefined) yield [index + 1, value];
    }
    yield* this.#map.entries();
  }

  #advance(keys: Iterator<LuaValue>): readonly [LuaValue, LuaValue] | undefined {
    const { value: key, done } = keys.next();
    this.#cursor = done === true ? undefined : { key, rest: keys };
    return done === true ? undefined : [key, this.#map.get(key)];
  }

  #append(value: LuaValue): void {
    if (value === undefined) {
      this.#map.delete(this.#list.length + 1);
      return;
    }
    this.#map.delete(this.#list.length + 1);
    this.#list.push(value);
    // Entries that came before those between them are part of the list now.
    while (this.#map.size > 0 && this.#map.has(this.#list.length + 1)) {
      const key = this.#list.length + 1;
      this.#list.push(this.#map.get(key));
      this.#map.delete(key);
    }
  }

  #replace(key: number, value: LuaValue): void {
    this.#list[key - 1] = value;
    if (value === undefined) this.#trim();
  }

  #trim(): void {
    while (this.#list.length > 0 && this.#list.at(-1) === undefined) this.#list.pop();
  }
}

/** A table of the gateway's that programs can read and not change. */
export function readOnlyTable(
  entries: Readonly<Record<string, LuaValue>>,
  more: Partial<LuaTable> = {},
): LuaTable {
  const map = new Map(Object.entries(entries));
  return { get: (key) => map.get(key as string), length: 0, ...more };
}
