import { isExpiredOrGone } from '@waygate/kube';

/**
 * What becomes of errors that nobody asked for: a process warning, once for each. An expired version
 * is part of ordinary life and is not worth one.
 */
export function reportWarning(error: unknown): void {
  if (isExpiredOrGone(error)) return;
  if (error instanceof Error) process.emitWarning(error);
  else process.emitWarning(String(error));
}

/** A reporter whose own failure costs nothing but the report. */
export function guardedReporter(onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    try {
      onError(error);
    } catch (failure) {
      reportWarning(failure);
    }
  };
}
