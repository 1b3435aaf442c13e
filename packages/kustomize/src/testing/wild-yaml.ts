import type { Random } from './random.ts';

/** What a YAML text says, before anybody decides how to write it. `Raw` is written as it is. */
export type Wild =
  | string
  | number
  | boolean
  | null
  | Raw
  | readonly Wild[]
  | { [key: string]: Wild };

/** A scalar in one spelling, which may be a trap. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Writes a document in as many ways as YAML has: blocks and brackets, quotes, comments. */
export function wildYaml(random: Random, value: Wild): string {
  const writer = new Writer(random);
  const head = random.chance(0.1) ? random.pick(['# first\n', '\n', '---\n', '# a\n\n# b\n']) : '';
  const text = head + writer.block(value, 0).replace(/^\n/, '');
  const ended = text.endsWith('\n') ? text : `${text}\n`;
  return random.chance(0.05) ? ended.replaceAll('\n', '\r\n') : ended;
}

class Writer {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** What follows a key and its colon, or is the whole document: starts with a break or a blank. */
  block(value: Wild, indent: number): string {
    if (value === null || typeof value !== 'object' || value instanceof Raw) {
      return ` ${this.#scalar(value, indent)}${this.#comment()}\n`;
    }
    const isEmpty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
    if (isEmpty || this.#random.chance(0.12)) return ` ${this.#flow(value)}${this.#comment()}\n`;
    return `${this.#comment()}\n${
      Array.isArray(value)
        ? this.#items(value, indent)
        : this.#fields(value as { [key: string]: Wild }, indent)
    }`;
  }

  #fields(map: { [key: string]: Wild }, indent: number): string {
    return Object.entries(map)
      .map(([key, value]) => {
        const isList = Array.isArray(value) && value.length > 0;
        const deeper = isList && this.#random.chance(0.5) ? indent : indent + 2;
        return `${this.#lineBefore(indent)}${' '.repeat(indent)}${this.#key(key)}:${this.block(value, deeper)}`;
      })
      .join('');
  }

  #items(list: readonly Wild[], indent: number): string {
    return list
      .map((item) => {
        const isNested =
          item !== null &&
          typeof item === 'object' &&
          !(item instanceof Raw) &&
          !Array.isArray(item) &&
          Object.keys(item).length > 0;
        const margin = ' '.repeat(indent);
        if (isNested && this.#random.chance(0.85)) {
          const text = this.#fields(item as { [key: string]: Wild }, indent + 2);
          const first = text.search(/[^ \n]/);
          if (text[first] !== '#') return `${margin}- ${text.slice(first)}`;
        }
        return `${margin}-${this.block(item, indent + 2)}`;
      })
      .join('');
  }

  #key(key: string): string {
    const isPlain =
      /^[A-Za-z][\w./-]*$/.test(key) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(key);
    if (isPlain && this.#random.chance(0.92)) return key;
    return this.#random.chance(0.5) || /[\\']/.test(key) ? JSON.stringify(key) : `'${key}'`;
  }

  #flow(value: Wild): string {
    if (value === null || typeof value !== 'object' || value instanceof Raw) {
      return this.#flowScalar(value);
    }
    if (Array.isArray(value)) {
      const inner = value.map((item) => this.#flow(item)).join(', ');
      return this.#random.chance(0.2) && inner !== '' ? `[ ${inner} ]` : `[${inner}]`;
    }
    const fields = Object.entries(value).map(
      ([key, item]) => `${this.#key(key)}: ${this.#flow(item)}`,
    );
    return `{${fields.join(', ')}}`;
  }

  #flowScalar(value: string | number | boolean | null | Raw): string {
    if (typeof value !== 'string') return this.#scalar(value, 0);
    const isPlain =
      /^[A-Za-z][\w.-]*$/.test(value) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(value);
    return isPlain && this.#random.chance(0.7) ? value : JSON.stringify(value);
  }

  #scalar(value: string | number | boolean | null | Raw, indent: number): string {
    if (value instanceof Raw) return value.text;
    if (value === null) return this.#random.pick(['null', '~', 'Null']);
    if (typeof value !== 'string') return String(value);
    const isPlain =
      /^[A-Za-z](?:[\w./ -]*\w)?$/.test(value) &&
      !/^(y|n|yes|no|on|off|true|false|null)$/i.test(value);
    if (isPlain && this.#random.chance(0.75)) return value;
    const margin = ' '.repeat(Math.max(indent, 2));
    const isBlock = value.includes('\n') && !/^[\s]|\t|[^\n\x20-\x7e]/.test(value);
    if (isBlock && this.#random.chance(0.6)) {
      const chomp = value.endsWith('\n') ? (value.endsWith('\n\n') ? '+' : '') : '-';
      const lines = value.replace(/\n$/, '').split('\n');
      return `|${chomp}\n${lines.map((line) => (line === '' ? '' : margin + line)).join('\n')}`;
    }
    if (/^[^\n\\']*$/.test(value) && this.#random.chance(0.4)) return `'${value}'`;
    return JSON.stringify(value);
  }

  #comment(): string {
    return this.#random.chance(0.05) ? this.#random.pick(['  # why', ' #', '   # a: b']) : '';
  }

  #lineBefore(indent: number): string {
    if (!this.#random.chance(0.04)) return '';
    return this.#random.pick([
      '\n',
      `${' '.repeat(indent)}# about the next\n`,
      '# at the margin\n',
    ]);
  }
}
