import type { Kustomization } from '../api/kustomization-object.ts';
import type { Artifact } from '../api/source-objects.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';

export interface DependencyNode {
  readonly namespace: string;
  readonly name: string;
  readonly dependsOn: readonly { readonly name: string; readonly namespace?: string | undefined }[];
}

/**
 * The keys of all objects and of what they depend on, dependencies first.
 *
 * ```ts
 * const nodes = [
 *   { namespace: 'flux-system', name: 'apps', dependsOn: [{ name: 'database' }] },
 *   { namespace: 'flux-system', name: 'database', dependsOn: [] },
 * ];
 * sortDependencies(nodes); // ['flux-system/database', 'flux-system/apps']
 * ```
 *
 * @throws GitOpsError that names the circle, when there is one
 */
export function sortDependencies(nodes: readonly DependencyNode[]): string[] {
  const byKey = new Map<string, string[]>();
  for (const { namespace, name, dependsOn } of nodes) {
    byKey.set(
      `${namespace}/${name}`,
      dependsOn.map((one) => `${one.namespace || namespace}/${one.name}`),
    );
  }
  const sorted: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (key: string): void => {
    if (done.has(key)) return;
    const start = path.indexOf(key);
    if (start >= 0) {
      const circle = [...path.slice(start), key].join(' -> ');
      throw new GitOpsError('WG_GITOPS_DEPENDENCY', `circular dependency detected: ${circle}`);
    }
    path.push(key);
    for (const other of [...(byKey.get(key) ?? [])].sort()) visit(other);
    path.pop();
    done.add(key);
    sorted.push(key);
  };
  for (const key of [...byKey.keys()].sort()) visit(key);
  return sorted;
}

/** What a `readyExpr` says. @throws when it cannot be evaluated on these objects */
export type ReadyExpression = (
  expression: string,
  self: Kustomization,
  dependency: Kustomization,
) => boolean;

/** Why an object has to wait for others; undefined when it need not. */
export function unreadyDependency(
  object: Kustomization,
  artifact: Artifact,
  find: (key: string) => Kustomization | undefined,
  isReadyBy: ReadyExpression,
): string | undefined {
  const own = object.metadata.namespace ?? '';
  for (const { name, namespace, readyExpr } of object.spec.dependsOn ?? []) {
    const key = `${namespace || own}/${name}`;
    const dependency = find(key);
    if (dependency === undefined) {
      return `dependency '${key}' not found: kustomizations.kustomize.toolkit.fluxcd.io "${name}" not found`;
    }
    if (readyExpr !== undefined && readyExpr !== '') {
      try {
        if (isReadyBy(readyExpr, object, dependency)) continue;
      } catch (error) {
        return messageOf(error);
      }
      return `dependency '${key}' is not ready according to readyExpr eval`;
    }
    const { status } = dependency;
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const isSeen = status?.observedGeneration === dependency.metadata.generation;
    if (ready?.status !== 'True' || !isSeen) return `dependency '${key}' is not ready`;
    if (hasSameSource(object, dependency) && status?.lastAppliedRevision !== artifact.revision) {
      return `dependency '${key}' revision is not up to date`;
    }
  }
  return undefined;
}

function hasSameSource(left: Kustomization, right: Kustomization): boolean {
  const keyOf = ({ spec, metadata }: Kustomization) => {
    const { kind, name, namespace } = spec.sourceRef;
    return `${kind}/${namespace || metadata.namespace}/${name}`;
  };
  return keyOf(left) === keyOf(right);
}
