import { apiVersionOf } from '@waygate/schema';
import type { ApiGroup, ApiResource, ApiSurface } from './api-resource.ts';

interface ResponseKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind?: ResponseKind | null;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind?: ResponseKind | null;
    readonly verbs?: readonly string[];
  }[];
}

interface DiscoveredGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly freshness?: string;
    readonly resources?: readonly DiscoveredResource[];
  }[];
}

/** Reads an `APIGroupDiscoveryList`. A version that the server calls stale counts as failed. */
export function readAggregated(answer: Record<string, unknown>): ApiSurface {
  const groups: ApiGroup[] = [];
  const resources: ApiResource[] = [];
  const failures = new Map<string, unknown>();
  for (const group of (answer.items ?? []) as DiscoveredGroup[]) {
    const name = group.metadata?.name ?? '';
    const versions = group.versions ?? [];
    groups.push({ name, versions: versions.map(({ version }) => version) });
    for (const { version, freshness, resources: found = [] } of versions) {
      if (freshness === 'Stale' && found.length === 0) {
        failures.set(apiVersionOf(name, version), new Error('the server calls it stale'));
      }
      for (const resource of found) {
        const read = resourceOf(name, version, resource);
        if (read !== undefined) resources.push(read);
      }
    }
  }
  return { groups, resources, failures };
}

function resourceOf(
  group: string,
  version: string,
  found: DiscoveredResource,
): ApiResource | undefined {
  const kind = found.responseKind?.kind;
  // A resource with nothing but subresources has no kind of its own.
  if (kind === undefined || kind === '') return undefined;
  return {
    group,
    version,
    kind,
    plural: found.resource,
    scope: found.scope,
    singular: found.singularResource || kind.toLowerCase(),
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    verbs: found.verbs ?? [],
    subresources: (found.subresources ?? []).map((one) => ({
      name: one.subresource,
      group: one.responseKind?.group || group,
      version: one.responseKind?.version || version,
      kind: one.responseKind?.kind ?? '',
      verbs: one.verbs ?? [],
    })),
  };
}
