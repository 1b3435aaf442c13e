import { shortRevision } from '@waygate/text';
import type { FlowEdge, FlowNode } from '../protocol/flow.ts';
import type { Health, ShownObject } from '../protocol/reference.ts';
import type { RouteRow } from '../protocol/routes.ts';
import type { GatewayModel } from './gateway-model.ts';
import { type Guarded, type GuardedPart, type Need, needOf } from './guarded.ts';
import { shownPaths } from './route-paths.ts';
import { serviceHealth, shownService, tagsOf } from './route-row.ts';
import { healthOf, type SeenObject } from './seen-object.ts';

/** An edge, and what one must be allowed to read to know of its end. */
export interface GuardedEdge extends FlowEdge {
  readonly need: Need;
}

/** The id that an object has on the Flow page. */
export const objectNodeId = (key: string): string => `object:${key}`;
export const routeNodeId = (route: string): string => `route:${route}`;
export const serviceNodeId = (service: string): string => `service:${service}`;

/** What else there is to say of an object. */
interface ObjectSurroundings {
  /** The key and object of the Kustomization that applied it. */
  readonly applier?: SeenObject | undefined;
  readonly edges: readonly GuardedEdge[];
}

/** `main@8f2c41d`: a box is narrow, and people know commits by seven letters. */
function boxRevision(revision: string): string {
  return shortRevision(revision).replace(/@sha1:([0-9a-f]{7})[0-9a-f]*$/, '@$1');
}

/** The box of a source, a Kustomization or any other object; one that nothing is known of but its name, too. */
export function objectNode(
  key: string,
  object: ShownObject,
  seen: SeenObject | undefined,
  { applier, edges }: ObjectSurroundings,
): Guarded<FlowNode> {
  const { health, reason } = seenHealth(seen, edges);
  const detail = seen?.revision ?? object.kind;
  const item: FlowNode = {
    id: objectNodeId(key),
    stage: seen?.stage ?? 'object',
    title: object.name,
    detail: seen !== undefined && seen.stage !== 'object' ? boxRevision(detail) : object.kind,
    ...(object.namespace === '' ? {} : { namespace: object.namespace }),
    ...(applier === undefined ? {} : { kustomization: objectNodeId(applier.key) }),
    health,
    ...(reason === undefined ? {} : { reason }),
    object,
    to: edges.map(plainEdge),
  };
  return guardedNode(item, [needOf(object)], edges, applier && needOf(applier.object));
}

/** An object without conditions of its own does well when something came of it. */
function seenHealth(
  seen: SeenObject | undefined,
  edges: readonly GuardedEdge[],
): { readonly health: Health; readonly reason?: string } {
  const found = seen === undefined ? ({ health: 'unknown' } as const) : healthOf(seen);
  if (found.health !== 'unknown' || edges.length === 0) return found;
  return { health: 'healthy' };
}

/** The box of a route: its row, in short. */
export function routeNode(
  row: Guarded<RouteRow>,
  model: GatewayModel,
  objectOf: (tags: readonly string[]) => ShownObject | undefined,
): Guarded<FlowNode> {
  const { id, name, hosts, paths, service, health, reason, object } = row.item;
  const entity = service && model.services.get(service.id);
  const serviceObject = entity && objectOf(tagsOf(entity));
  const need = serviceObject === undefined ? row.needs[0]! : needOf(serviceObject);
  const broken = health === 'degraded' ? reason : undefined;
  const edges: GuardedEdge[] =
    service === undefined
      ? []
      : [{ to: serviceNodeId(service.id), need, ...(broken === undefined ? {} : { broken }) }];
  const item: FlowNode = {
    id: routeNodeId(id),
    stage: 'route',
    title: shownPaths(paths)[0] ?? hosts[0] ?? name,
    detail: hosts.join(' ') || 'any host',
    ...(object?.namespace ? { namespace: object.namespace } : {}),
    health,
    ...(reason === undefined ? {} : { reason }),
    ...(object === undefined ? {} : { object }),
    to: edges.map(plainEdge),
  };
  return guardedNode(item, row.needs, edges, undefined);
}

/** The boxes of a service and of its targets. */
export function serviceNodes(
  model: GatewayModel,
  id: string,
  needs: readonly Need[],
  objectOf: (tags: readonly string[]) => ShownObject | undefined,
): readonly Guarded<FlowNode>[] {
  const service = model.services.get(id);
  if (service === undefined) return [];
  const object = objectOf(tagsOf(service));
  const own = object === undefined ? needs : [needOf(object)];
  const found = model.targetsOf(service);
  const { name, address } = shownService(service);
  const targets = model.hasUpstream(service)
    ? found
    : [{ target: address.replace(/^\w+:\/\//, ''), weight: 100, health: 'unknown' as const }];
  const { health, reason } = serviceHealth(model, service, found);
  const place = object?.namespace ? { namespace: object.namespace } : {};
  const idOf = (target: string): string => `target:${id}/${target}`;
  const edges = targets.map(({ target, health: state }) => ({
    to: idOf(target),
    ...(state === 'degraded' ? { broken: 'it is not healthy' } : {}),
  }));
  const node: FlowNode = {
    id: serviceNodeId(id),
    stage: 'service',
    // Its own name is the gateway's affair, and says the namespace and the port, too.
    title: object?.name ?? name,
    detail: object === undefined ? address : name,
    ...place,
    health,
    ...(reason === undefined ? {} : { reason }),
    ...(object === undefined ? {} : { object }),
    to: edges,
  };
  return [
    { item: node, needs: own },
    ...targets.map(({ target, weight, health: state }) => ({
      item: {
        id: idOf(target),
        stage: 'target' as const,
        title: target,
        detail: `weight ${weight}`,
        ...place,
        health: state,
        ...(state === 'degraded' ? { reason: 'it is not healthy' } : {}),
        to: [],
      },
      needs: own,
    })),
  ];
}

function plainEdge({ to, broken }: GuardedEdge): FlowEdge {
  return broken === undefined ? { to } : { to, broken };
}

/** A node is shown without the edges to what the person may not know of. */
function guardedNode(
  item: FlowNode,
  needs: readonly Need[],
  edges: readonly GuardedEdge[],
  applierNeed: Need | undefined,
): Guarded<FlowNode> {
  const byNeed = new Map<Need, Set<string>>();
  for (const { need, to } of edges) {
    if (needs.includes(need)) continue;
    byNeed.set(need, (byNeed.get(need) ?? new Set()).add(to));
  }
  const parts: GuardedPart<FlowNode>[] = [...byNeed].map(([need, hidden]) => ({
    needs: [need],
    without: (node) => ({ ...node, to: node.to.filter(({ to }) => !hidden.has(to)) }),
  }));
  if (applierNeed !== undefined) {
    const without = ({ kustomization: _kustomization, ...node }: FlowNode): FlowNode => node;
    parts.push({ needs: [applierNeed], without });
  }
  return parts.length === 0 ? { item, needs } : { item, needs, parts };
}
