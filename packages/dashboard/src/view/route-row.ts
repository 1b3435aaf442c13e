import type { KongPlugin, KongRoute, KongService, StoredEntity } from '@waygate/kong';
import type { Health, Origin, ShownObject } from '../protocol/reference.ts';
import type { RoutePlugin, RouteRow, RouteTarget } from '../protocol/routes.ts';
import type { GatewayModel } from './gateway-model.ts';
import { type Guarded, type GuardedPart, needOf } from './guarded.ts';

/** What a row needs to know beside the gateway. */
interface RouteSurroundings {
  readonly objectOf: (tags: readonly string[]) => ShownObject | undefined;
  readonly originOf: (object: ShownObject) => Origin | undefined;
}

/** Everything that is known of a route of the gateway. */
export function routeRow(
  model: GatewayModel,
  id: string,
  { objectOf, originOf }: RouteSurroundings,
): Guarded<RouteRow> | undefined {
  const route = model.routes.get(id);
  if (route === undefined) return undefined;
  const service = model.services.get(route.service?.id ?? '');
  const targets = service === undefined ? [] : model.targetsOf(service);
  const plugins = appliedPlugins(model.pluginsFor(id, service?.id), id, service?.id);
  const object = objectOf(tagsOf(route));
  const origin = object === undefined ? undefined : originOf(object);
  const served = serviceHealth(model, service, targets);
  const { health, reason } =
    service === undefined && plugins.length === 0
      ? ({ health: 'degraded', reason: 'it has no service' } as const)
      : served;
  const item: RouteRow = {
    id,
    name: route.name ?? id,
    protocols: route.protocols ?? [],
    hosts: route.hosts ?? [],
    paths: route.paths ?? [],
    methods: route.methods ?? [],
    ...(expressionOf(route) === undefined ? {} : { expression: expressionOf(route) as string }),
    plugins,
    ...(service === undefined ? {} : { service: shownService(service) }),
    targets,
    ...(object === undefined ? {} : { object }),
    ...(origin === undefined ? {} : { origin }),
    health,
    ...(reason === undefined ? {} : { reason }),
  };
  return { item, needs: [needOf(object)], parts: partsOf(item, service, object, objectOf) };
}

/** The service and where it comes from may be in a namespace that not everybody sees. */
function partsOf(
  { origin }: RouteRow,
  service: (KongService & StoredEntity) | undefined,
  object: ShownObject | undefined,
  objectOf: RouteSurroundings['objectOf'],
): readonly GuardedPart<RouteRow>[] {
  const parts: GuardedPart<RouteRow>[] = [];
  const serviceObject = service && objectOf(tagsOf(service));
  if (serviceObject !== undefined && serviceObject.namespace !== object?.namespace)
    parts.push({ needs: [needOf(serviceObject)], without: withoutService });
  if (origin !== undefined) parts.push(...originParts<RouteRow>(origin));
  return parts;
}

/** An origin without what the person may not read. */
export function originParts<T extends { readonly origin?: Origin }>(
  origin: Origin,
): GuardedPart<T>[] {
  const parts: GuardedPart<T>[] = [];
  if (origin.source !== undefined)
    parts.push({
      needs: [needOf(origin.source)],
      without: (item) => withOrigin(item, { kustomization: item.origin?.kustomization }),
    });
  if (origin.kustomization !== undefined)
    parts.push({
      needs: [needOf(origin.kustomization)],
      without: (item) => {
        const { origin: _origin, ...rest } = item;
        return rest as T;
      },
    });
  return parts;
}

function withOrigin<T extends { readonly origin?: Origin }>(
  item: T,
  { kustomization }: { readonly kustomization: ShownObject | undefined },
): T {
  return kustomization === undefined ? item : { ...item, origin: { kustomization } };
}

function withoutService({ service: _service, reason: _reason, ...row }: RouteRow): RouteRow {
  return { ...row, targets: [] };
}

/** How requests of a service fare, as far as targets tell. */
export function serviceHealth(
  model: GatewayModel,
  service: KongService | undefined,
  targets: readonly RouteTarget[],
): { readonly health: Health; readonly reason?: string } {
  if (service === undefined) return { health: 'healthy' };
  if (service.enabled === false) return { health: 'degraded', reason: 'its service is disabled' };
  if (!model.hasUpstream(service)) return { health: 'unknown' };
  const used = targets.filter(({ weight }) => weight > 0);
  if (used.length === 0 && targets.length === 0 && !model.knowsTargets(service))
    return { health: 'unknown' };
  if (used.length === 0) return { health: 'degraded', reason: 'its service has no target' };
  const bad = used.filter(({ health }) => health === 'degraded').length;
  if (bad === used.length) return { health: 'degraded', reason: 'no target is healthy' };
  if (bad > 0)
    return { health: 'degraded', reason: `${bad} of ${used.length} targets are not healthy` };
  const isKnown = used.some(({ health }) => health === 'healthy');
  return { health: isKnown ? 'healthy' : 'unknown' };
}

const scopes = ['global', 'service', 'route', 'route and service'];

/** For each plugin the most specific one: of route and service, of the route, of the service, of all. */
function appliedPlugins(
  plugins: readonly (KongPlugin & StoredEntity)[],
  routeId: string,
  serviceId: string | undefined,
): readonly RoutePlugin[] {
  const chosen = new Map<string, number>();
  for (const { name = '', enabled, route, service } of plugins) {
    const isElsewhere =
      (route?.id !== undefined && route.id !== routeId) ||
      (service?.id !== undefined && service.id !== serviceId);
    if (enabled === false || isElsewhere) continue;
    const rank = (route?.id === undefined ? 0 : 2) + (service?.id === undefined ? 0 : 1);
    chosen.set(name, Math.max(rank, chosen.get(name) ?? 0));
  }
  return [...chosen].map(([name, rank]) => ({ name, scope: scopes[rank] ?? '' }));
}

export function shownService(
  service: KongService & StoredEntity,
): NonNullable<RouteRow['service']> {
  const { id, name, protocol = 'http', host = '', port = 80, path } = service;
  return { id, name: name ?? id, address: `${protocol}://${host}:${port}${path ?? ''}` };
}

export function tagsOf(entity: StoredEntity): readonly string[] {
  return Array.isArray(entity.tags) ? (entity.tags as string[]) : [];
}

function expressionOf(route: KongRoute & StoredEntity): string | undefined {
  const { expression } = route as { readonly expression?: unknown };
  return typeof expression === 'string' && expression !== '' ? expression : undefined;
}
