import { KustomizeError } from './kustomize-error.ts';

/** What no other way of reading a path could mend. */
export function isFinal(error: Error): boolean {
  return (
    error instanceof KustomizeError &&
    (error.code === 'WG_KUSTOMIZE_LIMIT' || error.code === 'WG_KUSTOMIZE_REMOTE_REFUSED')
  );
}

export function rethrow(error: unknown, message: string): KustomizeError {
  if (!(error instanceof KustomizeError)) return new KustomizeError(message, { cause: error });
  return new KustomizeError(message, {
    code: error.code,
    file: error.file,
    line: error.line,
    cause: error,
  });
}

/** Points an error at the place that another one knows. */
export function blame(error: KustomizeError, other: Error): KustomizeError {
  if (!(other instanceof KustomizeError) || error.line !== undefined) return error;
  return new KustomizeError(error.message, {
    code: other.code,
    file: other.file ?? error.file,
    line: other.line,
    cause: error,
  });
}
