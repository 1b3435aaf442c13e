import { type InventoryObject, objectIdOf, printObjectId } from '@waygate/apply';
import type { DynamicObject } from '@waygate/schema';
import type { Kustomization } from '../api/kustomization-object.ts';
import type { Artifact } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { fetchSource } from './artifact-step.ts';
import type { ManifestBuilder } from './build-step.ts';

export interface HandoverOptions {
  /** All Kustomizations of the same source; the one itself may be among them. */
  readonly siblingsOf: (object: Kustomization) => readonly Kustomization[];
  readonly fetcher: ArtifactFetcher;
  readonly builder: ManifestBuilder;
  readonly defaultNamespace?: string | undefined;
}

/** Somebody else who wants an object that one Kustomization no longer has. */
export interface Claim {
  /** `Kustomization/namespace/name`. */
  readonly claimant: string;
  /** Whether it has applied the object already; until then, who had it answers for it. */
  readonly isApplied: boolean;
}

/**
 * Who of the same source has, or is about to apply, objects that a Kustomization no longer wants. What
 * moves from one to the other within a revision is handed over, and not deleted and made again: for a
 * volume that would be the end of its data.
 *
 * @returns claims by the printed id of the object
 */
export async function claimsOf(
  object: Kustomization,
  artifact: Artifact,
  stale: readonly InventoryObject[],
  options: HandoverOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Claim>> {
  const claims = new Map<string, Claim>();
  const ids = new Set(stale.map(printObjectId));
  for (const other of options.siblingsOf(object)) {
    if (!mayTakeOver(other, object)) continue;
    const applied = new Set((other.status?.inventory?.entries ?? []).map(({ id }) => id));
    const isUpToDate =
      other.status?.lastAppliedRevision === artifact.revision &&
      other.status.observedGeneration === other.metadata.generation;
    // Who is up to date will apply what it has; of the others only a build tells.
    const wanted = isUpToDate ? applied : await wantedBy(other, artifact, options, signal);
    const claimant = `Kustomization/${other.metadata.namespace}/${other.metadata.name}`;
    for (const id of ids) {
      if (!(wanted ?? applied).has(id)) continue;
      const isApplied = applied.has(id);
      if (!claims.has(id) || isApplied) claims.set(id, { claimant, isApplied });
    }
  }
  return claims;
}

/** One that is stopped or on its way out takes nothing over; another cluster has other objects. */
function mayTakeOver(other: Kustomization, object: Kustomization): boolean {
  const { name, namespace, deletionTimestamp } = other.metadata;
  if (name === object.metadata.name && namespace === object.metadata.namespace) return false;
  if (deletionTimestamp !== undefined || other.spec.suspend === true) return false;
  return clusterOf(other) === clusterOf(object);
}

function clusterOf({ spec, metadata }: Kustomization): string {
  if (spec.kubeConfig === undefined) return '';
  return `${metadata.namespace} ${JSON.stringify(spec.kubeConfig)}`;
}

/** What it will apply of an artifact; undefined when that cannot be built. */
async function wantedBy(
  other: Kustomization,
  artifact: Artifact,
  { fetcher, builder, defaultNamespace = '' }: HandoverOptions,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const source = await fetchSource(fetcher, other, artifact, signal);
    if (source === undefined) return undefined;
    const { objects } = await builder.build(other, source, signal);
    return new Set(objects.flatMap((one) => idsOf(one, defaultNamespace)));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** An object that names no namespace is of none, or of the default one: its kind is not asked here. */
function idsOf(object: DynamicObject, defaultNamespace: string): string[] {
  const id = objectIdOf(object);
  const ids = [printObjectId(id)];
  if (id.namespace === '' && defaultNamespace !== '')
    ids.push(printObjectId({ ...id, namespace: defaultNamespace }));
  return ids;
}
