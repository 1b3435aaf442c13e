import { textFactor } from './call-cost.ts';
import { type CallEstimate, type EstimatedCall, sizeOfArgument } from './call-estimate.ts';
import type { EstimatedArgument } from './estimate.ts';
import { exactly, one, product, type Range, scaled, sum, unbounded } from './range.ts';

/** A call that makes a list. */
function allocating(size: Range, factor: number): CallEstimate {
  return { cost: sum(scaled(size, factor), one, exactly(10)), resultSize: size };
}

/** The number that is written there; anything else counts as the given one. */
function literalInt(argument: EstimatedArgument | undefined, otherwise: bigint): bigint {
  const expression = argument?.expression;
  if (expression?.kind !== 'literal' || typeof expression.value !== 'bigint') return otherwise;
  return expression.value < 0n ? 0n : expression.value;
}

/** The functions that extend the language with lists and sets; undefined for any other. */
export function estimateListCall(overload: string, call: EstimatedCall): CallEstimate | undefined {
  const { target, args } = call;
  const [first, second] = args;
  const sizeOf = (argument: EstimatedArgument | undefined) =>
    sizeOfArgument(argument as EstimatedArgument, call);
  switch (overload) {
    case 'list_slice': {
      const end = literalInt(second, sizeOf(target).max);
      return allocating(exactly(BigInt.asUintN(64, end - literalInt(first, 0n))), 1);
    }
    case 'lists_range':
      return allocating(exactly(literalInt(first, unbounded)), 1);
    case 'list_reverse':
    case 'list_flatten':
      return allocating(sizeOf(target), 1);
    case 'list_flatten_int':
      return allocating(sizeOf(target), Number(literalInt(first, unbounded)));
    case 'list_distinct':
      return allocating(product(sizeOf(target), sizeOf(target)), 2);
    case 'list_sets_contains_list':
    case 'list_sets_intersects_list':
      return { cost: sum(product(sizeOf(first), sizeOf(second)), one) };
    case 'list_sets_equivalent_list':
      return { cost: sum(scaled(product(sizeOf(first), sizeOf(second)), 2), one) };
  }
  const sort = /^list_(.*)_(sort|sortByAssociatedKeys)$/.exec(overload);
  if (sort === null) return undefined;
  const size = sizeOf(sort[2] === 'sort' ? target : first);
  const isText = sort[1] === 'string' || sort[1] === 'bytes';
  return allocating(product(size, size), isText ? 2 + textFactor : 2);
}
