export type GitOpsErrorCode =
  /** Options make no sense, alone or together. Change what the message names. */
  | 'WG_GITOPS_CONFIG'
  /**
   * Files cannot be archived, or an archive cannot be unpacked. The message names the file: a link
   * that leads out, a size over the limit, damage.
   */
  | 'WG_GITOPS_ARCHIVE'
  /**
   * The disk of artifacts cannot be written or read. Make room, or give the directory back its
   * rights.
   */
  | 'WG_GITOPS_STORAGE'
  /**
   * An artifact, a path or an object is not there. Correct the reference, or make what it names; it
   * is asked again.
   */
  | 'WG_GITOPS_NOT_FOUND'
  /**
   * Bytes are not those that were promised. They are thrown away and fetched again; if it stays,
   * what serves them is broken or lies.
   */
  | 'WG_GITOPS_DIGEST'
  /**
   * A server did not give an artifact. It is tried again; look at the address in the source's
   * status.
   */
  | 'WG_GITOPS_DOWNLOAD'
  /** A source cannot be had. The source's Ready condition says why. */
  | 'WG_GITOPS_SOURCE'
  /**
   * A server could not be asked, or did not answer as it should. Look at address, proxy and
   * certificate.
   */
  | 'WG_GITOPS_HTTP'
  /** Git could not do what it was told. The message has git's own words, without secrets. */
  | 'WG_GITOPS_GIT'
  /**
   * Credentials are missing or cannot be used. Look at the keys of the Secret that the object
   * names.
   */
  | 'WG_GITOPS_AUTH'
  /** Manifests cannot be built. The message is kustomize's, with the file. */
  | 'WG_GITOPS_BUILD'
  /**
   * Variables cannot be put in. Correct the expression, or the ConfigMap or Secret that it is taken
   * from.
   */
  | 'WG_GITOPS_SUBSTITUTE'
  /**
   * Something could not be decrypted. Look at the keys that the Kustomization names, and at the
   * file's own `sops` section.
   */
  | 'WG_GITOPS_DECRYPT'
  /** Dependencies make no sense: a cycle, or what is not there. Change `dependsOn`. */
  | 'WG_GITOPS_DEPENDENCY';

/**
 * Every error of this room. Messages never hold a secret: they end up in conditions and events.
 *
 * ```ts
 * try {
 *   sortDependencies([{ name: 'a', namespace: 'x', dependsOn: [{ name: 'a' }] }]);
 * } catch (error) {
 *   if (error instanceof GitOpsError) console.error(error.code, error.message);
 * }
 * ```
 */
export class GitOpsError extends Error {
  override readonly name = 'GitOpsError';
  readonly code: GitOpsErrorCode;

  constructor(code: GitOpsErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** What an error is about: an object of a kind, by `namespace/name`. */
export interface ErrorSubject {
  readonly kind: string;
  readonly key: string;
}

/** What to tell people about anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
