import { isEmptyTree, type ListNode } from './node.ts';
import type { ParsedTemplates } from './parsed-templates.ts';

/** Named templates. A set may lie over another, whose templates it sees and does not change. */
export class TemplateSet {
  readonly #trees = new Map<string, ListNode>();
  readonly #below: TemplateSet | undefined;
  readonly #parsed: ParsedTemplates;

  constructor(parsed: ParsedTemplates, below?: TemplateSet) {
    this.#parsed = parsed;
    this.#below = below;
  }

  /** A set over this one: what is parsed into it is not seen here. */
  overlay(): TemplateSet {
    return new TemplateSet(this.#parsed, this);
  }

  find(name: string): ListNode | undefined {
    return this.#trees.get(name) ?? this.#below?.find(name);
  }

  /**
   * Parses a text and adds what it defines; a later definition replaces an earlier one, unless it is empty.
   * Returns the tree of the text itself.
   */
  parse(name: string, text: string): ListNode {
    const trees = this.#parsed.parse(name, text);
    for (const [each, tree] of trees) {
      if (this.find(each) === undefined || !isEmptyTree(tree)) this.#trees.set(each, tree);
    }
    return trees.get(name)!;
  }
}
