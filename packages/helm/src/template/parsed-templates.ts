import { bytesOfTree } from '../go/budget.ts';
import { type ParsedTrees, parseTemplate } from './parser.ts';

/**
 * Templates that were parsed before, by their names and texts: a controller renders the same charts again and again.
 * Trees are never changed once they are made. What was not used for longest goes first.
 */
export class ParsedTemplates {
  readonly #isFunction: (name: string) => boolean;
  readonly #maxBytes: number;
  readonly #trees = new Map<string, { readonly trees: ParsedTrees; readonly bytes: number }>();
  #bytes = 0;

  constructor(isFunction: (name: string) => boolean, maxBytes: number) {
    this.#isFunction = isFunction;
    this.#maxBytes = maxBytes;
  }

  /** @throws ParseError */
  parse(name: string, text: string): ParsedTrees {
    const key = `${name}\n${text}`;
    const known = this.#trees.get(key);
    if (known !== undefined) {
      this.#trees.delete(key);
      this.#trees.set(key, known);
      return known.trees;
    }
    const trees = parseTemplate(name, text, this.#isFunction);
    this.#keep(key, { trees, bytes: bytesOfTree(text) + key.length });
    return trees;
  }

  #keep(key: string, made: { readonly trees: ParsedTrees; readonly bytes: number }): void {
    if (made.bytes > this.#maxBytes / 4) return;
    this.#bytes += made.bytes;
    for (const [oldest, { bytes }] of this.#trees) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#trees.delete(oldest);
      this.#bytes -= bytes;
    }
    this.#trees.set(key, made);
  }
}
