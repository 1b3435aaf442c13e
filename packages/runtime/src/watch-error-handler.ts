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
