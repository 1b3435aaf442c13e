import type { GrpcRoute, GrpcRouteMatch, GrpcRouteRule } from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { annotationList, annotationsOf } from '../annotations.ts';
import { allOf, anyHttpRequest, compare, type Matcher } from '../expression.ts';
import { headerField, hostMatcher, sniMatcher } from '../expression-matchers.ts';
import { utf8Length } from '../ingress-path.ts';
import type { RouteEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import type { ProblemList } from '../problem.ts';
import { draftOf, type RouteDraft, type ServiceClaim } from '../service-claim.ts';
import { tagsOf } from '../tags.ts';
import { applyFilters, type FilterOutcome, ruleProblem } from './http-filters.ts';
import { valuesMatcher } from './http-match.ts';
import { withPlugins } from './http-routes.ts';
import { listenerGuards } from './listener-guards.ts';
import { attachedListeners, listenerProtocols } from './listeners.ts';
import { type SplitMatch, splitMatchId } from './match-order.ts';
import { listenersNamed, parentOf } from './route-attachment.ts';
import { gatewayServiceClaim } from './service.ts';

/** Bits 0 to 7 of the priority: the order among matches that are otherwise equal. */
export const grpcOrderBits = 8;

/** Each rule of a GRPCRoute is a service; with expressions, each rule for each of its hosts. */
export function grpcRouteClaims(
  route: GrpcRoute,
  reader: ObjectReader,
  options: ResolvedOptions,
  priorityOf: (id: string) => number,
  problems: ProblemList,
): ServiceClaim[] {
  const protocol = serviceProtocol(route, reader);
  const prefix = `grpcroute.${route.metadata.namespace}.${route.metadata.name}`;
  const rules = route.spec?.rules ?? [];
  const outcomes = rules.map((rule, index) => filtersOf(route, rule, index, options, problems));
  if (!options.isExpressions) {
    return rules.flatMap((rule, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) return [];
      const name = `${prefix}.${index}`;
      const drafts = traditionalRoutes(route, index, name, reader);
      return gatewayServiceClaim(
        route,
        'GRPCRoute',
        name,
        protocol,
        rule.backendRefs ?? [],
        reader,
        drafts.map((draft) => withFilters(draft, outcome)),
      );
    });
  }
  const protocols = routeProtocols(route, reader);
  const guards = listenerGuards(route, reader, options);
  const hostnames = route.spec?.hostnames?.length ? route.spec.hostnames : [''];
  return hostnames.flatMap((hostname, hostIndex) =>
    rules.flatMap((rule, ruleIndex) => {
      const outcome = outcomes[ruleIndex];
      if (outcome === undefined) return [];
      const name = `${prefix}.${hostname === '' ? '_' : hostname.replaceAll('*', '_')}.${ruleIndex}`;
      const matches = rule.matches?.length ? rule.matches : [{}];
      const drafts = matches.map((match, matchIndex) => {
        const id = splitMatchId({ hostname, hostIndex, ruleIndex, matchIndex }, route);
        const routeName = `${name}.${matchIndex}`;
        const priority = priorityOf(id);
        const draft = expressionRoute(route, hostname, match, routeName, priority, protocols);
        draft.entity.expression = allOf(guards(hostname), draft.entity.expression ?? '');
        return withFilters(draft, outcome);
      });
      return gatewayServiceClaim(
        route,
        'GRPCRoute',
        name,
        protocol,
        rule.backendRefs ?? [],
        reader,
        drafts,
      );
    }),
  );
}

/** What the filters of a rule add, or undefined for a rule that cannot be served as it asks. */
function filtersOf(
  route: GrpcRoute,
  { filters, backendRefs }: GrpcRouteRule,
  index: number,
  options: ResolvedOptions,
  problems: ProblemList,
): FilterOutcome | undefined {
  const hasRedirectPlugin = options.features.supportRedirectPlugin;
  const outcome =
    ruleProblem({ backendRefs: backendRefs ?? null }) ??
    applyFilters(filters ?? [], '', {
      hasRedirectPlugin,
      hasOwnPlugins: options.features.httpRoutePlugins,
      tags: grpcTags(route),
    });
  if (typeof outcome !== 'string') return outcome;
  problems.addField(outcome, `spec.rules[${index}].filters`, route);
  return undefined;
}

function withFilters(draft: RouteDraft, { plugins, pluginNames }: FilterOutcome): RouteDraft {
  if (plugins.length > 0) draft.entity.plugins = plugins;
  return { ...draft, annotations: withPlugins(draft.source, pluginNames) };
}

export function splitGrpcRoute(route: GrpcRoute): SplitMatch[] {
  const hostnames = route.spec?.hostnames?.length ? route.spec.hostnames : [''];
  return hostnames.flatMap((hostname, hostIndex) =>
    (route.spec?.rules ?? []).flatMap((rule, ruleIndex) =>
      (rule.matches?.length ? rule.matches : [{}]).map((match, matchIndex) => ({
        route,
        hostname,
        hostIndex,
        ruleIndex,
        matchIndex,
        basePriority: basePriority(hostname, match),
      })),
    ),
  );
}

function basePriority(hostname: string, match: GrpcRouteMatch): number {
  return (
    2 ** 44 +
    (hostname !== '' && !hostname.startsWith('*') ? 2 ** 43 : 0) +
    hostname.length * 2 ** 35 +
    utf8Length(match.method?.service ?? '') * 2 ** 24 +
    utf8Length(match.method?.method ?? '') * 2 ** 13 +
    (match.headers ?? []).length * 2 ** 8
  );
}

/** A listener without TLS makes the service plain too. */
function serviceProtocol(route: GrpcRoute, reader: ObjectReader): string {
  const { namespace = '' } = route.metadata;
  const listeners = attachedListeners(reader, namespace, route.spec?.parentRefs ?? []);
  return listeners.some(({ protocol }) => protocol === 'HTTP') ? 'grpc' : 'grpcs';
}

/** gRPC over what the listeners speak; none known leaves it to the gateway. */
function routeProtocols(route: GrpcRoute, reader: ObjectReader): string[] {
  const { namespace = '' } = route.metadata;
  const listeners = attachedListeners(reader, namespace, route.spec?.parentRefs ?? []);
  return (listenerProtocols(listeners) ?? []).map((one) => (one === 'https' ? 'grpcs' : 'grpc'));
}

function grpcTags(route: GrpcRoute): string[] {
  return tagsOf(
    route,
    (route.spec?.rules ?? []).map(({ name }) => name ?? ''),
  );
}

function traditionalRoutes(
  route: GrpcRoute,
  ruleIndex: number,
  prefix: string,
  reader: ObjectReader,
): RouteDraft[] {
  const rule = route.spec?.rules?.[ruleIndex];
  const hosts = hostnamesOf(route, reader);
  const base = (matchIndex: number): RouteEntity => ({
    name: `${prefix}.${matchIndex}`,
    protocols: ['grpc', 'grpcs'],
    tags: grpcTags(route),
    ...(hosts.length === 0 ? {} : { hosts }),
  });
  const draft = (entity: RouteEntity) => draftOf(entity, route, { isExpressions: false });
  if (!rule?.matches?.length)
    return [draft(hosts.length > 0 ? base(0) : { ...base(0), paths: ['/'] })];
  return rule.matches.map((match, matchIndex) => {
    const entity = base(matchIndex);
    if (match.method) entity.paths = [methodPath(match.method)];
    const headers = new Map<string, string[]>();
    for (const { name, type, value } of match.headers ?? []) {
      const wanted = type === 'RegularExpression' ? `~*${value}` : value;
      headers.set(name, [...(headers.get(name) ?? []), wanted]);
    }
    if (headers.size > 0) entity.headers = Object.fromEntries(headers);
    return draft(entity);
  });
}

type MethodMatch = NonNullable<GrpcRouteMatch['method']>;

function methodPath({ type, service, method }: MethodMatch): string {
  const anyMethod = type === 'RegularExpression' ? '.+' : '';
  return `~/${service ?? '.+'}/${method ?? anyMethod}`;
}

/** Without hosts of its own a route takes those of the listeners that it is attached to. */
function hostnamesOf(route: GrpcRoute, reader: ObjectReader): string[] {
  if (route.spec?.hostnames?.length) return [...route.spec.hostnames];
  const hostnames: string[] = [];
  for (const parent of route.spec?.parentRefs ?? []) {
    if (!['Gateway', 'ListenerSet'].includes(parent.kind ?? 'Gateway')) continue;
    const found = parentOf(reader, route.metadata.namespace ?? '', parent);
    if (found === undefined) return [];
    for (const { hostname } of listenersNamed(reader, found, { ...parent, port: null }))
      if (hostname) hostnames.push(hostname);
  }
  return hostnames;
}

function expressionRoute(
  route: GrpcRoute,
  hostname: string,
  match: GrpcRouteMatch,
  name: string,
  priority: number,
  protocols: string[],
): RouteDraft {
  const annotations = annotationsOf(route);
  const expression = allOf(
    match.method ? methodMatcherOf(match.method) : '',
    valuesMatcher(match.headers ?? [], headerField),
    hostname === '' ? '' : hostMatcher([hostname]),
    sniMatcher(annotationList(annotations, 'snis') ?? []),
  );
  const entity: RouteEntity = {
    name,
    preserve_host: true,
    expression: expression || anyHttpRequest,
    priority,
    tags: grpcTags(route),
  };
  if (protocols.length > 0) entity.protocols = protocols;
  return draftOf(entity, route, { isExpressions: true });
}

function methodMatcherOf({ type, service, method }: MethodMatch): Matcher {
  if (!service && !method) return compare('http.path', '^=', '/');
  if (type === 'RegularExpression')
    return compare('http.path', '~', `^/${service ?? '.+'}/${method ?? '.+'}`);
  if (!method) return compare('http.path', '^=', `/${service}/`);
  if (!service) return compare('http.path', '=^', `/${method}`);
  return compare('http.path', '==', `/${service}/${method}`);
}
