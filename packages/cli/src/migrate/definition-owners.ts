import { isForbidden, isNoMatch, isNotFound, type KubeClient } from '@waygate/kube';
import { type CustomResourceDefinition, kinds } from '@waygate/schema';
import { definitionFindings } from '../check/check-definitions.ts';
import type { Finding } from '../check/finding.ts';

/** The definitions of these groups that are in the cluster. */
export async function definitionsOf(
  client: KubeClient,
  isMeant: (group: string) => boolean,
  signal: AbortSignal,
): Promise<readonly CustomResourceDefinition[]> {
  const { items } = await client.resource(kinds.CustomResourceDefinition).list({}, { signal });
  return items.filter(({ spec }) => isMeant(spec.group));
}

/** Who owns definitions, how objects are stored, and what ours would take away. */
export function ownerFindings(
  theirs: readonly CustomResourceDefinition[],
  ours: readonly CustomResourceDefinition[],
): Finding[] {
  const owners = new Map<string, string[]>();
  const findings: Finding[] = [];
  for (const definition of theirs) {
    const { name = '', managedFields = [], annotations = {}, labels = {} } = definition.metadata;
    const release = annotations['meta.helm.sh/release-name'];
    const kustomization = labels['kustomize.toolkit.fluxcd.io/name'];
    const managers = managedFields
      .filter(({ subresource }) => subresource === undefined || subresource === '')
      .map(({ manager = '' }) => manager)
      .filter((manager) => manager !== '' && manager !== 'kube-apiserver');
    const owner =
      (release && `the Helm release ${release}`) ??
      (kustomization && `the Kustomization ${kustomization}`) ??
      ([...new Set(managers)].join(', ') || 'nobody that can be told');
    owners.set(owner, [...(owners.get(owner) ?? []), name]);
    const own = ours.find(({ metadata }) => metadata.name === name);
    if (own !== undefined) findings.push(...definitionFindings(definition, own));
  }
  for (const [owner, names] of owners)
    findings.unshift({
      area: 'definitions',
      state: 'ok',
      message: `${names.length} definitions belong to ${owner}`,
    });
  return findings;
}

/** How many objects of a kind there are. */
export async function countOf(
  client: KubeClient,
  definition: CustomResourceDefinition,
  signal: AbortSignal,
): Promise<number> {
  const { spec } = definition;
  const version = spec.versions.find(({ storage }) => storage) ?? spec.versions[0];
  try {
    const apiVersion = `${spec.group}/${version?.name ?? 'v1'}`;
    const resource = await client.resourceOf({ apiVersion, kind: spec.names.kind }, { signal });
    return (await resource.list({}, { signal })).items.length;
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error) || isForbidden(error)) return 0;
    throw error;
  }
}
