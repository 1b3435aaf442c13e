export type GitOpsErrorCode =
  | 'WG_GITOPS_CONFIG' // options that make no sense
  | 'WG_GITOPS_ARCHIVE' // files that cannot be archived, or an archive that cannot be unpacked
  | 'WG_GITOPS_STORAGE' // a disk that cannot be written to or read
  | 'WG_GITOPS_NOT_FOUND' // an artifact, a path or an object that is not there
  | 'WG_GITOPS_DIGEST' // bytes that are not those that were promised
  | 'WG_GITOPS_DOWNLOAD' // a server that did not give an artifact
  | 'WG_GITOPS_SOURCE' // a source that cannot be had
  | 'WG_GITOPS_HTTP' // a server that could not be asked, or did not answer as it should
  | 'WG_GITOPS_GIT' // what git could not do
  | 'WG_GITOPS_AUTH' // credentials that are missing or cannot be used
  | 'WG_GITOPS_BUILD' // manifests that cannot be built
  | 'WG_GITOPS_SUBSTITUTE' // variables that cannot be put in
  | 'WG_GITOPS_DECRYPT' // what could not be decrypted
  | 'WG_GITOPS_DEPENDENCY'; // dependencies that make no sense

/** Every error of this room. Messages never hold a secret: they end up in conditions and events. */
export class GitOpsError extends Error {
  override readonly name = 'GitOpsError';
  readonly code: GitOpsErrorCode;

  constructor(code: GitOpsErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** What to tell people about anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
