import { GitOpsError } from '../gitops-error.ts';

export function sopsError(message: string, cause?: unknown): GitOpsError {
  return new GitOpsError('WG_GITOPS_DECRYPT', message, { cause });
}
