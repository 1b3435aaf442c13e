import type { Condition } from '../objects/gateway-api.ts';

/** A condition as it should be; times and generations are filled in when it is merged. */
export interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message?: string;
}

/**
 * Conditions with these in place; those of other types stay. The time of a condition changes only
 * with its status, and nothing is new when all of them say the same already.
 */
export function mergeConditions(
  existing: readonly Condition[],
  wanted: readonly WantedCondition[],
  generation: number,
  now: Date,
): { readonly conditions: Condition[]; readonly isChanged: boolean } {
  const time = now.toISOString().replace(/\.\d{3}Z$/u, 'Z');
  let isChanged = false;
  const merged = wanted.map(({ type, status, reason, message = '' }) => {
    const before = existing.find((one) => one.type === type);
    const isSame =
      before?.status === status &&
      before.reason === reason &&
      (before.message ?? '') === message &&
      (before.observedGeneration ?? 0) === generation;
    if (isSame) return before;
    isChanged = true;
    const isTransition = before?.status !== status;
    return {
      type,
      status,
      reason,
      message,
      observedGeneration: generation,
      lastTransitionTime: isTransition ? time : (before?.lastTransitionTime ?? time),
    };
  });
  const types = new Set(wanted.map(({ type }) => type));
  return { conditions: [...existing.filter(({ type }) => !types.has(type)), ...merged], isChanged };
}
