import { encodeJson } from '@waygate/text';
import { sopsError } from './sops-error.ts';
import {
  isBranch,
  isComment,
  type SopsBranch,
  type SopsPair,
  type SopsValue,
} from './sops-tree.ts';

/** A JSON file, its keys in the order of the file: JSON.parse would put numbers first. */
export function loadJson(text: string): SopsBranch {
  const reader = new JsonReader(text);
  const value = reader.document();
  if (!isBranch(value)) throw sopsError('failed to load encrypted JSON data: it is not an object');
  return value;
}

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): SopsValue {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#problem();
    return value;
  }

  #value(depth: number): SopsValue {
    if (depth > 200) throw this.#problem();
    this.#space();
    const character = this.#text[this.#at];
    if (character === '{') return this.#object(depth);
    if (character === '[') return this.#array(depth);
    const token = /("(?:[^"\\]|\\.)*"|true|false|null|-?\d[\d.eE+-]*)/y;
    token.lastIndex = this.#at;
    const found = token.exec(this.#text)?.[0];
    if (found === undefined) throw this.#problem();
    this.#at += found.length;
    try {
      const isLong = /^-?\d{16,}$/.test(found) && !Number.isSafeInteger(Number(found));
      return isLong ? BigInt(found) : (JSON.parse(found) as SopsValue);
    } catch {
      throw this.#problem();
    }
  }

  #object(depth: number): SopsBranch {
    const items: SopsPair[] = [];
    this.#at++;
    if (this.#takes('}')) return { items };
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#problem();
      const key = this.#value(depth) as string;
      if (!this.#takes(':')) throw this.#problem();
      items.push({ key, value: this.#value(depth + 1) });
    } while (this.#takes(','));
    if (!this.#takes('}')) throw this.#problem();
    return { items };
  }

  #array(depth: number): SopsValue {
    const items: SopsValue[] = [];
    this.#at++;
    if (this.#takes(']')) return items;
    do items.push(this.#value(depth + 1));
    while (this.#takes(','));
    if (!this.#takes(']')) throw this.#problem();
    return items;
  }

  #takes(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #problem() {
    return sopsError(`failed to load encrypted JSON data: it is not JSON at character ${this.#at}`);
  }
}

/** As sops prints it, with tabs. */
export function emitJson(branch: SopsBranch): string {
  return `${print(branch, '')}\n`;
}

function print(value: SopsValue, indent: string): string {
  const inner = `${indent}\t`;
  if (Array.isArray(value)) {
    const items = (value as readonly SopsValue[]).filter((one) => !isComment(one));
    if (items.length === 0) return '[]';
    return `[\n${items.map((one) => inner + print(one, inner)).join(',\n')}\n${indent}]`;
  }
  if (!isBranch(value)) return encodeJson(value);
  const lines: string[] = [];
  for (const item of value.items) {
    if (!isComment(item))
      lines.push(`${inner}${encodeJson(item.key)}: ${print(item.value, inner)}`);
  }
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
}
