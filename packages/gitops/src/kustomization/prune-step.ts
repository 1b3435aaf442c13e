import {
  type Change,
  type Inventory,
  type InventoryObject,
  type LiveObjects,
  mergeInventories,
  parseObjectId,
  printChanges,
  printObjectId,
  pruneObjects,
  staleEntries,
  subjectOf,
} from '@waygate/apply';
import type { KubeClient } from '@waygate/kube';
import type { Claim } from './handover.ts';
import type { KustomizationPass } from './kustomization-pass.ts';
import { ownerLabels, selectors } from './owner-labels.ts';
import { PhaseError } from './phase-error.ts';
import { pruneGuard } from './prune-guard.ts';
import { losesMost } from './second-look.ts';

interface PruneCall {
  readonly client: KubeClient;
  readonly before: Inventory;
  readonly applied: Inventory;
  readonly live?: LiveObjects | undefined;
  /** Throws unless what all of this is based on proves itself once more. */
  readonly confirm: () => Promise<void>;
  /** Who else wants objects that are no longer wanted here, by their printed ids. */
  readonly claimsOf: (stale: readonly InventoryObject[]) => Promise<ReadonlyMap<string, Claim>>;
  readonly signal: AbortSignal;
}

/**
 * Deletes what was applied before and is no longer wanted, and tells what. What is left, for whatever reason, stays in
 * the inventory, so that the next pass tries again.
 *
 * @throws PhaseError `PruneFailed`, and what `confirm` throws
 */
export async function pruneStale(
  pass: KustomizationPass,
  call: PruneCall,
): Promise<readonly Change[]> {
  const { object } = pass;
  const { client, before, applied, live, signal } = call;
  if (!object.spec.prune) return [];
  const unwanted = staleEntries(before, applied);
  if (unwanted.length === 0) return [];
  const claims = await call.claimsOf(unwanted);
  const stale = unwanted.filter((one) => !claims.has(printObjectId(one)));
  // Until somebody else has applied an object, it is this one's to find again.
  const pending = before.entries.filter(({ id }) => claims.get(id)?.isApplied === false);
  const kept = mergeInventories(applied, { entries: pending });
  pass.setInventory(kept);
  for (const [id, { claimant, isApplied }] of claims) {
    if (!isApplied) pass.tell('Normal', `${subjectOf(parseObjectId(id))} goes over to ${claimant}`);
  }
  if (stale.length === 0) return [];
  const all = before.entries.length;
  try {
    const guard = pruneGuard(object, stale.length, all);
    if (guard !== undefined) throw new PhaseError('PruneFailed', guard);
    if (losesMost(stale.length, all)) await call.confirm();
  } catch (error) {
    pass.setInventory(mergeInventories(applied, before));
    throw error;
  }
  const outcome = await pruneObjects(client, stale, {
    selectors,
    ownerLabels: ownerLabels(object),
    live,
    signal,
  });
  pass.tell('Normal', printChanges(outcome.changes, ['deleted', 'skipped']));
  if (outcome.failures.length === 0) return outcome.changes;
  const gone = new Set(outcome.changes.map(({ entry }) => entry.id));
  const left = before.entries.filter(({ id }) => !gone.has(id) && !claims.has(id));
  pass.setInventory(mergeInventories(kept, { entries: left }));
  const said = outcome.failures.map(({ message }) => message).join(';');
  throw new PhaseError('PruneFailed', `delete failed, errors: ${said}`);
}
