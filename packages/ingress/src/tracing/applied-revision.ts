import type { KubeClient } from '@waygate/kube';
import type { TracedRevision } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';

/** Which Kustomization an object is of. */
export interface OwnerName {
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

interface OwnerSource extends KubeObject {
  status?: { artifact?: { revision: string; lastUpdateTime: string } };
}

const group = 'kustomize.toolkit.fluxcd.io';
/** What changed later than this after a revision was applied was changed by somebody else. */
const belongsMs = 60_000;

/** The Kustomization that an object says it is of. */
export function ownerOf({ metadata }: KubeObject): OwnerName | undefined {
  const name = metadata.labels?.[`${group}/name`];
  const namespace = metadata.labels?.[`${group}/namespace`];
  return name && namespace ? { namespace, name } : undefined;
}

/** A revision, and by which Kustomization it came. */
export interface AppliedRevision {
  readonly revision: TracedRevision;
  readonly ownerUid: string;
}

/**
 * Which revision changed the objects of a Kustomization at a time. Undefined when none did, or when
 * that cannot be told any more.
 */
export async function appliedRevision(
  client: KubeClient,
  { namespace, name }: OwnerName,
  atMs: number,
  signal: AbortSignal,
): Promise<AppliedRevision | undefined> {
  const owners = await client.resourceOf(
    { apiVersion: `${group}/v1`, kind: 'Kustomization' },
    { signal },
  );
  const owner = (await owners.get(name, { namespace }, { signal })) as Kustomization;
  const ref = owner.spec?.sourceRef;
  if (ref === undefined) return undefined;
  const { apiVersion = 'source.toolkit.fluxcd.io/v1', kind } = ref;
  const sources = await client.resourceOf({ apiVersion, kind }, { signal });
  const at = { namespace: ref.namespace || namespace };
  const source = (await sources.get(ref.name, at, { signal })) as OwnerSource;
  const revision = revisionAt(owner, source, atMs);
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
