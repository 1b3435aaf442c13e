import { GoError } from '../go/function.ts';
import { quoteString } from '../go/quote.ts';
import { anyMap, sliceOf } from '../go/type.ts';
import { GoMap, GoSlice, type GoValue, goInt64 } from '../go/value.ts';
import { readTomlNumber } from './toml-number.ts';
import { readTomlString } from './toml-string.ts';

const tablesType = sliceOf(anyMap);
const maxDepth = 500;

/** Reads TOML as BurntSushi's library does: whole numbers are int64. @throws GoError in its words */
export function readToml(text: string): GoMap {
  return new TomlReader(text).document();
}

/** What was defined, so that nothing is defined twice. */
type Definition = 'implicit' | 'table' | 'dotted' | 'value' | 'tables';

class TomlReader {
  readonly #text: string;
  #at = 0;
  readonly #root = new GoMap();
  #table = this.#root;
  #tablePath: readonly string[] = [];
  readonly #defined = new Map<GoMap, Map<string, Definition>>();
  /** The key whose value is being read, for errors. */
  #lastKey: string | undefined;
  #depth = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  }

  document(): GoMap {
    for (;;) {
      this.#skip(/[ \t\n]*/y);
      const next = this.#peek();
      if (next === undefined) return this.#root;
      this.#lastKey = undefined;
      if (next === '#') this.#comment();
      else if (next === '[') this.#header();
      else this.#keyValue(this.#table, this.#tablePath, '=');
      this.#skip(/[ \t]*/y);
      this.#comment();
      if (this.#peek() !== undefined && this.#peek() !== '\n') {
        this.#fail(
          `expected a top-level item to end with a newline, comment, or EOF, but got ${this.#shown()} instead`,
        );
      }
    }
  }

  #fail(message: string): never {
    const line = this.#text.slice(0, this.#at).split('\n').length;
    const key = this.#lastKey === undefined ? '' : ` (last key ${quoteString(this.#lastKey)})`;
    throw new GoError(`toml: line ${line}${key}: ${message}`);
  }

  #peek(): string | undefined {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? undefined : String.fromCodePoint(code);
  }

  #shown(): string {
    const next = this.#peek();
    if (next === undefined) return 'EOF';
    return next === '\n' ? "'\\n'" : `'${next}'`;
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #comment(): void {
    if (this.#peek() === '#') this.#skip(/[^\n]*/y);
  }

  #header(): void {
    const isArray = this.#text.startsWith('[[', this.#at);
    this.#at += isArray ? 2 : 1;
    this.#skip(/[ \t]*/y);
    if (this.#peek() === ']' || this.#peek() === undefined) {
      this.#fail(
        this.#peek() === undefined
          ? 'unexpected EOF; expected table name'
          : "unexpected ']': table name appears blank",
      );
    }
    const path = this.#key(']');
    if (!this.#text.startsWith(isArray ? ']]' : ']', this.#at)) {
      this.#fail(
        `expected end of table ${isArray ? 'array ' : ''}name delimiter ']', but got ${this.#shown()} instead`,
      );
    }
    this.#at += isArray ? 2 : 1;
    this.#table = isArray ? this.#openArray(path) : this.#openTable(path);
    this.#tablePath = path;
  }

  #definitions(map: GoMap): Map<string, Definition> {
    const found = this.#defined.get(map) ?? new Map<string, Definition>();
    this.#defined.set(map, found);
    return found;
  }

  #already(path: readonly string[]): never {
    this.#fail(`Key '${path.join('.')}' has already been defined.`);
  }

  /** The map below a key, made where it is not there. */
  #descend(map: GoMap, path: readonly string[], at: number, kind: Definition): GoMap {
    const name = path[at]!;
    const existing = map.get(name);
    if (existing === undefined) {
      const made = new GoMap();
      map.set(name, made);
      this.#definitions(map).set(name, kind);
      return made;
    }
    if (existing instanceof GoSlice && existing.type === tablesType)
      return existing.items.at(-1) as GoMap;
    const isOpen = existing instanceof GoMap && this.#definitions(map).get(name) !== 'value';
    if (!isOpen) this.#already(path.slice(0, at + 1));
    return existing as GoMap;
  }

  #openTable(path: readonly string[]): GoMap {
    let map = this.#root;
    for (let at = 0; at < path.length - 1; at++) map = this.#descend(map, path, at, 'implicit');
    const name = path.at(-1)!;
    const definitions = this.#definitions(map);
    const before = definitions.get(name);
    if (map.has(name) && before !== 'implicit') this.#already(path);
    definitions.set(name, 'table');
    const existing = map.get(name);
    if (existing instanceof GoMap) return existing;
    const made = new GoMap();
    map.set(name, made);
    return made;
  }

  #openArray(path: readonly string[]): GoMap {
    let map = this.#root;
    for (let at = 0; at < path.length - 1; at++) map = this.#descend(map, path, at, 'implicit');
    const name = path.at(-1)!;
    const existing = map.get(name);
    const isArray = existing instanceof GoSlice && existing.type === tablesType;
    if (existing !== undefined && !isArray)
      this.#fail(`Key '${path.join('.')}' was already created and cannot be used as an array.`);
    const made = new GoMap();
    map.set(name, new GoSlice(tablesType, [...(isArray ? existing.items : []), made]));
    this.#definitions(map).set(name, 'tables');
    return made;
  }

  #keyValue(into: GoMap, prefix: readonly string[], separator: string): void {
    const path = this.#key(separator);
    if (this.#peek() === undefined) this.#fail(`unexpected EOF; expected key separator '='`);
    if (this.#peek() !== '=') {
      this.#fail(`expected '.' or '=', but got ${this.#shown()} instead`);
    }
    this.#at++;
    const whole = [...prefix, ...path];
    this.#lastKey = whole.join('.');
    let map = into;
    for (let at = 0; at < path.length - 1; at++) {
      const definitions = this.#definitions(map);
      if (definitions.get(path[at]!) === 'table')
        this.#already(whole.slice(0, prefix.length + at + 1));
      map = this.#descend(map, path, at, 'dotted');
    }
    const name = path.at(-1)!;
    const value = this.#value();
    if (map.has(name)) this.#already(whole);
    map.set(name, value);
    this.#definitions(map).set(name, 'value');
  }

  /** A key of parts with dots between them. */
  #key(separator: string): string[] {
    const parts: string[] = [];
    for (;;) {
      this.#skip(/[ \t]*/y);
      parts.push(this.#keyPart(separator));
      this.#skip(/[ \t]*/y);
      if (this.#peek() !== '.') return parts;
      this.#at++;
    }
  }

  #keyPart(separator: string): string {
    const next = this.#peek();
    if (next === '"' || next === "'") return this.#string(true);
    const bare = this.#skip(/[A-Za-z0-9_-]+/y);
    if (bare !== '') return bare;
    if (next === undefined) this.#fail(`unexpected EOF; expected key separator '='`);
    if (next === separator || next === '.')
      this.#fail(`unexpected '${next}': key name appears blank`);
    return this.#fail(`bare keys cannot contain '${next}'`);
  }

  #string(isKey: boolean): string {
    const read = readTomlString(this.#text, this.#at, isKey);
    this.#at = read.end;
    return 'problem' in read ? this.#fail(read.problem) : read.value;
  }

  #value(): GoValue {
    this.#skip(/[ \t]*/y);
    const next = this.#peek();
    if (next === undefined) this.#fail('unexpected EOF; expected value');
    if (next === '"' || next === "'") return this.#string(false);
    if (next === '[') return this.#array();
    if (next === '{') return this.#inlineTable();
    const word = this.#skip(/[A-Za-z]+/y);
    if (word === 'true' || word === 'false') return word === 'true';
    if (word !== '' && !/^(inf|nan)$/.test(word)) {
      this.#fail(`expected value but found ${quoteString(word)} instead`);
    }
    const rest = this.#skip(/[0-9A-Za-z+\-:._]*( (?=\d\d:)[0-9:.+\-Zz]+)?/y);
    const text = word + rest;
    if (text === '') this.#fail(`expected value but found ${this.#shown()} instead`);
    const read = readTomlNumber(text);
    if ('problem' in read) this.#fail(read.problem);
    return typeof read.value === 'bigint' ? goInt64(read.value) : read.value;
  }

  #enter(): void {
    this.#at++;
    if (++this.#depth > maxDepth) this.#fail('nested too deeply');
  }

  #array(): GoValue {
    this.#enter();
    const items: GoValue[] = [];
    for (;;) {
      this.#blank();
      if (this.#peek() === ']') break;
      items.push(this.#value());
      this.#blank();
      const next = this.#peek();
      if (next === ',') this.#at++;
      else if (next !== ']') {
        this.#fail(
          next === undefined
            ? "unexpected EOF; expected a comma (',') or array terminator (']')"
            : `expected a comma (',') or array terminator (']'), but got ${this.#shown()}`,
        );
      }
    }
    this.#at++;
    this.#depth--;
    return items;
  }

  #blank(): void {
    for (;;) {
      this.#skip(/[ \t\n]*/y);
      if (this.#peek() !== '#') return;
      this.#comment();
    }
  }

  #inlineTable(): GoMap {
    this.#enter();
    const outerKey = this.#lastKey;
    const table = new GoMap();
    this.#blank();
    while (this.#peek() !== '}') {
      if (this.#peek() === undefined)
        this.#fail('unexpected EOF; expected inline table to be closed');
      this.#keyValue(table, [], '=');
      this.#lastKey = outerKey;
      this.#blank();
      const next = this.#peek();
      if (next === ',') {
        this.#at++;
        this.#blank();
      } else if (next !== '}') {
        this.#fail(
          `expected a comma or an inline table terminator '}', but got ${next === undefined ? 'EOF' : this.#shown()} instead`,
        );
      }
    }
    this.#at++;
    this.#depth--;
    return table;
  }
}
