import {
  type Change,
  emptyInventory,
  type ObjectFailure,
  pruneObjects,
  staleEntries,
} from '@waygate/apply';
import type { KubeClient } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import type { DynamicObject } from '@waygate/schema';
import type { Kustomization } from '../api/kustomization-object.ts';
import { sopsDecryptionOf } from '../sops/kustomization-decryption.ts';
import { applyManifests } from './apply-step.ts';
import type { SourceFiles } from './artifact-step.ts';
import { ManifestBuilder } from './build-step.ts';
import { ClusterClients } from './cluster-clients.ts';
import { ownerLabels, selectors } from './owner-labels.ts';
import { pruneGuard } from './prune-guard.ts';

export interface PreviewOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** The account of Kustomizations that name none. */
  readonly defaultServiceAccount?: string | undefined;
  readonly defaultNamespace?: string | undefined;
  readonly strictSubstitution?: boolean | undefined;
}

/** What a reconciliation would do. */
export interface KustomizationPreview {
  /** In the order in which it would be done, each with the object before and after. */
  readonly changes: readonly Change[];
  /** What the API would refuse. */
  readonly failures: readonly ObjectFailure[];
  /** Why nothing would be deleted, although something is no longer wanted. */
  readonly guard?: string | undefined;
}

/**
 * What a Kustomization makes of files: built, decrypted and with its variables in place.
 *
 * ```ts
 * const object = await client.resource(kustomizationKind).get('apps', { namespace: 'flux-system' });
 * const files = FileTree.of(await readDirectory('./fleet'));
 * for (const { kind, metadata } of await builtKustomization(object, { files, path: '/apps' }, { client, signal }))
 *   console.log(kind, metadata.name);
 * ```
 *
 * @throws PhaseError when it cannot be built
 */
export async function builtKustomization(
  object: Kustomization,
  source: SourceFiles,
  { client, signal, strictSubstitution = true }: PreviewOptions,
): Promise<readonly DynamicObject[]> {
  const builder = new ManifestBuilder({
    client,
    isStrictSubstitution: strictSubstitution,
    decryptionOf: (one, stop) => sopsDecryptionOf(client, one, stop),
  });
  try {
    return (await builder.build(object, source, signal)).objects;
  } finally {
    await builder.close();
  }
}

/**
 * Builds a Kustomization from files, asks the API what applying would change, and looks for what would
 * be deleted. Changes nothing.
 *
 * ```ts
 * const object = await client.resource(kustomizationKind).get('apps', { namespace: 'flux-system' });
 * const files = FileTree.of(await readDirectory('./fleet'));
 * const { changes, failures } = await previewKustomization(object, { files, path: '/apps' }, { client, signal });
 * console.log(`${changes.length} changes, ${failures.length} that the API would refuse`);
 * ```
 *
 * @throws PhaseError when it cannot be built
 */
export async function previewKustomization(
  object: Kustomization,
  source: SourceFiles,
  options: PreviewOptions,
): Promise<KustomizationPreview> {
  const { client, signal, defaultServiceAccount, defaultNamespace } = options;
  const builder = new ManifestBuilder({
    client,
    isStrictSubstitution: options.strictSubstitution ?? true,
    decryptionOf: (one, stop) => sopsDecryptionOf(client, one, stop),
  });
  const { objects } = await builder.build(object, source, signal);
  const clients = new ClusterClients({ client, defaultServiceAccount });
  try {
    const target = await clients.clientFor(object, signal);
    const settings = { client, concurrentApply: 4, defaultNamespace, clock: systemClock };
    const call = { client: target, objects, isPreview: true, signal };
    const { changes, failures } = await applyManifests(object, call, settings);
    // Nothing is deleted as long as something is refused.
    if (!object.spec.prune || failures.length > 0) return { changes, failures };
    const before = object.status?.inventory ?? emptyInventory;
    const stale = staleEntries(before, { entries: changes.map(({ entry }) => entry) });
    const guard = pruneGuard(object, stale.length, before.entries.length);
    if (guard !== undefined) return { changes, failures, guard };
    const labels = ownerLabels(object);
    const prune = { selectors, ownerLabels: labels, isPreview: true, signal };
    const pruned = await pruneObjects(target, stale, prune);
    return { changes: [...changes, ...pruned.changes], failures: pruned.failures };
  } finally {
    await clients.close();
    await builder.close();
  }
}
