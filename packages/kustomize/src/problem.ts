import type { KustomizeErrorCode } from './kustomize-error.ts';

/** Something that a build has to say about its input. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly code: KustomizeErrorCode | 'WG_KUSTOMIZE_DEPRECATED' | 'WG_KUSTOMIZE_UNUSED_VAR';
  readonly message: string;
  readonly file?: string;
  /** Counted from one. */
  readonly line?: number;
}
