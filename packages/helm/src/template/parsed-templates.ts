import { bytesOfTree } from '../go/budget.ts';
import { type ParsedTrees, parseTemplate } from './parser.ts';

/** Trees by their texts and names, and what all of them take. */
interface Generation {
  readonly byText: Map<string, Map<string, ParsedTrees>>;
  bytes: number;
}

/**
 * Templates that were parsed before, by their names and texts: a controller renders the same charts again and again.
 * Trees are never changed once they are made. What is used goes into a new generation; of what is full the one before
 * it is forgotten.
 */
export class ParsedTemplates {
  readonly #isFunction: (name: string) => boolean;
  readonly #maxBytes: number;
  #young: Generation = { byText: new Map(), bytes: 0 };
  #old: Generation = { byText: new Map(), bytes: 0 };

  /** `maxBytes` is roughly what all of them may take. */
  constructor(isFunction: (name: string) => boolean, maxBytes: number) {
    this.#isFunction = isFunction;
    this.#maxBytes = maxBytes / 2;
  }

  /** @throws ParseError */
  parse(name: string, text: string): ParsedTrees {
    const known = this.#young.byText.get(text)?.get(name);
    if (known !== undefined) return known;
    const trees =
      this.#old.byText.get(text)?.get(name) ?? parseTemplate(name, text, this.#isFunction);
    this.#keep(name, text, trees);
    return trees;
  }

  #keep(name: string, text: string, trees: ParsedTrees): void {
    const bytes = bytesOfTree(text);
    if (bytes > this.#maxBytes / 2) return;
    if (this.#young.bytes + bytes > this.#maxBytes) {
      this.#old = this.#young;
      this.#young = { byText: new Map(), bytes: 0 };
    }
    const { byText } = this.#young;
    const named = byText.get(text) ?? new Map<string, ParsedTrees>();
    byText.set(text, named.set(name, trees));
    this.#young.bytes += bytes;
  }
}
