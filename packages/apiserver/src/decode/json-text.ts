import { decodeJson, isObject, setOwn } from '@waygate/text';
import { describeSyntax } from './json-syntax.ts';

/** Nothing that a person writes nests deeper, and a parser that recurses must end. */
export const maxJsonDepth = 200;

interface JsonKeys {
  /** The keys that are set twice in one object, as paths, in the order of the document. */
  readonly duplicates: readonly string[];
  /** All keys as paths in the order of the document; only when asked for. */
  readonly order: readonly string[];
}

/** The text is not JSON, or not JSON that is let in. The message is Go's. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  /** A text is not JSON, or not JSON that is let in. The client gets a 400 with Go's message. */
  readonly code = 'WG_APISERVER_JSON';
}

/**
 * Parses JSON from outside: bounded in depth, and without keys that would reach a prototype. Whole numbers are kept as they
 * are, as far as Go's int64 goes.
 */
export function parseJson(text: string): unknown {
  checkDepth(text);
  let value: unknown;
  try {
    value = withGoIntegers(decodeJson(text));
  } catch {
    throw new JsonProblem(describeSyntax(text));
  }
  if (text.includes('__proto__') || text.includes('\\u005')) refusePrototype(value);
  return value;
}

/** Whole numbers beyond int64 are what Go takes them for: the nearest float64. */
export function withGoIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : Number(value);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = withGoIntegers(item);
  } else if (isObject(value)) {
    for (const key of Object.keys(value))
      if (typeof value[key] === 'bigint' || typeof value[key] === 'object')
        setOwn(value, key, withGoIntegers(value[key]));
  }
  return value;
}

function checkDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
      continue;
    }
    if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxJsonDepth) throw new JsonProblem('exceeded max depth');
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

function refusePrototype(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw new JsonProblem('the key "__proto__" is not allowed');
    refusePrototype((value as Record<string, unknown>)[key]);
  }
}

/** Walks the keys of a text that is known to be JSON. */
export function scanKeys(text: string, wantsOrder = false): JsonKeys {
  return new KeyScanner(text, wantsOrder).run();
}

class KeyScanner {
  readonly #text: string;
  readonly #wantsOrder: boolean;
  readonly #duplicates: string[] = [];
  readonly #order: string[] = [];
  #at = 0;

  constructor(text: string, wantsOrder: boolean) {
    this.#text = text;
    this.#wantsOrder = wantsOrder;
  }

  run(): JsonKeys {
    this.#value('');
    return { duplicates: this.#duplicates, order: this.#order };
  }

  #value(path: string): void {
    this.#space();
    const char = this.#text[this.#at];
    if (char === '{') this.#object(path);
    else if (char === '[') this.#array(path);
    else if (char === '"') this.#string();
    else {
      while (this.#at < this.#text.length && !',]} \n\r\t'.includes(this.#text[this.#at] as string))
        this.#at++;
    }
  }

  #object(path: string): void {
    const seen = new Set<string>();
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === '}') {
        this.#at++;
        return;
      }
      if (this.#text[this.#at] === ',') {
        this.#at++;
        continue;
      }
      const key = JSON.parse(this.#string()) as string;
      const keyPath = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) {
        this.#duplicates.push(keyPath);
        if (this.#wantsOrder) this.#order.push(`=${keyPath}`);
      } else if (this.#wantsOrder) this.#order.push(keyPath);
      seen.add(key);
      this.#space();
      this.#at++;
      this.#value(keyPath);
    }
  }

  #array(path: string): void {
    this.#at++;
    let index = 0;
    for (;;) {
      this.#space();
      if (this.#at >= this.#text.length) return;
      const char = this.#text[this.#at];
      if (char === ']') {
        this.#at++;
        return;
      }
      if (char === ',') {
        this.#at++;
        index++;
        continue;
      }
      this.#value(`${path}[${index}]`);
    }
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #space(): void {
    while (' \n\r\t'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }
}
