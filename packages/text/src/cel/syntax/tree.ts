import { type CelExpression, childrenOf } from './ast.ts';

/** No part lies deeper than this, so that walking an expression never runs out of stack. */
export const maxDepth = 500;

export function call(
  offset: number,
  name: string,
  args: readonly CelExpression[],
  target?: CelExpression,
): CelExpression {
  return { kind: 'call', offset, function: name, target, args };
}

export function balance(
  name: string,
  terms: readonly CelExpression[],
  offsets: readonly number[],
): CelExpression {
  if (terms.length === 1) return terms[0] as CelExpression;
  const middle = Math.floor((terms.length + 1) / 2);
  const left = balance(name, terms.slice(0, middle), offsets.slice(0, middle - 1));
  const right = balance(name, terms.slice(middle), offsets.slice(middle));
  return call(offsets[middle - 1] as number, name, [left, right]);
}

/** `a.b.c`, when the expression is made of names only. */
export function qualifiedName(expression: CelExpression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.isTest) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}

export function isTooDeep(expression: CelExpression): boolean {
  let level: readonly CelExpression[] = [expression];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}
