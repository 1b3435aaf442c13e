import { holdStack } from '@waygate/text';
import type { JsonNode } from './json-node.ts';
import { JsonNumber } from './json-number.ts';

const maxDepth = 10_000;

/**
 * Reads JSON with its numbers as they are written, and with Go's words for what is wrong.
 *
 * @throws Error such as `invalid character '}' looking for beginning of value`, or `EOF`
 */
export function readJson(text: string): JsonNode {
  const reader = new Reader(text);
  return reader.document();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonNode {
    this.#skipSpace();
    if (this.#at >= this.#text.length) throw new Error('EOF');
    const node = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw new Error('invalid character after top-level value');
    return node;
  }

  #value(): JsonNode {
    this.#skipSpace();
    const char = this.#text[this.#at];
    switch (char) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
    }
    const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    number.lastIndex = this.#at;
    const found = number.exec(this.#text);
    if (found === null) throw this.#wrong('looking for beginning of value');
    this.#at += found[0].length;
    return new JsonNumber(found[0]);
  }

  #nested(read: () => JsonNode): JsonNode {
    if (++this.#depth > maxDepth) throw new Error('exceeded max depth');
    holdStack(this.#depth);
    const node = read();
    this.#depth--;
    return node;
  }

  #object(): JsonNode {
    const map = new Map<string, JsonNode>();
    this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] === '}') {
      this.#at++;
      return map;
    }
    for (;;) {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') {
        const where =
          map.size === 0 ? 'beginning of object key string' : 'beginning of object key string';
        throw this.#wrong(`looking for ${where}`);
      }
      const key = this.#string();
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') throw this.#wrong('after object key');
      this.#at++;
      map.set(key, this.#value());
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== '}') throw this.#wrong('after object key:value pair');
      this.#at++;
      if (next === '}') return map;
    }
  }

  #array(): JsonNode {
    const items: JsonNode[] = [];
    this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] === ']') {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(this.#value());
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== ']') throw this.#wrong('after array element');
      this.#at++;
      if (next === ']') return items;
    }
  }

  #string(): string {
    const from = this.#at;
    for (let at = from + 1; at < this.#text.length; at++) {
      const char = this.#text[at]!;
      if (char === '\\') at++;
      else if (char === '"') {
        this.#at = at + 1;
        return this.#unquoted(from);
      } else if (char < ' ') {
        this.#at = at;
        throw this.#wrong('in string literal');
      }
    }
    throw new Error('unexpected EOF');
  }

  #unquoted(from: number): string {
    try {
      return JSON.parse(this.#text.slice(from, this.#at)) as string;
    } catch (cause) {
      const bad = /\\(?!["\\/bfnrtu])(.)/.exec(this.#text.slice(from, this.#at))?.[1];
      const char = bad === undefined ? "'u'" : quotedRune(bad);
      throw new Error(`invalid character ${char} in string escape code`, { cause });
    }
  }

  #word<T extends JsonNode>(word: string, value: T): T {
    for (let at = 0; at < word.length; at++, this.#at++) {
      if (this.#text[this.#at] !== word[at]) {
        throw this.#wrong(`in literal ${word} (expecting ${quotedRune(word[at]!)})`);
      }
    }
    return value;
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #wrong(where: string): Error {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return new Error('unexpected EOF');
    return new Error(`invalid character ${quotedRune(String.fromCodePoint(code))} ${where}`);
  }
}

/** As Go prints a character in single quotes. */
export function quotedRune(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  return `'${JSON.stringify(char).slice(1, -1)}'`;
}
