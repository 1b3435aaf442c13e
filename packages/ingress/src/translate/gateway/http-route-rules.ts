import { createHash } from 'node:crypto';
import type { HttpRoute, HttpRouteRule } from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { ResolvedOptions } from '../options.ts';
import type { ProblemList } from '../problem.ts';
import { newService, type ServiceClaim } from '../service-claim.ts';
import { stableJson } from '../stable-json.ts';
import { backendsOf } from './backends.ts';
import { ruleProblem } from './http-filters.ts';
import { mirroredBackends, mirrorServiceName } from './own-filters.ts';
import { backendClaims, withExtras } from './rule-extras.ts';

/** Kong keeps names to this length. */
const maximumNameLength = 511;

/** One claim for each rule; rules with equal backends share a service. */
export function httpRouteClaims(
  route: HttpRoute,
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): ServiceClaim[] {
  const { httpRoutePlugins: hasOwnPlugins } = options.features;
  const asked = route.spec?.rules ?? [];
  const rules = hasOwnPlugins ? asked.map((rule) => withExtras(route, rule, reader)) : asked;
  const refusal = refusalOf(rules, options);
  if (refusal !== undefined) {
    problems.addField(`HTTPRoute can't be routed: ${refusal}`, 'spec.rules', route);
    return [];
  }
  const firstWith = new Map<string, number>();
  const claims = rules.map((rule, index): ServiceClaim => {
    const backends = (rule.backendRefs ?? []).map((reference) => stableJson(reference));
    // Timeouts are a service's: rules that differ in them cannot share one.
    const timeouts = rule.timeouts ? ` ${stableJson(rule.timeouts)}` : '';
    const key = backends.sort().join(';') + timeouts;
    const first = firstWith.get(key) ?? index;
    firstWith.set(key, first);
    const name = options.features.combinedServicesFromDifferentHttpRoutes
      ? combinedServiceName(route, rule)
      : `httproute.${route.metadata.namespace}.${route.metadata.name}.${first}`;
    return {
      serviceName: name,
      family: 'HTTPRoute',
      owner: route,
      parent: route,
      service: newService(name, name, 'http'),
      backends: [],
      routes: [],
      httpRule: { index, rule },
    };
  });
  return hasOwnPlugins
    ? [...claims, ...mirrorClaims(route, rules, reader), ...backendClaims(route, asked, reader)]
    : claims;
}

/** The backends of mirrors: upstreams without routes. */
function mirrorClaims(
  route: HttpRoute,
  rules: readonly HttpRouteRule[],
  reader: ObjectReader,
): ServiceClaim[] {
  return rules
    .flatMap(({ filters }) => mirroredBackends(filters))
    .map((reference) => {
      const name = mirrorServiceName(route, reference);
      return {
        serviceName: name,
        family: 'HTTPRoute',
        owner: route,
        parent: route,
        service: newService(name, name, 'http'),
        backends: backendsOf(route, [reference], reader),
        routes: [],
      };
    });
}

function refusalOf(rules: readonly HttpRouteRule[], options: ResolvedOptions): string | undefined {
  if (rules.length === 0) return 'no rules provided';
  const hasQuery = rules.some((rule) =>
    (rule.matches ?? []).some((match) => (match.queryParams ?? []).length > 0),
  );
  if (hasQuery && !options.isExpressions) return 'query param matches are not yet supported';
  return rules.map(ruleProblem).find((problem) => problem !== undefined);
}

/** Rules of all HTTPRoutes of a namespace with the same backends, ports and weights share this name. */
function combinedServiceName(route: HttpRoute, rule: HttpRouteRule): string {
  const { namespace = '' } = route.metadata;
  const backends = (rule.backendRefs ?? [])
    .map(({ namespace: own, name, port, weight }) =>
      [own ?? namespace, name, port, weight]
        .filter((part) => part !== undefined && part !== null)
        .join('.'),
    )
    .sort();
  const prefix = `httproute.${namespace}.svc.`;
  const name = prefix + (backends.length === 0 ? '_' : backends.join('_'));
  if (name.length <= maximumNameLength) return name;
  const digest = createHash('sha256').update(backends.join('_')).digest('hex');
  return `${prefix}${backends[0]}_combined.${digest}`;
}
