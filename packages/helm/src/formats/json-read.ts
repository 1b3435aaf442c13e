import { encodeBytes, wellFormed } from '../go/bytes.ts';
import { quoteString } from '../go/quote.ts';
import { anyMap } from '../go/type.ts';
import { GoMap, type GoValue } from '../go/value.ts';

/** A text that is not JSON, in the words of Go's encoding/json. */
export class JsonSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonSyntaxError';
  }
}

/** What was read, and what of it could not be: a number that no float64 can hold is null. */
interface JsonRead {
  readonly value: GoValue;
  readonly problem?: string | undefined;
}

const maxDepth = 10_000;
/** What fits into the stack of the process; deeper ones are refused in Go's words. */
const safeDepth = 1_500;

/** Reads a JSON value as Go's `json.Unmarshal` into an `interface{}` does. @throws JsonSyntaxError */
export function readJson(text: string): JsonRead {
  return new JsonReader(text).read();
}

/** Reads the JSON value at the start of a text, and says where it ends. @throws JsonSyntaxError */
export function readJsonPrefix(text: string): { readonly value: GoValue; readonly end: number } {
  return new JsonReader(text).readPrefix();
}

/** What Go calls the kind of a JSON value in its errors. */
function jsonKindName(value: GoValue): string {
  if (Array.isArray(value)) return 'array';
  return value instanceof GoMap ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Reads a JSON object into a map; null makes a nil map. The string is what is wrong. */
export function readJsonObject(text: string): {
  readonly map: GoMap;
  readonly problem?: string | undefined;
} {
  const { value, problem } = tryRead(text);
  if (value instanceof GoMap) return { map: value, problem };
  if (value === null) return { map: new GoMap([], anyMap, problem === undefined), problem };
  return { map: new GoMap(), problem: mismatch(value, 'map[string]interface {}') };
}

/** Reads a JSON array; null makes undefined. */
export function readJsonArray(text: string): {
  readonly items?: readonly GoValue[];
  readonly problem?: string | undefined;
} {
  const { value, problem } = tryRead(text);
  if (Array.isArray(value)) return { items: value, problem };
  return value === null ? { problem } : { problem: mismatch(value, '[]interface {}') };
}

export function mismatch(value: GoValue, type: string): string {
  return `json: cannot unmarshal ${jsonKindName(value)} into Go value of type ${type}`;
}

function tryRead(text: string): JsonRead {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { value: null, problem: error.message };
    throw error;
  }
}

class JsonReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #problem: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonRead {
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) this.#invalid('after top-level value');
    return { value, problem: this.#problem };
  }

  readPrefix(): { value: GoValue; end: number } {
    const value = this.#value();
    if (this.#problem !== undefined) throw new JsonSyntaxError(this.#problem);
    return { value, end: this.#at };
  }

  #skip(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  /** Go's scanner gets a space after the end, which only some states refuse. */
  #invalid(where: string): never {
    const each = this.#text[this.#at] ?? ' ';
    const code =
      each.charCodeAt(0) < 0x80 ? each : String.fromCharCode(encodeBytes(this.#rune())[0]!);
    const shown = code === "'" ? "\\'" : code === '"' ? '"' : quoteString(code).slice(1, -1);
    throw new JsonSyntaxError(`invalid character '${shown}' ${where}`);
  }

  #rune(): string {
    return String.fromCodePoint(this.#text.codePointAt(this.#at)!);
  }

  #need(): string {
    this.#skip();
    const each = this.#text[this.#at];
    if (each === undefined) throw new JsonSyntaxError('unexpected end of JSON input');
    return each;
  }

  #value(): GoValue {
    const where = 'looking for beginning of value';
    const first = this.#need();
    switch (first) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
    }
    if (first === '-' || (first >= '0' && first <= '9')) return this.#number();
    return this.#invalid(where);
  }

  #enter(): void {
    this.#at++;
    if (++this.#depth > Math.min(maxDepth, safeDepth))
      throw new JsonSyntaxError('exceeded max depth');
  }

  #object(): GoMap {
    this.#enter();
    const map = new GoMap();
    if (this.#need() === '}') {
      this.#at++;
      this.#depth--;
      return map;
    }
    for (;;) {
      if (this.#need() !== '"') this.#invalid('looking for beginning of object key string');
      const key = this.#string();
      if (this.#need() !== ':') this.#invalid('after object key');
      this.#at++;
      map.set(key, this.#value());
      const next = this.#need();
      if (next !== ',' && next !== '}') this.#invalid('after object key:value pair');
      this.#at++;
      if (next === ',') continue;
      this.#depth--;
      return map;
    }
  }

  #array(): GoValue[] {
    this.#enter();
    const items: GoValue[] = [];
    if (this.#need() === ']') {
      this.#at++;
      this.#depth--;
      return items;
    }
    for (;;) {
      items.push(this.#value());
      const next = this.#need();
      if (next !== ',' && next !== ']') this.#invalid('after array element');
      this.#at++;
      if (next === ',') continue;
      this.#depth--;
      return items;
    }
  }

  #literal<T>(word: string, value: T): T {
    for (let at = 1; at < word.length; at++) {
      this.#at++;
      if (this.#text[this.#at] !== word[at]) {
        this.#invalid(`in literal ${word} (expecting '${word[at]}')`);
      }
    }
    this.#at++;
    return value;
  }

  #number(): GoValue {
    const start = this.#at;
    if (this.#text[this.#at] === '-') this.#at++;
    if (this.#text[this.#at] === '0') this.#at++;
    else this.#digits('in numeric literal');
    if (this.#text[this.#at] === '.') {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.#text[this.#at] ?? ' ')) {
      this.#at++;
      if (/[+-]/.test(this.#text[this.#at] ?? ' ')) this.#at++;
      this.#digits('in exponent of numeric literal');
    }
    const text = this.#text.slice(start, this.#at);
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    this.#problem ??= `json: cannot unmarshal number ${text} into Go value of type float64`;
    return null;
  }

  #digits(where: string): void {
    const start = this.#at;
    while (/\d/.test(this.#text[this.#at] ?? ' ')) this.#at++;
    if (this.#at === start) this.#invalid(where);
  }

  #string(): string {
    let out = '';
    let from = ++this.#at;
    for (;;) {
      const each = this.#text[this.#at];
      if (each === undefined) throw new JsonSyntaxError('unexpected end of JSON input');
      if (each === '"') break;
      if (each < ' ') this.#invalid('in string literal');
      if (each !== '\\') {
        this.#at++;
        continue;
      }
      out += this.#text.slice(from, this.#at);
      out += this.#escape();
      from = this.#at;
    }
    out += this.#text.slice(from, this.#at);
    this.#at++;
    return wellFormed(out);
  }

  #escape(): string {
    this.#at++;
    const kind = this.#text[this.#at] ?? ' ';
    const known = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[
      kind
    ];
    if (known !== undefined) {
      this.#at++;
      return known;
    }
    if (kind !== 'u') this.#invalid('in string escape code');
    this.#at++;
    const start = this.#at;
    for (; this.#at < start + 4; this.#at++) {
      if (!/[\da-fA-F]/.test(this.#text[this.#at] ?? ' ')) {
        this.#invalid('in \\u hexadecimal character escape');
      }
    }
    return String.fromCharCode(Number.parseInt(this.#text.slice(start, this.#at), 16));
  }
}
