import { JsonSyntaxError, readJsonPrefix } from '../formats/json-read.ts';
import { parseGoInt } from '../go/parse-number.ts';
import { quoteString } from '../go/quote.ts';
import { anyMap, anySlice } from '../go/type.ts';
import { GoMap, type GoValue, goInt64, typeOf } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';

/** How the values of a `--set` are read: `--set`, `--set-string`, `--set-json`, `--set-literal`, `--set-file`. */
export type SetKind = 'typed' | 'string' | 'json' | 'literal' | 'file';

/** How a `--set` is applied. */
export interface SetOptions {
  /** Default `typed`: true, false, null and whole numbers (int64) are what they look like. */
  readonly kind?: SetKind;
  /** The content of a file that `--set-file` names. */
  readonly readFile?: (path: string) => string;
  /** Default 4, which takes a text that ends within an index for one that has ended; 3 refuses it. */
  readonly helm?: 3 | 4;
  /** What several texts may have together; by default each has its own. */
  readonly emptyItems?: EmptyItems;
}

/**
 * Counts the items that lists are filled up with to reach an index. Fifteen bytes of text make half a megabyte of them,
 * and whoever writes a HelmRelease writes such texts.
 *
 * ```ts
 * const emptyItems = new EmptyItems();
 * emptyItems.take(65_536);
 * ```
 */
export class EmptyItems {
  /** Never below zero. */
  #left = maxEmptyItems;

  /** Counts some before they are made. */
  take(count: number): void {
    if (count > this.#left) {
      throw new SetError(`the lists have more than ${maxEmptyItems} items that nothing is set to`);
    }
    this.#left -= count;
  }
}

const maxIndex = 65_536;
/** Of all lists together: fifteen that go as far as an index can. */
const maxEmptyItems = 1_000_000;
const maxNesting = 30;

/**
 * Applies the text of a `--set` to values, in place: `a.b=1,list[0]=x,names={a,b}`.
 *
 * @throws HelmError `WG_HELM_VALUES` with the text that Helm shows
 * @example
 * setValues(values, 'image.tag=1.2,replicas=3'); // '1.2' is a string, 3 an int64
 */
export function setValues(values: GoMap, text: string, options: SetOptions = {}): void {
  const reader = new SetReader(text, options);
  try {
    while (reader.key(values, 0));
  } catch (error) {
    if (error instanceof EndOfText && options.helm !== 3) return;
    if (!(error instanceof SetError || error instanceof JsonSyntaxError)) throw error;
    throw new HelmError('WG_HELM_VALUES', error.message, { cause: error });
  }
}

class SetError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SetError';
  }
}

/** The text ends where an index does not. */
class EndOfText extends SetError {}

class SetReader {
  readonly #runes: readonly string[];
  readonly #kind: SetKind;
  readonly #readFile: (path: string) => string;
  readonly #emptyItems: EmptyItems;
  #at = 0;

  constructor(text: string, options: SetOptions) {
    const { kind = 'typed', readFile = () => '', emptyItems = new EmptyItems() } = options;
    this.#runes = Array.from(text);
    this.#kind = kind;
    this.#readFile = readFile;
    this.#emptyItems = emptyItems;
  }

  /** Reads a key with its value; false at the end of the text. */
  key(data: GoMap, nesting: number): boolean {
    const { text: name, stop } = this.#until(this.#kind === 'literal' ? '=[.' : '=[,.');
    switch (stop) {
      case '=':
        put(data, name, this.#value());
        return true;
      case '[':
        return this.#indexed(data, name, nesting);
      case ',':
        put(data, name, '');
        throw new SetError(`key ${quoteString(name)} has no value (cannot end with ,)`);
      case '.':
        return this.#nested(data, name, nesting + 1);
      default:
        if (name === '') return false;
        throw new SetError(`key ${quoteString(name)} has no value`);
    }
  }

  #indexed(data: GoMap, name: string, nesting: number): boolean {
    const index = this.#index();
    const existing = data.has(name) ? listOf(data.get(name)!) : [];
    put(data, name, this.#item(existing, index, nesting));
    return true;
  }

  #nested(data: GoMap, name: string, nesting: number): boolean {
    if (nesting > maxNesting) {
      throw new SetError(
        `value name nested level is greater than maximum supported nested level of ${maxNesting}`,
      );
    }
    const inner = data.has(name) ? mapOf(data.get(name)!) : new GoMap();
    const goesOn = this.key(inner, nesting);
    if (goesOn && inner.size === 0) throw new SetError(`key map ${quoteString(name)} has no value`);
    if (inner.size > 0) put(data, name, inner);
    return goesOn;
  }

  #index(): number {
    const { text, stop } = this.#until(']');
    if (stop === undefined) throw new EndOfText('error parsing index: EOF');
    const value = parseGoInt(text, 10);
    if (value === undefined) {
      throw new SetError(
        `error parsing index: strconv.Atoi: parsing ${quoteString(text)}: invalid syntax`,
      );
    }
    return Number(value);
  }

  /** The list with what the text says put at the index. */
  #item(list: readonly GoValue[], index: number, nesting: number): readonly GoValue[] {
    if (index < 0) throw new SetError(`negative ${index} index not allowed`);
    const { text, stop } = this.#until('[.=');
    if (text !== '') {
      const codes = Array.from(text, (each) => each.codePointAt(0)!);
      const shown = codes.map((code) => `'${String.fromCodePoint(code)}'`).join(' ');
      throw new SetError(`unexpected data at end of array index: [${shown}]`);
    }
    switch (stop) {
      case '=':
        return this.#withIndex(list, index, this.#value());
      case '[': {
        const next = this.#index();
        const existing = list[index] ?? null;
        return this.#withIndex(
          list,
          index,
          this.#item(existing === null ? [] : listOf(existing), next, nesting),
        );
      }
      case '.': {
        const existing = list[index];
        const inner = existing instanceof GoMap ? existing : new GoMap();
        if (!this.key(inner, nesting)) return list;
        return this.#withIndex(list, index, inner);
      }
      default:
        return list;
    }
  }

  #withIndex(list: readonly GoValue[], index: number, value: GoValue): GoValue[] {
    if (index > maxIndex) {
      throw new SetError(
        `index of ${index} is greater than maximum supported index of ${maxIndex}`,
      );
    }
    const own = grown.has(list) ? (list as GoValue[]) : list.slice();
    grown.add(own);
    this.#emptyItems.take(Math.max(0, index - own.length));
    while (own.length < index) own.push(null);
    own[index] = value;
    return own;
  }

  #value(): GoValue {
    if (this.#kind === 'literal') return this.#rest();
    if (this.#kind === 'json') return this.#json();
    if (this.#at >= this.#runes.length) return '';
    if (this.#runes[this.#at] === '{') return this.#list();
    return this.#read(this.#until(',').text);
  }

  #rest(): string {
    const text = this.#runes.slice(this.#at).join('');
    this.#at = this.#runes.length;
    return text;
  }

  #json(): GoValue {
    if (this.#isEmpty()) return null;
    const rest = this.#runes.slice(this.#at).join('');
    const { value, end } = readJsonPrefix(rest);
    this.#at += Array.from(rest.slice(0, end)).length;
    this.#isEmpty();
    return value;
  }

  /** Skips white space; true where nothing but it stands before the next comma, which is taken, or the end. */
  #isEmpty(): boolean {
    for (; this.#at < this.#runes.length; this.#at++) {
      const rune = this.#runes[this.#at]!;
      if (rune === ',') {
        this.#at++;
        return true;
      }
      if (!/\s/.test(rune)) return false;
    }
    return true;
  }

  #list(): GoValue {
    this.#at++;
    const items: GoValue[] = [];
    for (;;) {
      const { text, stop } = this.#until(',}');
      if (stop === undefined) throw new SetError("list must terminate with '}'");
      items.push(this.#read(text));
      if (stop === ',') continue;
      if (this.#runes[this.#at] === ',') this.#at++;
      return items;
    }
  }

  #read(text: string): GoValue {
    if (this.#kind === 'file') return this.#readFile(text);
    return this.#kind === 'string' ? text : typed(text);
  }

  /** The text before one of the stops; a backslash takes the meaning of what follows. */
  #until(stops: string): { text: string; stop: string | undefined } {
    let text = '';
    while (this.#at < this.#runes.length) {
      const rune = this.#runes[this.#at++]!;
      if (stops.includes(rune)) return { text, stop: rune };
      if (rune === '\\' && this.#kind !== 'literal') {
        if (this.#at >= this.#runes.length) break;
        text += this.#runes[this.#at++];
      } else text += rune;
    }
    return { text, stop: undefined };
  }
}

function put(data: GoMap, key: string, value: GoValue): void {
  if (key !== '') data.set(key, value);
}

/** Lists that were made here: to copy one for each of its items takes long where it is long. */
const grown = new WeakSet<readonly GoValue[]>();

function listOf(value: GoValue): readonly GoValue[] {
  if (Array.isArray(value)) return value;
  throw conversion(value, anySlice.name);
}

function mapOf(value: GoValue): GoMap {
  if (value instanceof GoMap) return value;
  throw conversion(value, anyMap.name);
}

/** Go's panic, which Helm shows. */
function conversion(value: GoValue, wanted: string): SetError {
  const given = typeOf(value)?.name ?? 'nil';
  return new SetError(
    `unable to parse key: interface conversion: interface {} is ${given}, not ${wanted}`,
  );
}

/** What a value of `--set` looks like: 1.5, 012 and 0x10 are strings. */
function typed(text: string): GoValue {
  switch (text.toLowerCase()) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
    case '0':
      return goInt64(0);
  }
  const number = text !== '' && text[0] !== '0' ? parseGoInt(text, 10) : undefined;
  return number === undefined ? text : goInt64(number);
}
