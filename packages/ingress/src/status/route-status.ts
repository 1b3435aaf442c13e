import type { KubeObject } from '@waygate/schema';
import type {
  BackendReference,
  Condition,
  HttpRouteFilter,
  ParentReference,
  RouteObject,
} from '../objects/gateway-api.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { mirroredBackends } from '../translate/gateway/own-filters.ts';
import { isReferenceAllowed } from '../translate/gateway/reference-grants.ts';
import { listenersTaking, ownParent } from '../translate/gateway/route-attachment.ts';
import { mergeConditions, type WantedCondition } from './conditions.ts';
import type { StatusPatch } from './status-writer.ts';

type AnyRoute = RouteObject<{
  backendRefs?: BackendReference[] | null;
  filters?: HttpRouteFilter[] | null;
}>;

interface ParentStatus {
  parentRef: ParentReference;
  controllerName?: string;
  conditions?: Condition[];
}

interface RouteStatusContext {
  readonly reader: ObjectReader;
  readonly controllerName: string;
  /** Whether the route is in the configuration that the gateways have. */
  readonly isLive: (route: KubeObject) => boolean;
  /** Why a route could not be translated. */
  readonly problemOf: (route: KubeObject) => string | undefined;
  readonly now: Date;
}

/** What a route's status should say of our Gateways; undefined when it says so already. */
export function routeStatus(route: AnyRoute, context: RouteStatusContext): StatusPatch | undefined {
  const { reader, controllerName, now } = context;
  const existing = (route.status?.parents ?? []) as ParentStatus[];
  const foreign = existing.filter((parent) => parent.controllerName !== controllerName);
  let isChanged = false;
  const own: ParentStatus[] = [];
  for (const parent of route.spec?.parentRefs ?? []) {
    const found = ownParent(reader, route, parent, controllerName);
    if (found === undefined) continue;
    const before = existing.find(
      (one) => one.controllerName === controllerName && isSameParent(one.parentRef, parent),
    );
    const listeners = listenersTaking(reader, route, parent, found);
    const accepted: WantedCondition = Array.isArray(listeners)
      ? { type: 'Accepted', status: 'True', reason: 'Accepted' }
      : { type: 'Accepted', status: 'False', ...listeners };
    const wanted = [accepted, resolvedRefs(route, reader), programmed(route, accepted, context)];
    const merged = mergeConditions(
      before?.conditions ?? [],
      wanted,
      route.metadata.generation ?? 0,
      now,
    );
    isChanged ||= merged.isChanged || before === undefined;
    own.push({ parentRef: parent, controllerName, conditions: merged.conditions });
  }
  isChanged ||= own.length + foreign.length !== existing.length;
  if (!isChanged) return undefined;
  return { object: route, status: { parents: [...foreign, ...own] } };
}

function isSameParent(left: ParentReference, right: ParentReference): boolean {
  return (
    left.name === right.name &&
    (left.kind ?? 'Gateway') === (right.kind ?? 'Gateway') &&
    (left.namespace ?? '') === (right.namespace ?? '') &&
    (left.sectionName ?? '') === (right.sectionName ?? '') &&
    (left.port ?? 0) === (right.port ?? 0)
  );
}

function resolvedRefs(route: AnyRoute, reader: ObjectReader): WantedCondition {
  const refused = (reason: string, message: string): WantedCondition => ({
    type: 'ResolvedRefs',
    status: 'False',
    reason,
    message,
  });
  for (const { backendRefs, filters } of route.spec?.rules ?? []) {
    const references = [...(backendRefs ?? []), ...mirroredBackends(filters)];
    for (const { kind, group, name, namespace } of references) {
      if ((kind ?? 'Service') !== 'Service' || (group ?? '') !== '')
        return refused('InvalidKind', `a backend cannot be a ${kind}`);
      const where = namespace ?? route.metadata.namespace ?? '';
      const target = { group: '', kind: 'Service', namespace: where, name };
      if (!isReferenceAllowed(reader, route, target))
        return refused('RefNotPermitted', `no ReferenceGrant allows Service ${where}/${name}`);
      if (reader.get('Service', where, name) === undefined)
        return refused('BackendNotFound', `there is no Service ${where}/${name}`);
    }
  }
  return { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs' };
}

function programmed(
  route: AnyRoute,
  accepted: WantedCondition,
  { isLive, problemOf }: RouteStatusContext,
): WantedCondition {
  const problem = problemOf(route);
  if (problem !== undefined)
    return { type: 'Programmed', status: 'False', reason: 'TranslationError', message: problem };
  if (accepted.status === 'True' && isLive(route))
    return { type: 'Programmed', status: 'True', reason: 'ConfiguredInGateway' };
  return { type: 'Programmed', status: 'Unknown', reason: 'Unknown' };
}
