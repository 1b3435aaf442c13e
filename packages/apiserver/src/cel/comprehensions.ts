import type { Environment } from '@marcbachmann/cel-js';

/** What of the library's nodes and contexts a macro of our own touches. */
interface Node {
  readonly op: string;
  readonly args: unknown;
}
interface Scope {
  forkWithVariable(name: string, type: unknown): Scope;
  reuse(parent: Scope): Scope;
  setIterValue(value: unknown, evaluator: Evaluator): Scope;
}
interface Checker {
  check(
    node: Node,
    scope: Scope,
  ): { readonly kind: string; readonly valueType?: unknown; readonly keyType?: unknown };
  getType(name: string): unknown;
}
interface Evaluator {
  run(node: Node, scope: Scope): unknown;
}
interface Macro {
  readonly receiver: Node;
  readonly bodies: readonly Node[];
  readonly names: readonly [string, string];
  readonly gather: Gather;
  outer?: Scope;
  inner?: Scope;
}

/** Makes the outcome of the pairs that were visited. */
interface Gather {
  readonly type: string;
  run(pairs: Iterable<() => readonly unknown[]>, macro: Macro): unknown;
}

/** How many pairs there were; the budget of an expression counts them. */
type Tick = () => void;

/**
 * The comprehensions with two variables: over a list with index and value, over a map with key and
 * value. The library has those with one.
 */
export function registerComprehensions(environment: Environment, tick: Tick): void {
  const macro = (signature: string, gather: Gather) =>
    environment.registerFunction(signature, ((call: { args: Node[]; receiver: Node }) => ({
      receiver: call.receiver,
      names: [nameOf(call.args[0]), nameOf(call.args[1])],
      bodies: call.args.slice(2),
      gather,
      typeCheck,
      evaluate: (evaluator: Evaluator, own: Macro, scope: Scope) =>
        evaluate(evaluator, own, scope, tick),
      async: false,
    })) as never);
  macro('list.all(ast, ast, ast): bool', all);
  macro('list.exists(ast, ast, ast): bool', exists);
  macro('list.existsOne(ast, ast, ast): bool', existsOne);
  macro('list.exists_one(ast, ast, ast): bool', existsOne);
  macro('list.transformList(ast, ast, ast): list<dyn>', transformList);
  macro('list.transformList(ast, ast, ast, ast): list<dyn>', transformList);
  macro('list.transformMap(ast, ast, ast): map<dyn, dyn>', transformMap);
  macro('list.transformMap(ast, ast, ast, ast): map<dyn, dyn>', transformMap);
  macro('list.transformMapEntry(ast, ast, ast): map<dyn, dyn>', transformMapEntry);
  macro('list.transformMapEntry(ast, ast, ast, ast): map<dyn, dyn>', transformMapEntry);
}

function nameOf(node: Node | undefined): string {
  if (node?.op === 'id') return node.args as string;
  throw new Error('argument is not an identifier');
}

function typeCheck(checker: Checker, macro: Macro, scope: Scope): unknown {
  const range = checker.check(macro.receiver, scope);
  const dyn = checker.getType('dyn');
  const keyType = range.kind === 'list' ? checker.getType('int') : (range.keyType ?? dyn);
  macro.outer = scope.forkWithVariable(macro.names[0], keyType);
  macro.inner = macro.outer.forkWithVariable(macro.names[1], range.valueType ?? dyn);
  for (const body of macro.bodies) checker.check(body, macro.inner);
  return checker.getType(macro.gather.type);
}

function evaluate(evaluator: Evaluator, macro: Macro, scope: Scope, tick: Tick): unknown {
  const range = evaluator.run(macro.receiver, scope);
  const pairs = pairsOf(range).map(([key, value]) => () => {
    tick();
    const outer = (macro.outer as Scope).reuse(scope).setIterValue(key, evaluator);
    const inner = (macro.inner as Scope).reuse(outer).setIterValue(value, evaluator);
    const [first, second] = macro.bodies as readonly [Node, Node?];
    if (second === undefined) return [key, evaluator.run(first, inner)];
    return truth(evaluator.run(first, inner)) ? [key, evaluator.run(second, inner)] : [];
  });
  return macro.gather.run(pairs, macro);
}

function pairsOf(range: unknown): (readonly [unknown, unknown])[] {
  if (Array.isArray(range)) return range.map((value, index) => [BigInt(index), value]);
  if (range instanceof Map) return [...range];
  if (typeof range === 'object' && range !== null) return Object.entries(range);
  throw new Error('cannot be range of a comprehension (must be list, map, or dynamic).');
}

function truth(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error('predicate must return bool');
  return value;
}

/** An error counts only if no other pair decides. */
const quantifier = (decisive: boolean): Gather => ({
  type: 'bool',
  run(pairs) {
    let failure: unknown;
    for (const pair of pairs) {
      try {
        if (truth(pair()[1]) === decisive) return decisive;
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return !decisive;
  },
});

const all = quantifier(false);
const exists = quantifier(true);

const existsOne: Gather = {
  type: 'bool',
  run(pairs) {
    let count = 0;
    for (const pair of pairs) if (truth(pair()[1])) count++;
    return count === 1;
  },
};

const transformList: Gather = {
  type: 'list<dyn>',
  run(pairs) {
    const values: unknown[] = [];
    for (const pair of pairs) {
      const [key, value] = pair();
      if (key !== undefined) values.push(value);
    }
    return values;
  },
};

const transformMap: Gather = {
  type: 'map<dyn, dyn>',
  run(pairs) {
    const values = new Map<unknown, unknown>();
    for (const pair of pairs) {
      const [key, value] = pair();
      if (key !== undefined) values.set(key, value);
    }
    return values;
  },
};

const transformMapEntry: Gather = {
  type: 'map<dyn, dyn>',
  run(pairs) {
    const values = new Map<unknown, unknown>();
    for (const pair of pairs) {
      const [key, entry] = pair();
      if (key === undefined) continue;
      for (const [own, value] of pairsOf(entry)) {
        if (values.has(own)) throw new Error(`insert failed: key ${String(own)} already exists`);
        values.set(own, value);
      }
    }
    return values;
  },
};
