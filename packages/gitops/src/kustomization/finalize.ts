import {
  inventoryObjects,
  type LiveObjects,
  printChanges,
  printObjectId,
  pruneObjects,
  waitForTermination,
} from '@waygate/apply';
import type { KubeClient } from '@waygate/kube';
import { type Clock, done, type EventRecorder, type ReconcileResult } from '@waygate/runtime';
import type { Kustomization } from '../api/kustomization-object.ts';
import { GitOpsError } from '../gitops-error.ts';
import type { OwnObjects } from '../own-objects.ts';
import type { ClusterClients } from './cluster-clients.ts';
import { type Claim, claimsOf, type HandoverOptions } from './handover.ts';
import { KustomizationPass } from './kustomization-pass.ts';
import { healthTimeoutMs } from './kustomization-timing.ts';
import { ownerLabels, selectors } from './owner-labels.ts';
import type { Sources } from './source-lookup.ts';

interface FinalizeOptions extends HandoverOptions {
  readonly sources: Sources;
  readonly client: KubeClient;
  readonly clients: ClusterClients;
  readonly objects: OwnObjects<Kustomization>;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly liveOf?: ((client: KubeClient) => LiveObjects | undefined) | undefined;
}

/** Cleans up after a Kustomization that is being deleted, as its policy says, and lets it go. */
export async function finalizeKustomization(
  object: Kustomization,
  options: FinalizeOptions,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { objects, events, clock } = options;
  const pass = new KustomizationPass(object, events, () => clock.now());
  pass.revision = object.status?.lastAppliedRevision ?? '';
  if (mustDelete(object)) await deleteAll(pass, options, signal);
  await objects.removeFinalizer(object, signal);
  return done;
}

function mustDelete({ spec, status }: Kustomization): boolean {
  if (spec.suspend === true || (status?.inventory?.entries.length ?? 0) === 0) return false;
  const policy = spec.deletionPolicy ?? 'MirrorPrune';
  return policy === 'MirrorPrune' ? spec.prune : policy !== 'Orphan';
}

async function deleteAll(
  pass: KustomizationPass,
  options: FinalizeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { object } = pass;
  const { clients, clock } = options;
  if (!(await clients.hasAccount(object, signal))) {
    const account = object.spec.serviceAccountName ?? '';
    const left = inventoryObjects(object.status?.inventory ?? { entries: [] })
      .map(({ kind, namespace, name }) => [kind, namespace, name].filter(Boolean).join('/'))
      .join('\n');
    pass.tell('Warning', `unable to prune objects: the ServiceAccount ${account} is gone\n${left}`);
    return;
  }
  const client = await clients.clientFor(object, signal);
  const had = inventoryObjects(object.status?.inventory ?? { entries: [] });
  const source = options.sources.find(object);
  const claims =
    source.kind === 'found'
      ? await claimsOf(object, source.artifact, had, options, signal)
      : new Map<string, Claim>();
  const all = had.filter((one) => !claims.has(printObjectId(one)));
  const outcome = await pruneObjects(client, all, {
    selectors,
    ownerLabels: ownerLabels(object),
    live: options.liveOf?.(client),
    signal,
  });
  pass.tell('Normal', printChanges(outcome.changes, ['deleted', 'skipped']));
  if (outcome.failures.length > 0) {
    pass.tell('Warning', 'pruning for deleted resource failed');
    const said = outcome.failures.map(({ message }) => message).join(';');
    throw new GitOpsError('WG_GITOPS_CONFIG', `pruning for deleted resource failed: ${said}`);
  }
  if (object.spec.deletionPolicy !== 'WaitForTermination') return;
  const deleted = new Set(
    outcome.changes.filter(({ action }) => action === 'deleted').map(({ entry }) => entry.id),
  );
  const waited = all.filter((one) => deleted.has(printObjectId(one)));
  const left = await waitForTermination(client, waited, {
    timeoutMs: healthTimeoutMs(object),
    clock,
    signal,
  });
  if (left.length > 0) pass.tell('Warning', 'failed to wait for resources termination');
}
