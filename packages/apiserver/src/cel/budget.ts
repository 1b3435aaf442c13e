/** What of the library's nodes is looked at. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly meta?: { readonly alternate?: Node };
}

/** An expression may take this many steps, as in Kubernetes, whatever it is given. */
export const callLimit = 1_000_000;

/** An expression went on for too long. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
  readonly code = 'WG_APISERVER_CEL_BUDGET';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/**
 * Counts the rounds of all comprehensions of the expression that is being evaluated. There is one
 * thread, and an expression is evaluated at a stretch, so that one counter serves all.
 */
export class Budget {
  #left = 0;

  begin(limit = callLimit): void {
    this.#left = limit;
  }

  /** Takes the cost of a round, or throws when nothing is left. */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new BudgetExceeded();
  }

  get left(): number {
    return Math.max(0, this.#left);
  }

  /** Has the comprehensions of a parsed expression pay for each round, by the size of what they do. */
  watch(root: unknown): void {
    if (!isNode(root)) return;
    const comprehension = root.meta?.alternate;
    if (comprehension?.op === 'comprehension') this.#charge(comprehension);
    for (const child of childrenOf(root)) this.watch(child);
  }

  #charge(comprehension: Node): void {
    const loop = comprehension.args as {
      step: Node;
      condition?: (value: unknown) => boolean;
    };
    const goesOn = loop.condition ?? (() => true);
    const cost = 1 + sizeOf(loop.step);
    loop.condition = (value) => {
      this.spend(cost);
      return goesOn(value);
    };
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function childrenOf(node: Node): unknown[] {
  return Array.isArray(node.args) ? node.args.flat(2) : [node.args];
}

function sizeOf(node: unknown): number {
  if (!isNode(node)) return 0;
  return childrenOf(node).reduce<number>((sum, child) => sum + sizeOf(child), 1);
}
