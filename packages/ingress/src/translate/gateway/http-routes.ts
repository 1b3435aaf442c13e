import type { KubeObject } from '@waygate/schema';
import type {
  BackendReference,
  HttpRoute,
  HttpRouteFilter,
  HttpRouteMatch,
  HttpRouteRule,
} from '../../objects/gateway-api.ts';
import { type Annotations, annotation, annotationList, annotationsOf } from '../annotations.ts';
import { allOf, anyHttpRequest, type Matcher } from '../expression.ts';
import { hostMatcher, sniMatcher } from '../expression-matchers.ts';
import type { RouteEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RouteDraft, ServiceClaim } from '../service-claim.ts';
import { stableJson } from '../stable-json.ts';
import { tagsOf } from '../tags.ts';
import { applyFilters, type FilterOutcome } from './http-filters.ts';
import { httpMatchMatcher, matchHeaders, matchKey, matchPaths } from './http-match.ts';
import { splitMatchId } from './match-order.ts';
import { mirrorServiceName } from './own-filters.ts';

/** What making routes needs beyond the rules themselves. */
interface HttpRouteContext {
  readonly options: ResolvedOptions;
  /** The protocols that the listeners of a route's Gateways speak. */
  protocolsOf(route: HttpRoute): string[] | undefined;
  priorityOf(id: string): number;
  /** What keeps a route to its listeners, by host name. */
  guardsOf(route: HttpRoute): (hostname: string) => Matcher;
}

interface RuleOfRoute {
  readonly route: HttpRoute;
  readonly index: number;
  readonly rule: HttpRouteRule;
}

interface MatchOfRule extends RuleOfRoute {
  readonly match: HttpRouteMatch;
  readonly matchIndex: number;
}

/** The routes of all rules that share one service, or why one of them cannot be made. */
export function httpRouteDrafts(
  claims: readonly ServiceClaim[],
  context: HttpRouteContext,
): RouteDraft[] | string {
  const rules = claims.flatMap(({ owner, httpRule }) =>
    httpRule === undefined ? [] : [{ route: owner as HttpRoute, ...httpRule }],
  );
  const drafts = context.options.isExpressions
    ? rules.map((rule) => expressionDrafts(rule, context))
    : traditionalGroups(rules).map((group) => traditionalDrafts(group, context));
  const failure = drafts.find((draft) => typeof draft === 'string');
  if (failure !== undefined) return failure as string;
  return (drafts as RouteDraft[][]).flat();
}

/** Matches that one route can hold: of one HTTPRoute, with equal filters, differing only in paths. */
function traditionalGroups(rules: readonly RuleOfRoute[]): MatchOfRule[][] {
  const groups = new Map<string, MatchOfRule[]>();
  for (const { route, index, rule } of rules) {
    const filters = (rule.filters ?? [])
      .map((filter) => stableJson(filter))
      .sort()
      .join(';');
    const owner = `${route.metadata.namespace}/${route.metadata.name}`;
    if (!rule.matches?.length) {
      groups.set(`${owner} ${index}`, [{ route, index, rule, match: {}, matchIndex: 0 }]);
      continue;
    }
    for (const [matchIndex, match] of rule.matches.entries()) {
      const key = `${owner} ${filters} ${matchKey(match)}`;
      const group = groups.get(key) ?? [];
      group.push({ route, index, rule, match, matchIndex });
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

function traditionalDrafts(
  group: readonly MatchOfRule[],
  context: HttpRouteContext,
): RouteDraft[] | string {
  const [first] = group;
  if (first === undefined) return [];
  const filters = first.rule.filters ?? [];
  // A redirect needs to know the path that it answers for, and a replaced prefix which one it is, so
  // that their matches cannot share a route.
  if (group.length > 1 && (hasRedirect(filters) || replacesPrefix(filters))) {
    const each = group.map((match) => traditionalDrafts([match], context));
    const failure = each.find((drafts) => typeof drafts === 'string');
    return failure !== undefined ? (failure as string) : (each as RouteDraft[][]).flat();
  }
  const { route } = first;
  const headers = matchHeaders(first.match);
  if (typeof headers === 'string') return headers;
  const tags = tagsOf(
    route,
    group.map(({ rule }) => rule.name ?? ''),
  );
  const entity: RouteEntity = {
    name: `httproute.${route.metadata.namespace}.${route.metadata.name}.${first.index}.${first.matchIndex}`,
    preserve_host: true,
    tags,
  };
  // Without a path to match there is none to strip, and the gateway's default stays.
  if (first.rule.matches?.length) entity.strip_path = false;
  const protocols = context.protocolsOf(route);
  if (protocols !== undefined) entity.protocols = protocols;
  if (route.spec?.hostnames?.length) entity.hosts = [...route.spec.hostnames];
  if (Object.keys(headers).length > 0) entity.headers = headers;
  const paths = group.flatMap(({ match }) => matchPaths(match));
  if (paths.length > 0) entity.paths = paths;
  const methods = new Set(group.flatMap(({ match }) => match.method ?? []));
  if (methods.size > 0) entity.methods = [...methods];
  const outcome = applyFilters(
    filters,
    first.match.path?.value ?? '',
    filterOptions(context, route, tags),
  );
  if (typeof outcome === 'string') return outcome;
  if (outcome.capture !== undefined) entity.paths = outcome.capture.paths;
  return [finish(entity, route, outcome, false)];
}

function expressionDrafts(rule: RuleOfRoute, context: HttpRouteContext): RouteDraft[] | string {
  const { route, index } = rule;
  const hostnames = route.spec?.hostnames?.length ? route.spec.hostnames : [''];
  const matches = rule.rule.matches?.length ? rule.rule.matches : [{}];
  const annotations = annotationsOf(route);
  const tags = tagsOf(route, [rule.rule.name ?? '']);
  const snis = sniMatcher(annotationList(annotations, 'snis') ?? []);
  const guards = context.guardsOf(route);
  const drafts: RouteDraft[] = [];
  for (const [hostIndex, hostname] of hostnames.entries()) {
    for (const [matchIndex, match] of matches.entries()) {
      const path = match.path?.value ?? '';
      const outcome = applyFilters(
        rule.rule.filters ?? [],
        path,
        filterOptions(context, route, tags),
      );
      if (typeof outcome === 'string') return outcome;
      const matcher =
        outcome.capture === undefined
          ? httpMatchMatcher(match, annotations)
          : allOf(outcome.capture.matcher, httpMatchMatcher({ ...match, path: null }, annotations));
      const host = hostname === '' ? '' : hostMatcher([hostname]);
      const id = splitMatchId({ hostname, hostIndex, ruleIndex: index, matchIndex }, route);
      const place = hostname === '' ? '_' : hostname.replaceAll('*', '_');
      const entity: RouteEntity = {
        name: `httproute.${route.metadata.namespace}.${route.metadata.name}.${place}.${index}.${matchIndex}`,
        preserve_host: true,
        strip_path: false,
        expression: allOf(guards(hostname), host, snis, matcher) || anyHttpRequest,
        priority: context.priorityOf(id),
        tags,
      };
      const protocols = context.protocolsOf(route);
      if (protocols !== undefined) entity.protocols = protocols;
      drafts.push(finish(entity, route, outcome, true));
    }
  }
  return drafts;
}

function hasRedirect(filters: readonly HttpRouteFilter[]): boolean {
  return filters.some(({ type }) => type === 'RequestRedirect');
}

function replacesPrefix(filters: readonly HttpRouteFilter[]): boolean {
  return filters.some(
    ({ type, urlRewrite }) =>
      type === 'URLRewrite' && urlRewrite?.path?.type === 'ReplacePrefixMatch',
  );
}

function filterOptions({ options }: HttpRouteContext, route: HttpRoute, tags: string[]) {
  return {
    hasRedirectPlugin: options.features.supportRedirectPlugin,
    hasOwnPlugins: options.features.httpRoutePlugins,
    mirrorHost: (reference: BackendReference) => mirrorServiceName(route, reference),
    tags,
  };
}

function finish(
  entity: RouteEntity,
  source: HttpRoute,
  outcome: FilterOutcome,
  isExpression: boolean,
): RouteDraft {
  if (outcome.plugins.length > 0) entity.plugins = outcome.plugins;
  return { entity, annotations: withPlugins(source, outcome.pluginNames), source, isExpression };
}

/** Plugins that filters name count as if the annotation named them. */
export function withPlugins(route: KubeObject, names: readonly string[]): Annotations {
  const annotations = annotationsOf(route);
  if (names.length === 0) return annotations;
  const before = annotation(annotations, 'plugins');
  const value = [...(before === undefined ? [] : [before]), ...names].join(',');
  return { ...annotations, 'konghq.com/plugins': value };
}
