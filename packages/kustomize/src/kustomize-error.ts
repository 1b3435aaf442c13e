/** Stable: programs may compare it. */
export type KustomizeErrorCode =
  /**
   * A build stops. The message is worded as kustomize words it; `file` and `line` say where, when
   * one place is to blame.
   */
  | 'WG_KUSTOMIZE_BUILD'
  /** A file is not YAML. Correct it at `file` and `line`. */
  | 'WG_KUSTOMIZE_MALFORMED_YAML'
  /**
   * A file outside the kustomization's directory was asked for. Move it in, or build with
   * `--load-restrictor LoadRestrictionsNone`.
   */
  | 'WG_KUSTOMIZE_LOAD_RESTRICTION'
  /** A file or a directory is not there. Correct the entry of the kustomization that names it. */
  | 'WG_KUSTOMIZE_NOT_FOUND'
  /**
   * A base is remote, and this build may not fetch. Copy it into the repository, or give the build
   * a fetcher.
   */
  | 'WG_KUSTOMIZE_REMOTE_REFUSED'
  /**
   * A program was to be run, or a chart rendered, and that is not allowed. Build with
   * `--enable-alpha-plugins`, `--enable-exec` or `--enable-helm`.
   */
  | 'WG_KUSTOMIZE_PLUGIN_REFUSED'
  /**
   * A build is larger or deeper than it may be. Split it, or raise the limit that the message
   * names.
   */
  | 'WG_KUSTOMIZE_LIMIT';

/**
 * Why a build stops. Messages are worded as kustomize words them, so that what people know and
 * find in search engines applies; `file` and `line` say where, when one place is to blame.
 *
 * ```ts
 * const { problems } = await build(memoryFileSystem({ 'kustomization.yaml': 'resources: [gone.yaml]' }), '/');
 * problems[0]?.code; // 'WG_KUSTOMIZE_NOT_FOUND', as the error's was
 * ```
 */
export class KustomizeError extends Error {
  readonly code: KustomizeErrorCode;
  readonly file: string | undefined;
  /** Counted from one. */
  readonly line: number | undefined;

  constructor(
    message: string,
    options: {
      code?: KustomizeErrorCode;
      file?: string | undefined;
      line?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KustomizeError';
    this.code = options.code ?? 'WG_KUSTOMIZE_BUILD';
    this.file = options.file;
    this.line = options.line;
  }
}

/** Says what was being done when an error came up, and keeps its code and place. */
export function wrap(error: unknown, context: string): KustomizeError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof KustomizeError) {
    return new KustomizeError(`${context}: ${message}`, {
      code: error.code,
      file: error.file,
      line: error.line,
      cause: error,
    });
  }
  return new KustomizeError(`${context}: ${message}`, { cause: error });
}
