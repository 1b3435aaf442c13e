export type KustomizeErrorCode =
  | 'WG_KUSTOMIZE_BUILD'
  | 'WG_KUSTOMIZE_MALFORMED_YAML'
  | 'WG_KUSTOMIZE_LOAD_RESTRICTION'
  | 'WG_KUSTOMIZE_NOT_FOUND'
  | 'WG_KUSTOMIZE_REMOTE_REFUSED'
  | 'WG_KUSTOMIZE_PLUGIN_REFUSED'
  | 'WG_KUSTOMIZE_LIMIT';

/**
 * Why a build stops. Messages are worded as kustomize words them, so that what people know and
 * find in search engines applies; `file` and `line` say where, when one place is to blame.
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

/** A string as Go's `%q` prints it. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\\u2028', '\u2028').replaceAll('\\u2029', '\u2029');
}
