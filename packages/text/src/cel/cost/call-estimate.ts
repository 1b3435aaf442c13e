import { type CelType, isSameType, nameOfType, paramsOf } from '../types/type.ts';
import { fixedCallCosts, regexFactor, textFactor } from './call-cost.ts';
import type { EstimatedArgument, SizeOfPath } from './estimate.ts';
import { estimateListCall } from './list-estimate.ts';
import { anything, exactly, one, product, type Range, scaled, smaller, sum } from './range.ts';
import { replacedSize } from './replaced-size.ts';

/** What a call may cost, without its arguments, and how long its result may be. */
export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range | undefined;
}

/** A call whose cost is to be estimated. */
export interface EstimatedCall {
  readonly function: string;
  readonly target: EstimatedArgument | undefined;
  readonly args: readonly EstimatedArgument[];
  readonly sizeOfPath: SizeOfPath;
}

/** The size of an argument; anything when nothing is known of it. */
export function sizeOfArgument(argument: EstimatedArgument, { sizeOfPath }: EstimatedCall): Range {
  return argument.computed ?? sizeOfPath(argument.path) ?? anything;
}

const text = (size: Range, factor = 1) => scaled(size, factor * textFactor);
const regex = (size: Range, pattern: Range) =>
  product(text(sum(size, one)), scaled(pattern, regexFactor));

/** The cost of a call by one of its overloads, as Kubernetes estimates it. */
export function estimateCall(overload: string, call: EstimatedCall): CallEstimate {
  return (
    estimateListCall(overload, call) ??
    estimateByName(overload, call) ??
    estimateByOverload(overload, call) ?? { cost: one }
  );
}

const maxFormatRegexSize = 128;
/** The bytes of an address: of IPv4 at least, of IPv6 at most. */
const addressSize: Range = { min: 4n, max: 16n };

function estimateByName(overload: string, call: EstimatedCall): CallEstimate | undefined {
  const cost = fixedCallCosts.get(call.function);
  if (cost !== undefined) return { cost: exactly(cost) };
  const { target, args } = call;
  const sizeOf = (argument: EstimatedArgument) => sizeOfArgument(argument, call);
  const [first] = args;
  switch (call.function) {
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return target === undefined ? undefined : { cost: searchCost(target, call) };
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return target && { cost: text(sizeOf(target)), resultSize: sizeOf(target) };
    case 'replace': {
      if (target === undefined || args.length < 2) return undefined;
      const [from, to] = args as [EstimatedArgument, EstimatedArgument];
      const resultSize = replacedSize(sizeOf(target), sizeOf(from), sizeOf(to));
      return { cost: text(sizeOf(target), 2), resultSize };
    }
    case 'split': {
      if (target === undefined) return undefined;
      const limit = args[1]?.expression;
      const isFixed = limit?.kind === 'literal' && typeof limit.value === 'bigint';
      const max = isFixed ? BigInt.asUintN(64, limit.value as bigint) : sizeOf(target).max;
      return { cost: text(sizeOf(target), 2), resultSize: { min: 0n, max } };
    }
    case 'join':
      return target && joinEstimate(target, call);
  }
  if (first === undefined) return undefined;
  switch (call.function) {
    case 'fieldSelector':
    case 'labelSelector': {
      const size = sizeOf(first);
      return { cost: sum(exactly(10), text(size), scaled(scaled(size, 0.5), 50)) };
    }
    case 'url':
    case 'jsonpatch.escapeKey':
      return { cost: text(sizeOf(first)), resultSize: sizeOf(first) };
    case 'find':
    case 'findAll': {
      if (target === undefined) return undefined;
      const size = sizeOf(target);
      return { cost: regex(size, sizeOf(first)), resultSize: { min: 0n, max: size.max } };
    }
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return { cost: text(sizeOf(first)) };
    case 'ip':
      return { cost: text(sizeOf(first)) };
    case 'ip.isCanonical':
      return { cost: text(sizeOf(first), 2) };
    case 'containsIP': {
      const base = text(sum(addressSize, addressSize));
      return {
        cost: overload === 'cidr_contains_ip_string' ? sum(base, text(sizeOf(first))) : base,
      };
    }
    case 'containsCIDR': {
      const base = sum(text(sum(addressSize, addressSize)), text(addressSize), one);
      return {
        cost: overload === 'cidr_contains_cidr_string' ? sum(base, text(sizeOf(first))) : base,
      };
    }
    case 'validate':
      return { cost: scaled(text(sizeOf(first)), maxFormatRegexSize * regexFactor) };
    case '_==_':
      return equalityEstimate(args as [EstimatedArgument, EstimatedArgument]);
    default:
      return undefined;
  }
}

/** A list's items, as an argument. */
function itemsOf({ type, path }: EstimatedArgument): EstimatedArgument | undefined {
  const [item] = paramsOf(type);
  if (item === undefined) return undefined;
  return {
    expression: undefined,
    type: item,
    path: path.length === 0 ? [] : [...path, '@items'],
    computed: undefined,
  };
}

/** Going over a list once, or over a text. */
function searchCost(target: EstimatedArgument, call: EstimatedCall): Range {
  const size = sizeOfArgument(target, call);
  const items = itemsOf(target);
  if (items === undefined) return text(size);
  const isText = ['string', 'bytes'].includes(items.type.kind);
  return product(size, isText ? sum(one, text(sizeOfArgument(items, call))) : one);
}

function joinEstimate(target: EstimatedArgument, call: EstimatedCall): CallEstimate {
  const listSize = sizeOfArgument(target, call);
  const items = itemsOf(target);
  let size = items === undefined ? exactly(0) : product(listSize, sizeOfArgument(items, call));
  const [separator] = call.args;
  if (separator !== undefined) {
    const less = (count: bigint) => (count > 0n ? count - 1n : 0n);
    const gaps = { min: less(listSize.min), max: less(listSize.max) };
    size = sum(size, product(sizeOfArgument(separator, call), gaps));
  }
  return { cost: text(size), resultSize: size };
}

const constantEquality = new Set(
  'net.IP net.CIDR kubernetes.Quantity kubernetes.Semver kubernetes.authorization.Authorizer kubernetes.authorization.PathCheck kubernetes.authorization.GroupCheck kubernetes.authorization.ResourceCheck kubernetes.authorization.Decision'.split(
    ' ',
  ),
);

/** Things of Kubernetes' own types are compared at once. */
function equalityEstimate([left, right]: readonly [EstimatedArgument, EstimatedArgument]):
  | CallEstimate
  | undefined {
  if (!isSameType(left.type, right.type) || !isNamed(left.type)) return undefined;
  const name = nameOfType(left.type);
  if (constantEquality.has(name)) return { cost: one };
  if (name === 'kubernetes.NamedFormat') return { cost: text({ min: 1n, max: 64n }) };
  if (name !== 'kubernetes.URL') return undefined;
  return { cost: text({ min: 1n, max: right.computed?.max ?? 1n }) };
}

const isNamed = (type: CelType) => type.kind === 'opaque' || type.kind === 'struct';

function estimateByOverload(overload: string, call: EstimatedCall): CallEstimate | undefined {
  const { target, args } = call;
  const sizeOf = (argument: EstimatedArgument | undefined) => argument?.computed ?? anything;
  const [first, second] = args;
  switch (overload) {
    case 'string_format':
      return { cost: text(sizeOf(target)) };
    case 'string_to_bytes': {
      const size = sizeOf(first);
      const max = BigInt.asUintN(64, size.max * 4n);
      return { cost: text(size), resultSize: { min: size.min, max } };
    }
    case 'bytes_to_string': {
      const size = sizeOf(first);
      return { cost: text(size), resultSize: { min: size.min / 4n, max: size.max } };
    }
    case 'strings_quote': {
      const size = sizeOf(first);
      const grown = (count: bigint, factor: bigint) => BigInt.asUintN(64, count * factor + 2n);
      return {
        cost: text(size),
        resultSize: { min: grown(size.min, 1n), max: grown(size.max, 2n) },
      };
    }
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: text(sizeOf(first)) };
    case 'in_list':
      return { cost: scaled(sizeOf(second), 1) };
    case 'matches_string':
      return { cost: regex(sizeOf(target), sizeOf(first)) };
    case 'contains_string':
      return { cost: product(text(sizeOf(target)), text(sizeOf(first))) };
    case 'add_list':
      return { cost: one, resultSize: sum(sizeOf(first), sizeOf(second)) };
    case 'add_string':
    case 'add_bytes': {
      const size = sum(sizeOf(first), sizeOf(second));
      return { cost: text(size), resultSize: size };
    }
    case 'less_string':
    case 'greater_string':
    case 'less_equals_string':
    case 'greater_equals_string':
    case 'less_bytes':
    case 'greater_bytes':
    case 'less_equals_bytes':
    case 'greater_equals_bytes':
    case 'equals':
    case 'not_equals': {
      const [left, right] = [sizeOf(first).max, sizeOf(second).max];
      const max = smaller(left, right);
      return { cost: text({ min: max > 0n ? 1n : 0n, max }) };
    }
    default:
      return undefined;
  }
}
