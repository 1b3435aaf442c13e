import { isEmptyTree, type ListNode } from './node.ts';
import { parseTemplate } from './parser.ts';

/** Named templates. A set may lie over another, whose templates it sees and does not change. */
export class TemplateSet {
  readonly #trees = new Map<string, ListNode>();
  readonly #below: TemplateSet | undefined;
  readonly #isFunction: (name: string) => boolean;

  constructor(isFunction: (name: string) => boolean, below?: TemplateSet) {
    this.#isFunction = isFunction;
    this.#below = below;
  }

  /** A set over this one: what is parsed into it is not seen here. */
  overlay(): TemplateSet {
    return new TemplateSet(this.#isFunction, this);
  }

  find(name: string): ListNode | undefined {
    return this.#trees.get(name) ?? this.#below?.find(name);
  }

  /**
   * Parses a text and adds what it defines; a later definition replaces an earlier one, unless it is empty.
   * Returns the tree of the text itself.
   */
  parse(name: string, text: string): ListNode {
    const trees = parseTemplate(name, text, this.#isFunction);
    for (const [each, tree] of trees) {
      if (this.find(each) === undefined || !isEmptyTree(tree)) this.#trees.set(each, tree);
    }
    return trees.get(name)!;
  }
}
