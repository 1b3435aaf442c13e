import type { FlowEdge, FlowNode } from '../../src/protocol/flow.ts';
import type { ShownObject } from '../../src/protocol/reference.ts';
import type { RouteRow } from '../../src/protocol/routes.ts';

function idOf(object: ShownObject): string {
  return `${object.kind}/${object.namespace}/${object.name}`;
}

/** The flow that leads to these routes, as the server would show it. */
export function flowOf(routes: readonly RouteRow[]): readonly FlowNode[] {
  const nodes = new Map<string, FlowNode>();
  const link = (node: Omit<FlowNode, 'to'>, edge?: FlowEdge) => {
    const known = nodes.get(node.id) ?? { ...node, to: [] };
    const isNew = edge && !known.to.some(({ to }) => to === edge.to);
    nodes.set(node.id, isNew ? { ...known, to: [...known.to, edge] } : known);
  };
  for (const route of routes) addRoute(route, link);
  return [...nodes.values()];
}

type Link = (node: Omit<FlowNode, 'to'>, edge?: FlowEdge) => void;

function addRoute(route: RouteRow, link: Link): void {
  const { object, origin, service } = route;
  if (!object || !origin?.kustomization || !origin.source || !service) return;
  const kustomization = idOf(origin.kustomization);
  const folds = { namespace: object.namespace, kustomization };
  const isStuck = origin.kustomization.name === 'platform';
  link(
    {
      id: idOf(origin.source),
      stage: 'source',
      title: origin.source.name,
      detail: `main@${origin.commit?.slice(0, 7)}`,
      namespace: 'flux-system',
      health: 'healthy',
      object: origin.source,
    },
    {
      to: kustomization,
      ...(isStuck && { broken: 'The build fails: patches/retention.yaml is not there.' }),
    },
  );
  link(
    {
      id: kustomization,
      stage: 'kustomization',
      title: origin.kustomization.name,
      detail: `applied ${origin.commit?.slice(0, 7)}`,
      namespace: 'flux-system',
      health: isStuck ? 'degraded' : 'healthy',
      ...(isStuck && { reason: 'The build fails: patches/retention.yaml is not there.' }),
      object: origin.kustomization,
    },
    { to: idOf(object) },
  );
  link(
    {
      id: idOf(object),
      stage: 'object',
      title: object.name,
      detail: object.kind,
      health: 'healthy',
      object,
      ...folds,
    },
    { to: route.id },
  );
  link(
    {
      id: route.id,
      stage: 'route',
      title: `${route.hosts[0]}${route.paths[0]}`,
      detail: route.methods.join(' ') || 'any method',
      health: route.health === 'degraded' && route.targets.length > 0 ? 'healthy' : route.health,
      ...(route.targets.length === 0 && { reason: route.reason ?? '' }),
      ...folds,
    },
    { to: service.id },
  );
  const serviceNode = {
    id: service.id,
    stage: 'service' as const,
    title: service.name,
    detail: service.address,
    health: route.targets.length === 0 ? ('degraded' as const) : ('healthy' as const),
    ...folds,
  };
  if (route.targets.length === 0)
    link(serviceNode, { to: `${service.id}/none`, broken: 'No ready endpoint.' });
  for (const target of route.targets) {
    const isBad = target.health === 'degraded';
    link(serviceNode, {
      to: target.target,
      ...(isBad && { broken: 'The health check fails: 503 from /healthz.' }),
    });
    link({
      id: target.target,
      stage: 'target',
      title: target.target,
      detail: isBad ? 'fails its health check' : `weight ${target.weight}`,
      health: target.health,
      ...folds,
    });
  }
}
