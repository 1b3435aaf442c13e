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
  const match = routedBy(createRouters(flavor, entries), request);
  // One router for all questions: an empty one is changed quickly, and made slowly.
  let probe = createRouters(flavor, []);
  const matchesAlone = (entry: RouteEntry): boolean => {
    probe = probe.change([{ id: probeId, entry }]);
    return routedBy(probe, request) !== undefined;
  };
  const passed = entries
    .filter((entry) => entry !== match?.entry)
    .map((entry) => ({ entry, mismatches: mismatchesOf(entry, matchesAlone) }))
    .sort((left, right) => left.mismatches.length - right.mismatches.length);
  return { match, passed };
}

/** The id of what is asked about: each takes the place of the one before. */
const probeId = 'probe';

function routedBy(
  { http, stream }: ReturnType<typeof createRouters>,
  { isStream, routed }: TracedRequest,
): RouteMatch | undefined {
  return (isStream ? stream : http).match(routed);
}

function mismatchesOf(
  entry: RouteEntry,
  matchesAlone: (entry: RouteEntry) => boolean,
): readonly Mismatch[] {
  const route: Readonly<Record<string, unknown>> = { ...entry.route };
  const mismatches: Mismatch[] = [];
  for (const field of matchedFields) {
    if (isUnset(route[field])) continue;
    if (!matchesAlone({ ...entry, route: withOnly(field, entry.route) }))
      mismatches.push({ field, wanted: shown(route[field]) });
  }
  return mismatches;
}

function withOnly(field: MatchedField, route: RouteEntry['route']): RouteEntry['route'] {
  const others = matchedFields.filter((other) => other !== field);
  const alone: Record<string, unknown> = { ...route, id: probeId };
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
