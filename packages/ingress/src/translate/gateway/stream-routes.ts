import type { StreamRoute } from '../../objects/gateway-api.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { allOf } from '../expression.ts';
import { serverNameMatcher } from '../expression-matchers.ts';
import type { RouteEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import type { ProblemList } from '../problem.ts';
import { draftOf, type ServiceClaim } from '../service-claim.ts';
import { withStreamExpression } from '../stream-expression.ts';
import { tagsOf } from '../tags.ts';
import { guardOf, type ListenerPlace, placesOf } from './listener-guards.ts';
import { attachedListeners } from './listeners.ts';
import { listenersNamed, parentOf } from './route-attachment.ts';
import { gatewayServiceClaim } from './service.ts';

type StreamKind = 'TCPRoute' | 'UDPRoute' | 'TLSRoute';

const noRules = 'no rules provided';

/** TCPRoute and UDPRoute: the ports of the attached listeners lead to the backends. */
export function portRouteClaims(
  route: StreamRoute,
  kind: 'TCPRoute' | 'UDPRoute',
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): ServiceClaim[] {
  const rules = route.spec?.rules ?? [];
  if (rules.length === 0) {
    problems.addField(noRules, 'spec.rules', route);
    return [];
  }
  if (rules.some(({ backendRefs }) => !backendRefs?.length)) {
    const message = `${kind} rules must include at least one backendRef`;
    problems.addField(message, 'spec.rules', route);
    return [];
  }
  const protocol = kind === 'TCPRoute' ? 'TCP' : 'UDP';
  const places = placesOf(route, reader, options)?.filter(
    ({ listener }) => listener.protocol === protocol,
  );
  if (places !== undefined) {
    const expression = guardOf(places, '', () => '');
    const priority = priorityByAge(route);
    const fields = { protocols: [protocol.toLowerCase()], expression, priority };
    return claims(route, kind, protocol.toLowerCase(), reader, options, [fields]);
  }
  const { namespace = '' } = route.metadata;
  const ports = attachedListeners(reader, namespace, route.spec?.parentRefs ?? [])
    .filter((listener) => listener.protocol === protocol)
    .map(({ port }) => ({ port }));
  const fields = {
    protocols: [protocol.toLowerCase()],
    ...(ports.length === 0 ? {} : { destinations: ports }),
  };
  return claims(route, kind, protocol.toLowerCase(), reader, options, [fields]);
}

/** Of routes for the same listener the oldest is served: they differ in nothing else. */
function priorityByAge({ metadata }: StreamRoute): number {
  const seconds = Math.trunc(Date.parse(metadata.creationTimestamp ?? '') / 1_000);
  return Number.isNaN(seconds) ? 1 : Math.max(2 ** 33 - seconds, 1);
}

/** TLSRoute: SNIs lead to the backends, with TLS ended here or passed on. */
export function tlsRouteClaims(
  route: StreamRoute,
  reader: ObjectReader,
  options: ResolvedOptions,
  problems: ProblemList,
): ServiceClaim[] {
  const hostnames = route.spec?.hostnames ?? [];
  if (hostnames.length === 0) {
    problems.addField('no hostnames provided', 'spec.hostnames', route);
    return [];
  }
  if (!route.spec?.rules?.length) {
    problems.addField(noRules, 'spec.rules', route);
    return [];
  }
  const places = placesOf(route, reader, options);
  if (places !== undefined)
    return claims(route, 'TLSRoute', 'tcp', reader, options, placedTlsRoutes(hostnames, places));
  const protocols = [isPassthrough(route, reader) ? 'tls_passthrough' : 'tls'];
  return claims(route, 'TLSRoute', 'tcp', reader, options, [{ protocols, snis: [...hostnames] }]);
}

/** One route for each host name and each way to treat TLS: precise names come before wildcards. */
function placedTlsRoutes(
  hostnames: readonly string[],
  places: readonly ListenerPlace[],
): Partial<RouteEntity>[] {
  const isPassed = ({ listener }: ListenerPlace) => listener.tls?.mode === 'Passthrough';
  const ways = [
    { protocol: 'tls_passthrough', places: places.filter(isPassed) },
    { protocol: 'tls', places: places.filter((place) => !isPassed(place)) },
  ].filter((way) => way.places.length > 0);
  return ways.flatMap((way) =>
    hostnames.map((hostname) => ({
      protocols: [way.protocol],
      expression: allOf(
        guardOf(way.places, hostname, serverNameMatcher),
        serverNameMatcher([hostname]),
      ),
      priority: (hostname.startsWith('*') ? 0 : 2 ** 10) + hostname.length,
    })),
  );
}

/**
 * Whether the Gateway passes TLS on. The parents of the status count, not those of the spec: only
 * they are known to have accepted the route.
 */
export function isPassthrough(route: StreamRoute, reader: ObjectReader): boolean {
  const parents = (route.status?.parents ?? []).map(({ parentRef }) => parentRef);
  return parents.some((parent) => {
    const found = parentOf(reader, route.metadata.namespace ?? '', parent);
    if (found === undefined) return false;
    // Kong Ingress Controller does not look at the port here.
    return listenersNamed(reader, found, { ...parent, port: null }).some(
      ({ tls }) => tls?.mode === 'Passthrough',
    );
  });
}

function claims(
  route: StreamRoute,
  kind: StreamKind,
  protocol: string,
  reader: ObjectReader,
  options: ResolvedOptions,
  routes: readonly Partial<RouteEntity>[],
): ServiceClaim[] {
  const prefix = `${kind.toLowerCase()}.${route.metadata.namespace}.${route.metadata.name}`;
  return (route.spec?.rules ?? []).map((rule, index) => {
    const drafts = routes.map((fields, place) => {
      const name = `${prefix}.${index}.${place}`;
      const entity: RouteEntity = { name, tags: tagsOf(route, [rule.name ?? '']), ...fields };
      const isPlain = options.isExpressions && entity.expression === undefined;
      return draftOf(isPlain ? withStreamExpression(entity) : entity, route, options);
    });
    return gatewayServiceClaim(
      route,
      kind,
      `${prefix}.${index}`,
      protocol,
      rule.backendRefs ?? [],
      reader,
      drafts,
    );
  });
}
