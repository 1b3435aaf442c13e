import { failed, type ReconcileResult } from '@waygate/runtime';
import { GitOpsError } from '../gitops-error.ts';
import type { KustomizationPass } from './kustomization-pass.ts';

/** No retry helps until the object changes, so there is none. */
export function stalled(
  pass: KustomizationPass,
  reason: string,
  message: string,
  isObserved: boolean,
): ReconcileResult {
  pass.stall(reason, message, isObserved);
  pass.tell('Warning', message);
  return failed(new GitOpsError('WG_GITOPS_CONFIG', message));
}
