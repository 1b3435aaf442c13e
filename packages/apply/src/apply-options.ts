import type { Clock } from '@waygate/runtime';
import type { StageKind } from './apply-order.ts';
import type { Change } from './change-set.ts';
import type { IgnoreRule } from './ignore-rule.ts';
import type { LiveObjects } from './live-objects.ts';

/** Labels, annotations and their values that tell an applier what to do with one object. */
export interface ApplySelectors {
  /** Left as it is: neither applied nor deleted. */
  readonly exclusion: Readonly<Record<string, string>>;
  /** Created when it is not there, and then left as it is. */
  readonly ifNotPresent: Readonly<Record<string, string>>;
  /** Made anew when a field that cannot change has to. */
  readonly force: Readonly<Record<string, string>>;
  /** What other managers own stays theirs. */
  readonly merge: Readonly<Record<string, string>>;
  /** Not deleted when it is no longer wanted. */
  readonly keep: Readonly<Record<string, string>>;
}

/**
 * The selectors of a group such as `kustomize.toolkit.fluxcd.io`.
 *
 * ```ts
 * const selectors = applySelectors('kustomize.toolkit.fluxcd.io');
 * // `kustomize.toolkit.fluxcd.io/ssa: Ignore` on an object now keeps it as it is.
 * ```
 */
export function applySelectors(group: string): ApplySelectors {
  return {
    exclusion: { [`${group}/reconcile`]: 'disabled', [`${group}/ssa`]: 'Ignore' },
    ifNotPresent: { [`${group}/ssa`]: 'IfNotPresent' },
    force: { [`${group}/force`]: 'enabled' },
    merge: { [`${group}/ssa`]: 'Merge' },
    keep: {
      [`${group}/prune`]: 'disabled',
      [`${group}/reconcile`]: 'disabled',
      [`${group}/ssa`]: 'Ignore',
    },
  };
}

/** As whom to apply, what to leave alone, and what to do about conflicts. */
export interface ApplyOptions {
  /** Owns the fields that are applied. */
  readonly fieldManager: string;
  readonly selectors: ApplySelectors;
  /** Makes an object anew when a field that cannot change has to. */
  readonly force?: boolean | undefined;
  /** For namespaced objects that do not name a namespace; without it such an object is refused. */
  readonly defaultNamespace?: string | undefined;
  /** Kinds that are applied before the rest, after classes. */
  readonly customStageKinds?: readonly StageKind[] | undefined;
  /** Managers whose fields become ours, beside kubectl's. */
  readonly overrideManagers?: readonly string[] | undefined;
  /** Fields that others may change without being corrected. */
  readonly ignoreRules?: readonly IgnoreRule[] | undefined;
  /** Objects looked at and applied at a time. 4. */
  readonly concurrency?: number | undefined;
  /** Applies nothing and tells what would change. */
  readonly isPreview?: boolean | undefined;
  /** Tells of a change how the object was before and is after, as a preview does. */
  readonly keepsStates?: boolean | undefined;
  /**
   * Awaited before objects are created, so that whoever keeps an inventory has them in it should the
   * program end in between. When it throws, they are not created.
   */
  readonly onCreating?: ((creating: readonly Change[]) => Promise<void>) | undefined;
  /** What is known of live objects, so that those that are as wanted cost no request. */
  readonly live?: LiveObjects | undefined;
  /** How long definitions may take to be served. 60 s. */
  readonly definitionTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}
