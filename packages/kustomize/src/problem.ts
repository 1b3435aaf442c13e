import type { KustomizeErrorCode } from './kustomize-error.ts';

/** Something that a build has to say about its input. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly code:
    | KustomizeErrorCode
    /**
     * A field of a kustomization is to be replaced by another. The build goes through; write the
     * field that the message names.
     */
    | 'WG_KUSTOMIZE_DEPRECATED'
    /** A var is declared and never used. The build goes through; delete the var. */
    | 'WG_KUSTOMIZE_UNUSED_VAR';
  readonly message: string;
  readonly file?: string;
  /** Counted from one. */
  readonly line?: number;
}
