import {
  type ApplyOutcome,
  applyObjects,
  type Change,
  type LiveObjects,
  type StageKind,
  withCommonMetadata,
} from '@waygate/apply';
import type { KubeClient } from '@waygate/kube';
import type { Clock } from '@waygate/runtime';
import type { DynamicObject } from '@waygate/schema';
import type { Kustomization } from '../api/kustomization-object.ts';
import { fieldManager, ownerLabels, selectors } from './owner-labels.ts';
import { PhaseError } from './phase-error.ts';

export interface ApplyStepOptions {
  /** Of the own cluster. */
  readonly client: KubeClient;
  readonly concurrentApply: number;
  readonly defaultNamespace?: string | undefined;
  readonly customStageKinds?: readonly StageKind[] | undefined;
  readonly overrideManagers?: readonly string[] | undefined;
  /** What is known of objects that are applied through a client. */
  readonly liveOf?: ((client: KubeClient) => LiveObjects | undefined) | undefined;
  readonly clock: Clock;
  /** Told what each reconciliation changed, with how objects were before and are after. */
  readonly onApplied?: ((applied: AppliedChanges) => void) | undefined;
}

/** What a reconciliation changed in the cluster. */
export interface AppliedChanges {
  readonly object: Kustomization;
  readonly revision: string;
  /** The very same was applied before: somebody else had changed it since. */
  readonly isDrift: boolean;
  readonly changes: readonly Change[];
}

interface ApplyCall {
  readonly client: KubeClient;
  readonly objects: readonly DynamicObject[];
  /** Changes nothing, and tells what would change. */
  readonly isPreview?: boolean | undefined;
  /** Awaited before objects are created, so that they can be found again whatever happens. */
  readonly onCreating?: ((changes: readonly Change[]) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Applies what a Kustomization built, as its spec says.
 *
 * @throws PhaseError for an encrypted Secret
 */
export async function applyManifests(
  object: Kustomization,
  call: ApplyCall,
  options: ApplyStepOptions,
): Promise<ApplyOutcome> {
  const { spec } = object;
  checkEncrypted(call.objects);
  const labels = ownerLabels(object);
  const owned = call.objects.map((one) =>
    withCommonMetadata(withCommonMetadata(one, spec.commonMetadata ?? {}), { labels }),
  );
  return applyObjects(call.client, owned, {
    fieldManager,
    selectors,
    force: spec.force,
    defaultNamespace: options.defaultNamespace,
    customStageKinds: options.customStageKinds,
    overrideManagers: options.overrideManagers,
    ignoreRules: spec.ignore,
    concurrency: options.concurrentApply,
    live: options.liveOf?.(call.client),
    clock: options.clock,
    isPreview: call.isPreview,
    keepsStates: options.onApplied !== undefined,
    onCreating: call.onCreating,
    signal: call.signal,
  });
}

/** An encrypted Secret is never applied as it is: it would replace the one that works. */
function checkEncrypted(objects: readonly DynamicObject[]): void {
  for (const object of objects) {
    if (object.kind !== 'Secret' || object.sops === undefined) continue;
    const { namespace, name } = object.metadata;
    throw new PhaseError(
      'ReconciliationFailed',
      `Secret/${namespace}/${name} is SOPS encrypted, configuring decryption is required for this secret to be reconciled`,
    );
  }
}
