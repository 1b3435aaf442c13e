import type { YamlBuilder } from './builder.ts';
import { internedSlice } from './interned.ts';
import type { QuickText } from './quick-text.ts';

const maxDepth = 50;

/** Reads brackets that open and close on one line, for the quick parser. */
export class QuickFlow<T> {
  readonly #reader: QuickText;
  readonly #builder: YamlBuilder<T>;
  readonly #open: T[];
  #depth = 0;

  /** `open` is the stack of the quick parser. */
  constructor(reader: QuickText, builder: YamlBuilder<T>, open: T[]) {
    this.#reader = reader;
    this.#builder = builder;
    this.#open = open;
  }

  /** The map or the list at the cursor. */
  collection(): T | undefined {
    const reader = this.#reader;
    const builder = this.#builder;
    const open = this.#open;
    const isMap = reader.code() === 0x7b;
    this.#depth += 1;
    if (this.#depth > maxDepth) return undefined;
    const from = open.length;
    reader.index += 1;
    if (!this.#parts(isMap, isMap ? 0x7d : 0x5d)) return undefined;
    reader.index += 1;
    this.#depth -= 1;
    const { line } = reader;
    const made = isMap
      ? builder.map(open, from, line, true)
      : builder.sequence(open, from, line, true);
    open.length = from;
    return made;
  }

  /** Puts what stands before the closing bracket on the stack; false when it is not of the plain sort. */
  #parts(isMap: boolean, close: number): boolean {
    const reader = this.#reader;
    const open = this.#open;
    reader.skipSpaces();
    while (reader.code() !== close) {
      if (isMap) {
        const key = this.#key();
        if (key === undefined) return false;
        open.push(key);
      }
      const value = this.#value();
      if (value === undefined) return false;
      open.push(value);
      reader.skipSpaces();
      if (reader.code() === close) break;
      if (reader.code() !== 0x2c) return false;
      reader.index += 1;
      reader.skipSpaces();
      // A comma before the bracket is allowed, and rare.
      if (reader.code() === close) return false;
    }
    return true;
  }

  #key(): T | undefined {
    const reader = this.#reader;
    const from = reader.index;
    const isQuoted = reader.code() === 0x22 || reader.code() === 0x27;
    const key = this.#scalar(true);
    if (key === undefined || reader.index - from > 1000) return undefined;
    reader.skipSpaces();
    if (reader.code() !== 0x3a) return undefined;
    // Only after quotes may a value follow the colon at once.
    if (!isQuoted && reader.code(1) !== 0x20) return undefined;
    reader.index += 1;
    reader.skipSpaces();
    return key;
  }

  #value(): T | undefined {
    const code = this.#reader.code();
    return code === 0x7b || code === 0x5b ? this.collection() : this.#scalar(false);
  }

  #scalar(isKey: boolean): T | undefined {
    const reader = this.#reader;
    const builder = this.#builder;
    const code = reader.code();
    if (code === 0x22 || code === 0x27) {
      const text = reader.quoted();
      if (text === undefined) return undefined;
      const style = code === 0x22 ? 'double' : 'single';
      return isKey
        ? builder.key(text, style, reader.line)
        : builder.scalar(text, style, reader.line);
    }
    const to = reader.flowPlainEnd();
    if (to < 0) return undefined;
    const text = internedSlice(reader.text, reader.index, to);
    reader.index = to;
    return isKey
      ? builder.key(text, 'plain', reader.line)
      : builder.scalar(text, 'plain', reader.line);
  }
}
