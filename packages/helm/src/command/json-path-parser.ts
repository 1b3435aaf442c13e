import { unquoteString } from '../go/unquote.ts';
import { type GoValue, goInt } from '../go/value.ts';
import { CommandError } from './command-error.ts';

/** One step of a path, or what stands in its place. */
export type PathNode =
  | { readonly sort: 'constant'; readonly value: GoValue }
  | { readonly sort: 'word'; readonly name: string }
  | { readonly sort: 'field'; readonly name: string }
  | { readonly sort: 'wildcard' | 'recursive' }
  | { readonly sort: 'slice'; readonly bounds: SliceBounds }
  | { readonly sort: 'union'; readonly paths: readonly (readonly PathNode[])[] }
  | ({ readonly sort: 'filter' } & PathFilter);

/** Without an end, `isOne` tells an index from a slice that goes on. */
export interface SliceBounds {
  readonly start: number;
  readonly end: number | undefined;
  readonly isOne: boolean;
  readonly step: number;
}

export interface PathFilter {
  readonly left: readonly PathNode[];
  /** None asks whether the left is there. */
  readonly operator?: string;
  readonly right?: readonly PathNode[];
}

/** A piece of a template: text, or what stands in braces. */
export type TemplatePart = string | readonly PathNode[];

/** Reads a template as kubectl reads one. @throws CommandError */
export function parseJsonPath(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  const failure = (why: string) => new CommandError(`error parsing jsonpath ${template}: ${why}`);
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    const text = template.slice(at, open < 0 ? undefined : open);
    if (text !== '') parts.push(text);
    if (open < 0) break;
    const action = new ActionParser(template, open + 1, failure);
    parts.push(action.parse());
    at = action.at + 1;
  }
  return parts;
}

const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const comparison = /^([^!<>=]+)([!<>=]+)(.+)$/s;
/** What ends a name. */
const terminator = /[\s.,[\]$@{}]/;

/** Reads what stands between braces, up to the closing one. */
class ActionParser {
  readonly #text: string;
  readonly #failure: (why: string) => Error;
  /** The letter that is read next. */
  at: number;

  constructor(text: string, at: number, failure: (why: string) => Error) {
    this.#text = text;
    this.at = at;
    this.#failure = failure;
  }

  parse(): PathNode[] {
    const nodes: PathNode[] = [];
    for (;;) {
      const letter = this.#text[this.at];
      if (letter === undefined || letter === '\n' || letter === '\r') {
        throw this.#failure('unclosed action');
      }
      if (letter === '}') return nodes;
      nodes.push(...this.#node(letter, nodes.at(-1)));
    }
  }

  #node(letter: string, before: PathNode | undefined): PathNode[] {
    if (this.#text.startsWith('[?(', this.at)) return [this.#filter()];
    if (this.#text.startsWith('..', this.at)) return this.#recursive(before);
    if (letter === ' ' || letter === '@' || letter === '$') {
      this.at++;
      return [];
    }
    if (letter === '[') return this.#array();
    if (letter === '"' || letter === "'") return [this.#quoted(letter)];
    if (letter === '.') {
      this.at++;
      return [this.#field()];
    }
    if (/[-+\d]/.test(letter)) return [this.#number()];
    if (/[\p{L}\p{Nd}_]/u.test(letter)) return [this.#word()];
    const point = this.#text.codePointAt(this.at)!;
    const code = point.toString(16).toUpperCase().padStart(4, '0');
    throw this.#failure(
      `unrecognized character in action: U+${code} '${String.fromCodePoint(point)}'`,
    );
  }

  /** A name, in which what follows a backslash ends nothing. */
  #name(): string {
    const start = this.at;
    while (this.at < this.#text.length && !terminator.test(this.#text[this.at]!)) {
      this.at += this.#text[this.at] === '\\' ? 2 : 1;
    }
    return this.#text.slice(start, this.at);
  }

  #field(): PathNode {
    const name = this.#name();
    return name === '*' ? { sort: 'wildcard' } : { sort: 'field', name: name.replaceAll('\\', '') };
  }

  #recursive(before: PathNode | undefined): PathNode[] {
    if (before?.sort === 'recursive') throw this.#failure('invalid multiple recursive descent');
    this.at += 2;
    const isNamed = /[\p{L}\p{Nd}_]/u.test(this.#text[this.at] ?? '');
    return [{ sort: 'recursive' }, ...(isNamed ? [this.#field()] : [])];
  }

  #word(): PathNode {
    const name = this.#name();
    return name === 'true' || name === 'false'
      ? { sort: 'constant', value: name === 'true' }
      : { sort: 'word', name };
  }

  #number(): PathNode {
    const [text] = /^[-+]?[\d.]*/.exec(this.#text.slice(this.at))!;
    this.at += text.length;
    if (/^[-+]?\d+$/.test(text)) return { sort: 'constant', value: goInt(Number(text)) };
    if (!/\d/.test(text) || Number.isNaN(Number(text))) {
      throw this.#failure(`cannot parse number ${text}`);
    }
    return { sort: 'constant', value: Number(text) };
  }

  #quoted(quote: string): PathNode {
    let end = this.at + 1;
    while (this.#text[end] !== quote) {
      if (end >= this.#text.length || this.#text[end] === '\n') {
        throw this.#failure('unterminated quoted string');
      }
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    const inner = this.#text.slice(this.at + 1, end);
    this.at = end + 1;
    const escaped = quote === '"' ? inner : inner.replaceAll("\\'", "'").replaceAll('"', '\\"');
    const value = unquoteString(`"${escaped}"`);
    if (value === undefined) throw this.#failure('invalid syntax');
    return { sort: 'constant', value };
  }

  #array(): PathNode[] {
    const end = this.#text.indexOf(']', this.at);
    const inner = end < 0 ? '' : this.#text.slice(this.at + 1, end);
    if (end < 0 || inner.includes('\n')) throw this.#failure('unterminated array');
    this.at = end + 1;
    return this.#elements(inner);
  }

  #elements(inner: string): PathNode[] {
    const several = inner.split(',');
    if (several.length > 1) {
      const paths = several.map((each) => this.#elements(each.trim()));
      return [{ sort: 'union', paths }];
    }
    const key = /^'([^']*)'$/.exec(inner)?.[1];
    if (key !== undefined) return this.#inside(`.${key}`);
    const found = slice.exec(inner === '*' ? ':' : inner);
    if (found === null) throw this.#failure(`invalid array index ${inner}`);
    const [, start = '', end, step] = found;
    const numberOf = (text: string | undefined) =>
      text === undefined || text === ':' ? undefined : Number(text.replace(':', ''));
    const bounds = {
      start: Number(start),
      end: numberOf(end),
      isOne: end === undefined,
      step: numberOf(step) ?? 1,
    };
    return [{ sort: 'slice', bounds }];
  }

  #filter(): PathNode {
    const start = this.at + '[?('.length;
    let quote = '';
    let end = start;
    let open = 1;
    for (; open > 0; end++) {
      const letter = this.#text[end];
      if (letter === undefined || letter === '\n') throw this.#failure('unterminated filter');
      if (quote !== '') quote = letter === quote ? '' : quote;
      else if (letter === '"' || letter === "'") quote = letter;
      else if (letter === '(') open++;
      else if (letter === ')') open--;
    }
    if (this.#text[end] !== ']') throw this.#failure('unclosed array expect ]');
    this.at = end + 1;
    const inner = this.#text.slice(start, end - 1);
    const [, left, operator, right] = comparison.exec(inner) ?? [];
    if (left === undefined) return { sort: 'filter', left: this.#inside(inner) };
    return {
      sort: 'filter',
      left: this.#inside(left),
      operator: operator!,
      right: this.#inside(right!),
    };
  }

  #inside(path: string): PathNode[] {
    return new ActionParser(`${path}}`, 0, this.#failure).parse();
  }
}
