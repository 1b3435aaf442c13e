import { type KubeObject, parseApiVersion } from '@waygate/schema';
import { type KindId, knownKinds, watchedKindOf } from './watched-kinds.ts';

export type { KindId };

/** By Kubernetes kind: `Ingress` is two of ours, of different groups. */
const byKind = new Map<string, typeof knownKinds>();
for (const known of knownKinds) {
  const { kind } = known.kind;
  byKind.set(kind, [...(byKind.get(kind) ?? []), known]);
}

/** Which of our kinds an object is; undefined for everything that a translation does not read. */
export function kindIdOf(object: KubeObject): KindId | undefined {
  const known = byKind.get(object.kind ?? '');
  if (known === undefined) return undefined;
  const { group } = parseApiVersion(object.apiVersion ?? '');
  return known.find(({ groups }) => groups.includes(group))?.id;
}

/** Cluster-scoped objects are known by name alone, also when a manifest gives them a namespace. */
export function isClusterScoped(kind: KindId): boolean {
  return watchedKindOf(kind).kind.scope === 'Cluster';
}

/** The kinds of routes of the Gateway API. */
export const routeKinds = ['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'UDPRoute', 'TLSRoute'] as const;

export function isRouteKind(kind: KindId): kind is (typeof routeKinds)[number] {
  return (routeKinds as readonly KindId[]).includes(kind);
}
