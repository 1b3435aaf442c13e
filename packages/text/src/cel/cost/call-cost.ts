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

/** The entries of a table for several names, which are alike. */
function each<T>(names: string, value: T): [string, T][] {
  return names.split(' ').map((name) => [name, value]);
}

/** What calls cost that cost the same whatever they are given. */
export const fixedCallCosts: ReadonlyMap<string, number> = new Map([
  ['check', 350_000],
  ...each(
    'serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery',
    1,
  ),
]);

/** The cost of a call that has been made. */
export type CallCost = (args: readonly CelResult[], result: CelResult) => number;

type Args = readonly [CelResult, CelResult];
/** By the name of a function; undefined where its overload decides after all. */
type NamedCost = (args: Args, result: CelResult, overload: string) => number | undefined;

const namedCosts: ReadonlyMap<string, NamedCost> = new Map([
  ...each<NamedCost>('fieldSelector labelSelector', ([, text]) => selectorCost(actualSize(text))),
  ...each<NamedCost>('isSorted sum max min indexOf lastIndexOf', ([first]) => traversalCost(first)),
  ...each<NamedCost>(
    'url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR quantity isQuantity semver isSemver',
    ([first]) => textCost(first),
  ),
  ...each<NamedCost>('replace split ip.isCanonical', ([first]) => textCost(first, 2)),
  ...each<NamedCost>('join', (_args, result) => textCost(result, 2)),
  ...each<NamedCost>('find findAll', ([text, regex]) => regexCost(text, actualSize(regex))),
  ...each<NamedCost>('ip', ([first], _result, overload) =>
    overload === 'cidr_ip' ? 1 : textCost(first),
  ),
  ...each<NamedCost>('containsIP', ([first, second], _result, overload) => {
    const base = textCost(first, 2);
    return overload === 'cidr_contains_ip_string' ? base + textCost(second) : base;
  }),
  ...each<NamedCost>('containsCIDR', ([first, second], _result, overload) => {
    const base = textCost(first, 2) + textCost(first) + 1;
    return overload === 'cidr_contains_cidr_string' ? base + textCost(second) : base;
  }),
  ...each<NamedCost>('validate', ([format, text]) => {
    const regexSize = format instanceof CelObject ? format.regexSize : undefined;
    return regexSize === undefined ? undefined : regexCost(text, regexSize);
  }),
  ...each<NamedCost>('_==_', ([first]) => (first instanceof CelObject ? 1 : undefined)),
]);

/** Lengths of optional values are those of what they hold. */
function comparedSize(value: CelResult): number {
  return value instanceof CelOptional && value.value !== undefined
    ? comparedSize(value.value)
    : actualSize(value);
}

const overloadCosts: ReadonlyMap<string, (args: Args) => number> = new Map([
  ...each(
    'starts_with_string ends_with_string string_to_bytes bytes_to_string strings_quote string_format',
    ([first]: Args) => textCost(first),
  ),
  ...each('in_list', ([, list]: Args) => (list instanceof CelFailure ? 1 : actualSize(list))),
  ...each(
    'less_string greater_string less_equals_string greater_equals_string less_bytes greater_bytes less_equals_bytes greater_equals_bytes equals not_equals',
    ([first, second]: Args) =>
      Math.ceil(Math.min(comparedSize(first), comparedSize(second)) * textFactor),
  ),
  ...each('add_string add_bytes', ([first, second]: Args) =>
    Math.ceil((actualSize(first) + actualSize(second)) * textFactor),
  ),
  ...each('matches_string', ([text, regex]: Args) => regexCost(text, actualSize(regex))),
  ...each('contains_string', ([text, part]: Args) => textCost(text) * textCost(part)),
]);

/** How Kubernetes counts the cost of calls of a function; by its overload, where only one comes into question. */
export function callCostOf(name: string, overload: string): CallCost {
  const listCost = listCallCostOf(overload);
  if (listCost !== undefined) return listCost;
  const fixed = fixedCallCosts.get(name);
  if (fixed !== undefined) return () => fixed;
  const byName = namedCosts.get(name);
  const byOverload = overloadCosts.get(overload) ?? (() => 1);
  if (byName === undefined) return (args) => byOverload(args as unknown as Args);
  return (args, result) =>
    byName(args as unknown as Args, result, overload) ?? byOverload(args as unknown as Args);
}
