import {
  createRouters,
  type RouteEntry,
  type RouteMatch,
  type RouterFlavor,
} from '@waygate/gateway';
import type { KongRoute } from '@waygate/kong';
import type { TracedRequest } from './traced-request.ts';

/** Why a route did not get a request: the fields that do not match, or none when another came first. */
export interface PassedRoute {
  readonly entry: RouteEntry;
  readonly mismatches: readonly Mismatch[];
}

export interface Mismatch {
  readonly field: MatchedField;
  readonly wanted: string;
}

export interface RouteExplanation {
  readonly match: RouteMatch | undefined;
  /** All the others, those that were nearest to a match first. */
  readonly passed: readonly PassedRoute[];
}

const matchedFields = [
  'hosts',
  'paths',
  'methods',
  'headers',
  'snis',
  'sources',
  'destinations',
  'expression',
] as const;
type MatchedField = (typeof matchedFields)[number];

/**
 * Which route gets a request, and why the others do not. The reasons are the router's own: it is asked
 * about each field of a route alone.
 */
export function explainRoutes(
  flavor: RouterFlavor,
  entries: readonly RouteEntry[],
  request: TracedRequest,
): RouteExplanation {
  const match = routed(flavor, entries, request);
  const passed = entries
    .filter((entry) => entry !== match?.entry)
    .map((entry) => ({ entry, mismatches: mismatchesOf(flavor, entry, request) }))
    .sort((left, right) => left.mismatches.length - right.mismatches.length);
  return { match, passed };
}

function routed(
  flavor: RouterFlavor,
  entries: readonly RouteEntry[],
  { isStream, routed: request }: TracedRequest,
): RouteMatch | undefined {
  const { http, stream } = createRouters(flavor, entries);
  return (isStream ? stream : http).match(request);
}

function mismatchesOf(
  flavor: RouterFlavor,
  entry: RouteEntry,
  request: TracedRequest,
): readonly Mismatch[] {
  const route: Readonly<Record<string, unknown>> = { ...entry.route };
  const mismatches: Mismatch[] = [];
  for (const field of matchedFields) {
    if (isUnset(route[field])) continue;
    const alone = { ...entry, route: withOnly(field, entry.route) };
    if (routed(flavor, [alone], request) === undefined)
      mismatches.push({ field, wanted: shown(route[field]) });
  }
  return mismatches;
}

function withOnly(field: MatchedField, route: RouteEntry['route']): RouteEntry['route'] {
  const others = matchedFields.filter((other) => other !== field);
  const alone: Record<string, unknown> = { ...route };
  for (const other of others) delete alone[other];
  return alone as unknown as KongRoute & { readonly id: string };
}

function isUnset(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The values of a field as a person would write them. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (value === null || typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${shown(part)}`)
    .join('; ');
}
