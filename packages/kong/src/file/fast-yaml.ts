import { trimEndOf } from '@waygate/text';
import type { JsonValue } from '../entity/entities.ts';
import { plainScalar } from './plain-scalar.ts';

/**
 * Reads the plain sort of YAML that programs write, at many times the speed of a whole YAML reader:
 * block mappings and lists, texts on one line, literal blocks, short flow lists. Whatever else it
 * meets, it gives up and says so, and the whole reader takes over: it never guesses.
 */

/** Thrown, and caught below, on anything that is not plain enough. */
class NotPlain extends Error {}

type MutableObject = { [key: string]: JsonValue };

const space = 32;
const hash = 35;
const dash = 45;
const colon = 58;
const newline = 10;

/** Characters that start something else than a plain text. */
const indicators = new Set([...'[]{}&*!|>\'"%@`,?'].map((character) => character.charCodeAt(0)));

class FastReader {
  readonly #text: string;
  /** Where the next line starts that has content. */
  #start = 0;
  /** Where its content starts, and where it ends without comment and trailing spaces. */
  #content = 0;
  #end = 0;
  #lineEnd = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonValue {
    if (this.#text.startsWith('---\n')) this.#lineEnd = 3;
    else this.#lineEnd = -1;
    if (!this.#nextLine()) return null;
    const value = this.#block(this.#indent());
    if (this.#content < this.#text.length) throw new NotPlain();
    return value;
  }

  #indent(): number {
    return this.#content - this.#start;
  }

  /** Moves to the next line with content; false at the end. */
  #nextLine(): boolean {
    const text = this.#text;
    let start = this.#lineEnd + 1;
    while (start < text.length) {
      let end = text.indexOf('\n', start);
      if (end === -1) end = text.length;
      let content = start;
      while (content < end && text.charCodeAt(content) === space) content += 1;
      const first = text.charCodeAt(content);
      if (content < end && first !== hash && !(first === 13 && content === end - 1)) {
        if (first === 9) throw new NotPlain();
        if (content === start && (text.startsWith('---', start) || text.startsWith('...', start))) {
          throw new NotPlain();
        }
        this.#start = start;
        this.#content = content;
        this.#lineEnd = end;
        this.#end = end;
        while (this.#end > content && text.charCodeAt(this.#end - 1) <= space) this.#end -= 1;
        return true;
      }
      start = end + 1;
    }
    this.#start = text.length;
    this.#content = text.length;
    this.#end = text.length;
    this.#lineEnd = text.length;
    return false;
  }

  #isDash(): boolean {
    if (this.#text.charCodeAt(this.#content) !== dash) return false;
    return this.#content + 1 >= this.#end || this.#text.charCodeAt(this.#content + 1) === space;
  }

  /** The block that starts on the current line. */
  #block(indent: number): JsonValue {
    return this.#isDash() ? this.#list(indent) : this.#mapping(indent);
  }

  #list(indent: number): JsonValue[] {
    const list: JsonValue[] = [];
    while (this.#content < this.#text.length && this.#indent() === indent && this.#isDash()) {
      let inner = this.#content + 1;
      while (inner < this.#end && this.#text.charCodeAt(inner) === space) inner += 1;
      if (inner >= this.#end || this.#text.charCodeAt(inner) === hash) {
        list.push(this.#nested(indent, false));
        continue;
      }
      // What follows the dash is as if it stood on a line of its own, further in.
      this.#content = inner;
      if (this.#isDash() || this.#keyEnd() !== -1) list.push(this.#block(inner - this.#start));
      else list.push(this.#inline(inner, indent));
    }
    if (this.#content < this.#text.length && this.#indent() > indent) throw new NotPlain();
    // A list that was filled one by one has room for 17: most have two or three, and stay so.
    return list.length < 9 ? list.slice() : list;
  }

  #mapping(indent: number): MutableObject {
    const mapping: MutableObject = {};
    while (this.#content < this.#text.length && this.#indent() === indent) {
      const keyEnd = this.#isDash() ? -1 : this.#keyEnd();
      if (keyEnd === -1) throw new NotPlain();
      const key = this.#key(keyEnd);
      let value = keyEnd + 1;
      while (value < this.#end && this.#text.charCodeAt(value) === space) value += 1;
      const isNested = value >= this.#end || this.#text.charCodeAt(value) === hash;
      mapping[key] = isNested ? this.#nested(indent, true) : this.#inline(value, indent);
    }
    if (this.#content < this.#text.length && this.#indent() > indent) throw new NotPlain();
    return mapping;
  }

  /** What belongs to a key or dash whose line has no value: deeper lines, or a list beside a key. */
  #nested(indent: number, isKey: boolean): JsonValue {
    if (!this.#nextLine()) return null;
    const deeper = this.#indent();
    if (deeper > indent || (isKey && deeper === indent && this.#isDash()))
      return this.#block(deeper);
    return null;
  }

  /** Where the colon of the current line's key is, or -1. */
  #keyEnd(): number {
    const text = this.#text;
    const first = text.charCodeAt(this.#content);
    let index = this.#content;
    if (first === 34 || first === 39) {
      index = this.#quoteEnd(index);
      while (index < this.#end && text.charCodeAt(index) === space) index += 1;
      return text.charCodeAt(index) === colon ? index : -1;
    }
    if (indicators.has(first)) {
      if (first === 91 || first === 123) return -1;
      throw new NotPlain();
    }
    for (; index < this.#end; index += 1) {
      const code = text.charCodeAt(index);
      if (code === colon && (index + 1 >= this.#end || text.charCodeAt(index + 1) === space))
        return index;
      if (code === hash && text.charCodeAt(index - 1) === space) return -1;
    }
    return -1;
  }

  #key(keyEnd: number): string {
    const text = this.#text.slice(this.#content, keyEnd).trimEnd();
    const first = text.charCodeAt(0);
    if (first === 34 || first === 39) {
      const quoted = this.#unquote(text);
      if (quoted === '__proto__') throw new NotPlain();
      return quoted;
    }
    if (text === '<<' || text === '__proto__') throw new NotPlain();
    const value = plainScalar(text);
    return typeof value === 'string' ? value : value === null ? 'null' : String(value);
  }

  /** The index after the quote that ends a quoted text on this line. */
  #quoteEnd(start: number): number {
    const text = this.#text;
    const quote = text.charCodeAt(start);
    for (let index = start + 1; index < this.#end; index += 1) {
      const code = text.charCodeAt(index);
      if (quote === 34 && code === 92) index += 1;
      else if (code === quote) {
        if (quote === 39 && text.charCodeAt(index + 1) === 39) index += 1;
        else return index + 1;
      }
    }
    throw new NotPlain();
  }

  #unquote(text: string): string {
    if (text.charCodeAt(0) === 39) return text.slice(1, -1).replaceAll("''", "'");
    if (!text.includes('\\')) return text.slice(1, -1);
    try {
      return JSON.parse(text) as string;
    } catch {
      throw new NotPlain();
    }
  }

  /** A value on the current line, and on to the next. */
  #inline(start: number, indent: number): JsonValue {
    const text = this.#text;
    const first = text.charCodeAt(start);
    if (first === 124) return this.#literal(start, indent);
    if (first === 34 || first === 39) {
      const end = this.#quoteEnd(start);
      this.#endsAt(end);
      const value = this.#unquote(text.slice(start, end));
      this.#advance(indent);
      return value;
    }
    if (first === 91 || first === 123) {
      const flow = new FlowReader(text.slice(start, this.#withoutComment(start)));
      const value = flow.read();
      this.#advance(indent);
      return value;
    }
    const end = this.#withoutComment(start);
    const plain = text.slice(start, end);
    if (indicators.has(first) || plain === '-' || plain.startsWith('- ')) throw new NotPlain();
    if (plain.includes(': ') || plain.endsWith(':')) throw new NotPlain();
    this.#advance(indent);
    return plainScalar(plain);
  }

  /** A value that goes on deeper on the next line is not plain. */
  #advance(indent: number): void {
    if (this.#nextLine() && this.#indent() > indent) throw new NotPlain();
  }

  /** After a quoted text only a comment may follow. */
  #endsAt(index: number): void {
    const rest = this.#text.slice(index, this.#end);
    if (rest !== '' && !/^ +#/.test(rest)) throw new NotPlain();
  }

  /** Where a value ends before a comment. Only this line is searched: the rest may be long. */
  #withoutComment(start: number): number {
    const comment = this.#text.slice(start, this.#end).indexOf(' #');
    if (comment === -1) return this.#end;
    let end = start + comment;
    while (end > start && this.#text.charCodeAt(end - 1) === space) end -= 1;
    return end;
  }

  /** A literal block: its lines as they are, without their common indentation. */
  #literal(start: number, indent: number): string {
    const header = this.#text.slice(start, this.#end);
    if (header !== '|' && header !== '|-' && header !== '|+') throw new NotPlain();
    const text = this.#text;
    const lines: string[] = [];
    let depth = -1;
    let position = this.#lineEnd + 1;
    while (position < text.length) {
      let end = text.indexOf('\n', position);
      if (end === -1) end = text.length;
      let content = position;
      while (content < end && text.charCodeAt(content) === space) content += 1;
      if (content === end) {
        if (depth !== -1 && content - position > depth) throw new NotPlain();
        lines.push('');
      } else {
        const inner = content - position;
        if (inner <= indent) break;
        if (depth === -1) {
          depth = inner;
          if (lines.length > 0) throw new NotPlain();
        }
        if (inner < depth) throw new NotPlain();
        lines.push(text.slice(position + depth, end));
      }
      position = end + 1;
    }
    this.#lineEnd = position - 1;
    this.#nextLine();
    let body = lines.join('\n');
    if (header !== '|+') body = trimEndOf(body, '\n');
    if (header === '|-' || (body === '' && header === '|')) return body;
    if (text.charCodeAt(text.length - 1) !== newline && position >= text.length)
      throw new NotPlain();
    return `${body}\n`;
  }
}

/** Reads a flow list or mapping on one line. */
class FlowReader {
  readonly #text: string;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonValue {
    const value = this.#value(0);
    if (this.#index !== this.#text.length) throw new NotPlain();
    return value;
  }

  #skip(): void {
    while (this.#text.charCodeAt(this.#index) === space) this.#index += 1;
  }

  #value(depth: number): JsonValue {
    if (depth > 64) throw new NotPlain();
    const first = this.#text[this.#index];
    if (first === '[') return this.#list(depth);
    if (first === '{') return this.#mapping(depth);
    return this.#scalar(/[,\]}]/);
  }

  #scalar(stop: RegExp): JsonValue {
    const first = this.#text[this.#index];
    if (first === '"' || first === "'") {
      const pattern = first === '"' ? /"(?:[^"\\]|\\.)*"/y : /'(?:[^']|'')*'/y;
      pattern.lastIndex = this.#index;
      const quoted = pattern.exec(this.#text)?.[0];
      if (quoted === undefined) throw new NotPlain();
      this.#index += quoted.length;
      this.#skip();
      if (first === "'") return quoted.slice(1, -1).replaceAll("''", "'");
      try {
        return JSON.parse(quoted) as string;
      } catch {
        throw new NotPlain();
      }
    }
    const start = this.#index;
    while (this.#index < this.#text.length && !stop.test(this.#text[this.#index] as string)) {
      this.#index += 1;
    }
    const plain = this.#text.slice(start, this.#index).trimEnd();
    if (plain === '' || indicators.has(plain.charCodeAt(0)) || /[:#[{\t]|^-(?: |$)/.test(plain)) {
      throw new NotPlain();
    }
    return plainScalar(plain);
  }

  #list(depth: number): JsonValue[] {
    const list: JsonValue[] = [];
    this.#index += 1;
    this.#skip();
    while (this.#text[this.#index] !== ']') {
      list.push(this.#value(depth + 1));
      this.#separator(']');
    }
    this.#index += 1;
    this.#skip();
    return list;
  }

  #mapping(depth: number): MutableObject {
    const mapping: MutableObject = {};
    this.#index += 1;
    this.#skip();
    while (this.#text[this.#index] !== '}') {
      const key = this.#scalar(/[,:\]}]/);
      const name = key === null ? 'null' : String(key);
      const after = this.#text[this.#index + 1];
      const isPair = this.#text[this.#index] === ':' && after === ' ';
      if (!isPair || name === '<<' || name === '__proto__') throw new NotPlain();
      this.#index += 1;
      this.#skip();
      mapping[name] = this.#value(depth + 1);
      this.#separator('}');
    }
    this.#index += 1;
    this.#skip();
    return mapping;
  }

  #separator(close: string): void {
    this.#skip();
    if (this.#text[this.#index] === ',') {
      this.#index += 1;
      this.#skip();
    } else if (this.#text[this.#index] !== close) throw new NotPlain();
  }
}

/** The value of a text that is plain enough, or undefined when the whole reader is needed. */
export function readPlainYaml(text: string): { readonly value: JsonValue } | undefined {
  if (text.charCodeAt(0) === 0xfeff || text.includes('\t') || text.includes('\r')) return undefined;
  try {
    return { value: new FastReader(text).read() };
  } catch (error) {
    if (error instanceof NotPlain || error instanceof RangeError) return undefined;
    throw error;
  }
}
