import type { KubeClient } from '@waygate/kube';
import type { TracedRevision } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';

/** Which Kustomization or HelmRelease an object is of. */
export interface OwnerName {
  readonly kind: 'Kustomization' | 'HelmRelease';
  readonly namespace: string;
  readonly name: string;
}

interface Kustomization extends KubeObject {
  spec?: {
    suspend?: boolean;
    sourceRef?: { apiVersion?: string; kind: string; name: string; namespace?: string };
  };
  status?: {
    lastAttemptedRevision?: string;
    history?: readonly { firstReconciled?: string; metadata?: Record<string, string> }[];
  };
}

interface HelmRelease extends KubeObject {
  spec?: { suspend?: boolean; chartRef?: { kind: string; name: string; namespace?: string } };
  status?: {
    /** The chart that a template asks for, as `namespace/name`. */
    helmChart?: string;
    history?: readonly { chartVersion?: string; lastDeployed?: string }[];
  };
}

interface SourceName {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface OwnerSource extends KubeObject {
  status?: { artifact?: { revision: string; lastUpdateTime: string } };
}

const apiVersions = {
  Kustomization: 'kustomize.toolkit.fluxcd.io/v1',
  HelmRelease: 'helm.toolkit.fluxcd.io/v2',
} as const;
/** What changed later than this after a revision was applied was changed by somebody else. */
const belongsMs = 60_000;

/** The Kustomization or HelmRelease that an object says it is of. */
export function ownerOf({ metadata }: KubeObject): OwnerName | undefined {
  for (const kind of ['Kustomization', 'HelmRelease'] as const) {
    const [group] = apiVersions[kind].split('/');
    const name = metadata.labels?.[`${group}/name`];
    const namespace = metadata.labels?.[`${group}/namespace`];
    if (name && namespace) return { kind, namespace, name };
  }
  return undefined;
}

/** A revision, and by which object it came. */
interface AppliedRevision {
  readonly revision: TracedRevision;
  readonly ownerUid: string;
}

/**
 * Which revision changed the objects of a Kustomization or a HelmRelease at a time. Undefined when none did, or when
 * that cannot be told any more.
 */
export async function appliedRevision(
  client: KubeClient,
  { kind, namespace, name }: OwnerName,
  atMs: number,
  signal: AbortSignal,
): Promise<AppliedRevision | undefined> {
  const owners = await client.resourceOf({ apiVersion: apiVersions[kind], kind }, { signal });
  const owner = (await owners.get(name, { namespace }, { signal })) as Kustomization & HelmRelease;
  const ref = kind === 'Kustomization' ? owner.spec?.sourceRef : chartOf(owner);
  if (ref === undefined) return undefined;
  const { apiVersion = 'source.toolkit.fluxcd.io/v1' } = ref;
  const sources = await client.resourceOf({ apiVersion, kind: ref.kind }, { signal });
  const at = { namespace: ref.namespace || namespace };
  const source = (await sources.get(ref.name, at, { signal })) as OwnerSource;
  const find = kind === 'Kustomization' ? revisionAt : releasedAt;
  const revision = find(owner, source, atMs);
  if (revision === undefined) return undefined;
  return {
    revision: { sourceUid: source.metadata.uid ?? '', revision },
    ownerUid: owner.metadata.uid ?? '',
  };
}

/** A status is written when all is applied: until then it is what the source offers that comes. */
function revisionAt(
  { spec, status = {} }: Kustomization,
  source: OwnerSource,
  atMs: number,
): string | undefined {
  const { lastAttemptedRevision: attempted, history = [] } = status;
  const offered = source.status?.artifact;
  const offeredMs = Date.parse(offered?.lastUpdateTime ?? '');
  if (spec?.suspend === true) return undefined;
  if (offered !== undefined && offered.revision !== attempted && offeredMs <= atMs)
    return offered.revision;
  const known = history.find(({ metadata }) => metadata?.revision === attempted);
  const sinceMs = Math.max(
    Date.parse(known?.firstReconciled ?? '') || 0,
    offered?.revision === attempted ? offeredMs : 0,
  );
  return known !== undefined && atMs - sinceMs > belongsMs ? undefined : attempted;
}

function chartOf({ spec, status }: HelmRelease): SourceName | undefined {
  if (spec?.chartRef !== undefined) return spec.chartRef;
  const [namespace, name] = status?.helmChart?.split('/') ?? [];
  return namespace && name ? { kind: 'HelmChart', namespace, name } : undefined;
}

/** An upgrade to other values of the same chart is of no revision's way. */
function releasedAt(
  { spec, status = {} }: HelmRelease,
  source: OwnerSource,
  atMs: number,
): string | undefined {
  const offered = source.status?.artifact;
  if (spec?.suspend === true || offered === undefined) return undefined;
  const [latest, before] = status.history ?? [];
  const offeredMs = Date.parse(offered.lastUpdateTime);
  const deployedMs = Date.parse(latest?.lastDeployed ?? '') || 0;
  // Not noted yet: what the source offers is on its way.
  const isUnderWay = offeredMs > deployedMs;
  if (!isUnderWay && latest?.chartVersion === before?.chartVersion) return undefined;
  return atMs - Math.max(offeredMs, deployedMs) > belongsMs ? undefined : offered.revision;
}
