import { GoError } from '../go/function.ts';
import { quoteString } from '../go/quote.ts';
import { anyMap, sliceOf } from '../go/type.ts';
import { GoMap, GoSlice, type GoValue } from '../go/value.ts';
import type { TomlToken } from './toml-cursor.ts';
import { TomlLexer } from './toml-lexer.ts';
import { readTomlFloat, readTomlInteger } from './toml-number.ts';
import { readTomlEscapes, withoutFirstBreak, withoutLineEnds } from './toml-string.ts';
import { readTomlTime } from './toml-time.ts';
import { printTomlKey } from './toml-write.ts';

const tablesType = sliceOf(anyMap);
const maxDepth = 500;

/** Reads TOML as BurntSushi's library does: whole numbers are int64. @throws GoError in its words */
export function readToml(text: string): GoMap {
  const plain = text.replace(/^(\ufeff|\udcff\udcfe|\udcfe\udcff)/, '');
  if (plain.slice(0, 6).includes('\0')) {
    throw new GoError(
      'toml: line 1: files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8',
    );
  }
  return new TomlReader(plain).document();
}

/** What was defined, by keys as they are printed: nothing is defined twice but what was only implied. */
class TomlReader {
  readonly #lexer: TomlLexer;
  readonly #root = new GoMap();
  /** The table that keys go into. */
  #context: readonly string[] = [];
  #key = '';
  readonly #implied = new Set<string>();
  readonly #arrays = new Set<string>();
  /** The tables of each array of tables, which grows. */
  readonly #tables = new WeakMap<GoSlice, GoMap[]>();
  #line = 1;
  #depth = 0;

  constructor(text: string) {
    this.#lexer = new TomlLexer(text);
  }

  document(): GoMap {
    for (;;) {
      const token = this.#next();
      if (token.kind === 'end') return this.#root;
      if (token.kind === 'comment') this.#next();
      else if (token.kind === 'table') this.#openTable('table-end', false);
      else if (token.kind === 'tables') this.#openTable('tables-end', true);
      else this.#keyValue();
    }
  }

  #fail(message: string, line: number): never {
    const current = [...this.#context];
    const key =
      this.#key === ''
        ? printTomlKey(current)
        : [...(current.length > 0 ? [printTomlKey(current)] : []), this.#key].join('.');
    const where = key === '' ? '' : ` (last key ${quoteString(key)})`;
    throw new GoError(`toml: line ${line}${where}: ${message}`);
  }

  #next(): TomlToken {
    const token = this.#lexer.token();
    if (token.kind === 'error') this.#fail(token.text, token.line);
    return token;
  }

  /** A key of one or more parts, up to the token that ends it. */
  #path(end: 'table-end' | 'tables-end' | 'key-end'): string[] {
    const path: string[] = [];
    let token = this.#next();
    this.#line = token.line;
    for (; token.kind !== end; token = this.#next()) {
      path.push(token.kind === 'text' ? token.text : (this.#value(token, false) as string));
    }
    return path;
  }

  #openTable(end: 'table-end' | 'tables-end', isArray: boolean): void {
    this.#enter(this.#path(end), isArray);
  }

  #keyValue(): void {
    const outer = this.#context;
    this.#assign(outer);
    this.#context = outer;
    this.#key = '';
  }

  /** Reads `key = value` into the context; gives what it read. */
  #assign(outer: readonly string[]): { readonly path: readonly string[]; readonly value: GoValue } {
    const path = this.#path('key-end');
    this.#key = path.at(-1)!;
    for (const part of path.slice(0, -1)) {
      const below = [...this.#context, part];
      this.#implied.add(printTomlKey(below));
      this.#enter(below, false);
    }
    const value = this.#value(this.#next(), false);
    this.#set(this.#key, value);
    if (value instanceof GoMap || !Array.isArray(value)) {
      this.#arrays.delete(printTomlKey([...this.#context, this.#key]));
    }
    this.#context = outer;
    return { path, value };
  }

  #value(token: TomlToken, isInArray: boolean): GoValue {
    const fail = (message: string) => this.#fail(message, token.line);
    const { kind, text } = token;
    switch (kind) {
      case 'string':
      case 'raw':
        return text;
      case 'string-escaped':
        return readTomlEscapes(text, fail);
      case 'string-lines':
        return readTomlEscapes(withoutLineEnds(withoutFirstBreak(text)), fail);
      case 'raw-lines':
        return withoutFirstBreak(text);
      case 'integer':
        return readTomlInteger(text, fail);
      case 'float':
        return readTomlFloat(text, fail);
      case 'bool':
        return text === 'true';
      case 'datetime':
        return readTomlTime(text.trim(), fail);
      case 'array':
        return this.#array(token.line);
      case 'inline':
        return this.#inlineTable(token.line, isInArray);
      default:
        throw new GoError(`BUG: Unexpected value type: ${kind}`);
    }
  }

  #deeper(line: number): void {
    if (++this.#depth > maxDepth) this.#fail('nested too deeply', line);
  }

  #array(line: number): GoValue {
    this.#deeper(line);
    this.#arrays.add(printTomlKey([...this.#context, ...(this.#key === '' ? [] : [this.#key])]));
    const items: GoValue[] = [];
    for (let token = this.#next(); token.kind !== 'array-end'; token = this.#next()) {
      if (token.kind === 'comment') this.#next();
      else items.push(this.#value(token, true));
    }
    this.#depth--;
    return items;
  }

  #inlineTable(line: number, isInArray: boolean): GoMap {
    this.#deeper(line);
    const table = new GoMap();
    const [outerContext, outerKey] = [this.#context, this.#key];
    const own = [...outerContext, outerKey];
    this.#context = own;
    this.#key = '';
    this.#implied.add(printTomlKey(own));
    this.#enter(own, isInArray);
    for (let token = this.#next(); token.kind !== 'inline-end'; token = this.#next()) {
      if (token.kind === 'comment') {
        this.#next();
        continue;
      }
      const { path, value } = this.#assign(own);
      let map = table;
      for (const part of path.slice(0, -1)) {
        const below = map.get(part) ?? new GoMap();
        if (!(below instanceof GoMap)) {
          this.#fail(`${quoteString(printTomlKey(own))} is not a table`, this.#line);
        }
        map.set(part, below);
        map = below;
      }
      map.set(path.at(-1)!, value);
    }
    this.#context = outerContext;
    this.#key = outerKey;
    this.#depth--;
    return table;
  }

  /** The map that keys of this value go into; of an array of tables, its last one. */
  #tableOf(value: GoValue | undefined): GoMap | undefined {
    if (value instanceof GoMap) return value;
    return value instanceof GoSlice ? this.#tables.get(value)?.at(-1) : undefined;
  }

  /** Makes a table, or one more table of an array, the context. */
  #enter(path: readonly string[], isArray: boolean): void {
    let map = this.#root;
    const above: string[] = [];
    for (const part of path.slice(0, -1)) {
      above.push(part);
      if (!map.has(part)) {
        this.#implied.add(printTomlKey(above));
        map.set(part, new GoMap());
      }
      const below = this.#tableOf(map.get(part));
      if (below === undefined) {
        this.#fail(`Key '${printTomlKey(above)}' was already created as a hash.`, this.#line);
      }
      map = below;
    }
    this.#context = above;
    const name = path.at(-1)!;
    if (isArray) this.#addTable(map, name, path);
    else this.#set(name, new GoMap());
    this.#context = [...above, name];
  }

  #addTable(map: GoMap, name: string, path: readonly string[]): void {
    if (!map.has(name)) {
      const tables: GoMap[] = [];
      const slice = new GoSlice(tablesType, tables);
      this.#tables.set(slice, tables);
      map.set(name, slice);
    }
    const existing = map.get(name);
    const tables = existing instanceof GoSlice ? this.#tables.get(existing) : undefined;
    if (tables === undefined) {
      this.#fail(
        `Key '${printTomlKey(path)}' was already created and cannot be used as an array.`,
        this.#line,
      );
    }
    tables.push(new GoMap());
  }

  /** Sets a key of the context. */
  #set(name: string, value: GoValue): void {
    let map = this.#root;
    const path: string[] = [];
    for (const part of this.#context) {
      path.push(part);
      const below = this.#tableOf(map.get(part));
      if (below === undefined) this.#already(path);
      map = below;
    }
    path.push(name);
    if (!map.has(name)) {
      map.set(name, value);
      return;
    }
    const key = printTomlKey(path);
    if (!this.#implied.delete(key)) this.#already(path);
    if (this.#arrays.has(key)) map.set(name, value);
  }

  #already(path: readonly string[]): never {
    this.#fail(`Key '${printTomlKey(path)}' has already been defined.`, this.#line);
  }
}
