import type { GroupVersionKind } from '@waygate/schema';

/** The namespace of what is in none: no name of a real namespace can equal it. */
export const clusterScope = '_non_namespaceable_';

/** Names a resource: its kind, name and namespace as they are, or once were, in its metadata. */
export interface ResourceId extends GroupVersionKind {
  readonly name: string;
  readonly namespace: string;
  readonly isClusterScoped: boolean;
}

/** Where the resource is: cluster scope, `default` when nothing is said, or its namespace. */
export function effectiveNamespace(id: ResourceId): string {
  if (id.isClusterScoped) return clusterScope;
  return id.namespace === '' ? 'default' : id.namespace;
}

/** Equal for ids that name the same object, with an absent namespace meaning `default`. */
export function idKey(id: ResourceId): string {
  return `${id.group}|${id.version}|${id.kind}|${effectiveNamespace(id)}|${id.name}`;
}

export function gvkString(gvk: Partial<GroupVersionKind>): string {
  return `${gvk.kind || '[noKind]'}.${gvk.version || '[noVer]'}.${gvk.group || '[noGrp]'}`;
}

/** As messages name a resource: `Deployment.v1.apps/web.[noNs]`. */
export function idString(
  id: Partial<GroupVersionKind> & { name?: string; namespace?: string },
): string {
  return `${gvkString(id)}/${id.name || '[noName]'}.${id.namespace || '[noNs]'}`;
}
