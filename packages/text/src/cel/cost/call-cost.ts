import {
  CelFailure,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  type CelResult,
  lengthOf,
} from '../values/value.ts';
import { listCallCostOf } from './list-cost.ts';

/** What looking at one character of a text costs. */
export const textFactor = 0.1;
/** What one character of a regular expression adds to each character that it is run over. */
export const regexFactor = 0.25;

/** What counts as the length of a value; things without one count as 1. */
export function actualSize(value: CelResult): number {
  if (typeof value === 'string') return lengthOf(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelObject ? (value.size ?? 1) : 1;
}

const textCost = (value: CelResult, factor = 1) =>
  Math.ceil(actualSize(value) * factor * textFactor);

function regexCost(text: CelResult, patternSize: number): number {
  return Math.ceil((1 + actualSize(text)) * textFactor) * Math.ceil(patternSize * regexFactor);
}

/** The cost of parsing a selector: its text, and a requirement for every two characters. */
function selectorCost(length: number): number {
  return 10 + Math.ceil(length * textFactor) + Math.ceil(Math.ceil(length * 0.5) * 50);
}

/** What going over a value with all its parts costs. */
function traversalCost(value: CelResult): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * textFactor);
  if (value instanceof Uint8Array) return Math.floor(value.length * textFactor);
  if (value instanceof CelList) {
    let cost = 0;
    for (const item of value) cost += traversalCost(item);
    return cost;
  }
  if (value instanceof CelMap) {
    let cost = 0;
    for (const key of value.keys())
      cost += traversalCost(key) + traversalCost(value.find(key) as CelResult);
    return cost;
  }
  return 1;
}

const fixed = new Map<string, number>([
  ['check', 350_000],
  ...(
    'serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery'.split(
      ' ',
    ) as string[]
  ).map((name) => [name, 1] as const),
]);

/** The names that {@link namedCost} knows, and the overloads that {@link overloadCost} does. */
const named = new Set(
  'fieldSelector labelSelector isSorted sum max min indexOf lastIndexOf url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR quantity isQuantity semver isSemver replace split ip.isCanonical join find findAll ip containsIP containsCIDR validate _==_'.split(
    ' ',
  ),
);
const sized = new Set(
  'starts_with_string ends_with_string string_to_bytes bytes_to_string strings_quote string_format in_list less_string greater_string less_equals_string greater_equals_string less_bytes greater_bytes less_equals_bytes greater_equals_bytes equals not_equals add_string add_bytes matches_string contains_string'.split(
    ' ',
  ),
);

/** The cost of a call that has been made. */
export type CallCost = (args: readonly CelResult[], result: CelResult) => number;

/** How Kubernetes counts the cost of calls of a function; by its overload, where only one comes into question. */
export function callCostOf(name: string, overload: string): CallCost {
  const listCost = listCallCostOf(overload);
  if (listCost !== undefined) return listCost;
  const always = fixed.get(name) ?? (named.has(name) || sized.has(overload) ? undefined : 1);
  if (always !== undefined) return () => always;
  if (!named.has(name)) return (args) => overloadCost(overload, args);
  return (args, result) => namedCost(name, overload, args, result) ?? overloadCost(overload, args);
}

function namedCost(
  name: string,
  overload: string,
  args: readonly CelResult[],
  result: CelResult,
): number | undefined {
  const [first, second] = args as [CelResult, CelResult];
  switch (name) {
    case 'fieldSelector':
    case 'labelSelector':
      return selectorCost(actualSize(second));
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return traversalCost(first);
    case 'url':
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
    case 'jsonpatch.escapeKey':
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return textCost(first);
    case 'replace':
    case 'split':
    case 'ip.isCanonical':
      return textCost(first, 2);
    case 'join':
      return textCost(result, 2);
    case 'find':
    case 'findAll':
      return regexCost(first, actualSize(second));
    case 'ip':
      return overload === 'cidr_ip' ? 1 : textCost(first);
    case 'containsIP': {
      const base = textCost(first, 2);
      return overload === 'cidr_contains_ip_string' ? base + textCost(second) : base;
    }
    case 'containsCIDR': {
      const base = textCost(first, 2) + textCost(first) + 1;
      return overload === 'cidr_contains_cidr_string' ? base + textCost(second) : base;
    }
    case 'validate': {
      const regexSize = first instanceof CelObject ? first.regexSize : undefined;
      return regexSize === undefined ? undefined : regexCost(second, regexSize);
    }
    case '_==_':
      return first instanceof CelObject ? 1 : undefined;
    default:
      return undefined;
  }
}

/** Lengths of optional values are those of what they hold. */
function comparedSize(value: CelResult): number {
  return value instanceof CelOptional && value.value !== undefined
    ? comparedSize(value.value)
    : actualSize(value);
}

function overloadCost(overload: string, args: readonly CelResult[]): number {
  const [first, second] = args as [CelResult, CelResult];
  switch (overload) {
    case 'starts_with_string':
    case 'ends_with_string':
    case 'string_to_bytes':
    case 'bytes_to_string':
    case 'strings_quote':
    case 'string_format':
      return textCost(first);
    case 'in_list':
      return second instanceof CelFailure ? 1 : actualSize(second);
    case 'less_string':
    case 'greater_string':
    case 'less_equals_string':
    case 'greater_equals_string':
    case 'less_bytes':
    case 'greater_bytes':
    case 'less_equals_bytes':
    case 'greater_equals_bytes':
    case 'equals':
    case 'not_equals':
      return Math.ceil(Math.min(comparedSize(first), comparedSize(second)) * textFactor);
    case 'add_string':
    case 'add_bytes':
      return Math.ceil((actualSize(first) + actualSize(second)) * textFactor);
    case 'matches_string':
      return regexCost(first, actualSize(second));
    case 'contains_string':
      return textCost(first) * textCost(second);
    default:
      return 1;
  }
}
