import { parseDuration } from '@waygate/text';
import type {
  BackendReference,
  HeaderModifier,
  HttpRoute,
  HttpRouteFilter,
  HttpRouteRule,
} from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { newService, type ServiceClaim } from '../service-claim.ts';
import { backendsOf } from './backends.ts';
import { ownFilter } from './own-filters.ts';

/** Filters of a backend that can be done for it alone. */
const backendFilterTypes: ReadonlySet<string> = new Set([
  'RequestHeaderModifier',
  'ResponseHeaderModifier',
  'URLRewrite',
]);

/**
 * A rule with what its backends and its `retry` ask for as filters of the rule, as far as plugins of ours
 * can do that; what is left is refused.
 */
export function withExtras(
  route: HttpRoute,
  rule: HttpRouteRule,
  reader: ObjectReader,
): HttpRouteRule {
  const { backendRefs, filters } = withBackendFilters(route, rule, reader);
  const { retry, ...rest } = rule;
  if (!retry) return { ...rest, backendRefs, filters };
  const config = {
    codes: retry.codes ?? [],
    attempts: Math.max(retry.attempts ?? 1, 0),
    backoff_ms: durationMs(retry.backoff),
    total_ms: durationMs(rule.timeouts?.request),
  };
  const own = { type: ownFilter, plugin: { name: 'http-route-retry', config } };
  return { ...rest, backendRefs, filters: [...filters, own] };
}

function withBackendFilters(
  route: HttpRoute,
  rule: HttpRouteRule,
  reader: ObjectReader,
): { backendRefs: BackendReference[]; filters: HttpRouteFilter[] } {
  const backendRefs = rule.backendRefs ?? [];
  const filters = rule.filters ?? [];
  if (!hasOwnFilters(backendRefs)) return { backendRefs, filters };
  const plain = backendRefs.map(({ filters: _, ...reference }) => reference);
  // What is done for the only backend of a rule is done for the rule.
  if (backendRefs.length === 1)
    return { backendRefs: plain, filters: [...filters, ...filtersOf(backendRefs[0]!)] };
  const isPossible = backendRefs
    .flatMap(filtersOf)
    .every(({ type }) => backendFilterTypes.has(type));
  if (!isPossible) return { backendRefs, filters };
  const backends = backendRefs.map((reference) => ({
    host: backendServiceName(route, reference),
    port: reference.port ?? 80,
    weight: reference.weight ?? 1,
    request: changes(filtersOf(reference).map((filter) => filter.requestHeaderModifier)),
    response: changes(filtersOf(reference).map((filter) => filter.responseHeaderModifier)),
    ...rewriteOf(filtersOf(reference)),
    ...(backendsOf(route, [reference], reader).length === 0 ? { status: 500 } : {}),
  }));
  const prefixes = (rule.matches ?? []).map(({ path }) => path?.value ?? '/');
  const config = { backends, ...(prefixes.length === 0 ? {} : { prefixes }) };
  const plugin = { name: 'http-route-backends', config };
  return { backendRefs: plain, filters: [...filters, { type: ownFilter, plugin }] };
}

/** The backends that have filters of their own beside others: upstreams without routes. */
export function backendClaims(
  route: HttpRoute,
  rules: readonly HttpRouteRule[],
  reader: ObjectReader,
): ServiceClaim[] {
  const claims = new Map<string, ServiceClaim>();
  for (const { backendRefs } of rules) {
    if (!backendRefs || backendRefs.length < 2 || !hasOwnFilters(backendRefs)) continue;
    for (const { weight: _, filters: __, ...reference } of backendRefs) {
      const name = backendServiceName(route, reference);
      claims.set(name, {
        serviceName: name,
        family: 'HTTPRoute',
        owner: route,
        parent: route,
        service: newService(name, name, 'http'),
        backends: backendsOf(route, [reference], reader),
        routes: [],
      });
    }
  }
  return [...claims.values()];
}

function backendServiceName(
  { metadata: { namespace = '', name = '' } }: HttpRoute,
  { namespace: named, name: backend, port }: BackendReference,
): string {
  return `httproute.${namespace}.${name}.backend.${named ?? namespace}.${backend}.${port ?? 0}`;
}

function hasOwnFilters(backendRefs: readonly BackendReference[]): boolean {
  return backendRefs.some(({ filters }) => filters?.length);
}

function filtersOf({ filters }: BackendReference): HttpRouteFilter[] {
  return (filters ?? []) as HttpRouteFilter[];
}

/** What is left out is as it is without a rewrite; a replacement of nothing for a prefix takes it away. */
function rewriteOf(filters: readonly HttpRouteFilter[]): { rewrite?: Record<string, string> } {
  const rewrites = filters.flatMap(({ urlRewrite }) => urlRewrite ?? []);
  const rewrite: Record<string, string> = {};
  for (const { hostname, path } of rewrites) {
    if (hostname) rewrite.host = hostname;
    if (path?.type === 'ReplaceFullPath') rewrite.full_path = path.replaceFullPath ?? '/';
    else if (path?.type === 'ReplacePrefixMatch') rewrite.prefix = path.replacePrefixMatch ?? '';
  }
  return rewrites.length === 0 ? {} : { rewrite };
}

function changes(modifiers: readonly (HeaderModifier | null | undefined)[]) {
  const all = modifiers.flatMap((modifier) => modifier ?? []);
  return {
    set: all.flatMap(({ set }) => set ?? []),
    add: all.flatMap(({ add }) => add ?? []),
    remove: all.flatMap(({ remove }) => remove ?? []),
  };
}

/** 0 where there is none, or none that makes sense: a file may hold anything. */
function durationMs(text: string | null | undefined): number {
  try {
    return text ? Math.max(Math.trunc(parseDuration(text)), 0) : 0;
  } catch {
    return 0;
  }
}
