import { builtInTable } from './generated/built-in-table.ts';
import type { GroupVersionKind } from './group-version.ts';
import { apiVersionOf } from './group-version.ts';
import type { Kind } from './kind.ts';

/** A resource that the Kubernetes API serves by itself, with what discovery tells of it. */
export interface BuiltInResource extends Kind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly BuiltInSubresource[];
}

/** A part of a built-in resource with its own address, and the kind it speaks. */
export interface BuiltInSubresource extends GroupVersionKind {
  readonly name: string;
  readonly verbs: readonly string[];
}

let resources: readonly BuiltInResource[] | undefined;
let byKind: ReadonlyMap<string, BuiltInResource> | undefined;

/**
 * All resources of Kubernetes 1.36, in the order of discovery: by group, version, plural.
 *
 * ```ts
 * builtInResources().filter(({ group }) => group === 'apps').length > 0; // true
 * ```
 */
export function builtInResources(): readonly BuiltInResource[] {
  resources ??= builtInTable.map((row) => ({
    group: row[0],
    version: row[1],
    kind: row[2],
    plural: row[3],
    scope: row[4] === 'N' ? 'Namespaced' : 'Cluster',
    singular: row[2].toLowerCase(),
    shortNames: words(row[5]),
    categories: words(row[6]),
    verbs: words(row[7]),
    subresources: row[8].map(([name, group, version, kind, verbs]) => ({
      name,
      group,
      version,
      kind,
      verbs: words(verbs),
    })),
  }));
  return resources;
}

/**
 * The built-in resource of a kind, when there is one.
 *
 * ```ts
 * findBuiltInResource({ group: 'apps', version: 'v1', kind: 'Deployment' })?.plural; // 'deployments'
 * ```
 */
export function findBuiltInResource(gvk: GroupVersionKind): BuiltInResource | undefined {
  byKind ??= new Map(builtInResources().map((one) => [keyOf(one), one]));
  return byKind.get(keyOf(gvk));
}

function keyOf(gvk: GroupVersionKind): string {
  return `${apiVersionOf(gvk.group, gvk.version)}:${gvk.kind}`;
}

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
