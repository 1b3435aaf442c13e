import {
  type Inventory,
  type LiveObjects,
  mergeInventories,
  printChanges,
  pruneObjects,
  staleEntries,
} from '@waygate/apply';
import type { KubeClient } from '@waygate/kube';
import type { KustomizationPass } from './kustomization-pass.ts';
import { ownerLabels, selectors } from './owner-labels.ts';
import { PhaseError } from './phase-error.ts';
import { pruneGuard } from './prune-guard.ts';

export interface PruneCall {
  readonly client: KubeClient;
  readonly before: Inventory;
  readonly applied: Inventory;
  readonly live?: LiveObjects | undefined;
  readonly signal: AbortSignal;
}

/**
 * Deletes what was applied before and is no longer wanted. What is left, for whatever reason, stays in
 * the inventory, so that the next pass tries again.
 *
 * @throws PhaseError `PruneFailed`
 */
export async function pruneStale(pass: KustomizationPass, call: PruneCall): Promise<void> {
  const { object } = pass;
  const { client, before, applied, live, signal } = call;
  if (!object.spec.prune) return;
  const stale = staleEntries(before, applied);
  if (stale.length === 0) return;
  const guard = pruneGuard(object, stale.length, before.entries.length);
  if (guard !== undefined) {
    pass.setInventory(mergeInventories(applied, before));
    throw new PhaseError('PruneFailed', guard);
  }
  const outcome = await pruneObjects(client, stale, {
    selectors,
    ownerLabels: ownerLabels(object),
    live,
    signal,
  });
  pass.tell('Normal', printChanges(outcome.changes, ['deleted', 'skipped']));
  if (outcome.failures.length === 0) return;
  const gone = new Set(outcome.changes.map(({ entry }) => entry.id));
  const left = before.entries.filter(({ id }) => !gone.has(id));
  pass.setInventory(mergeInventories(applied, { entries: left }));
  const said = outcome.failures.map(({ message }) => message).join(';');
  throw new PhaseError('PruneFailed', `delete failed, errors: ${said}`);
}
