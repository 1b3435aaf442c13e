import type { KubeObject } from '@waygate/schema';
import type { Condition } from '../objects/gateway-api.ts';
import { mergeConditions, type WantedCondition } from './conditions.ts';

export type ProgrammedState = 'programmed' | 'invalid' | 'pending';

const words: Readonly<Record<ProgrammedState, Omit<WantedCondition, 'type'>>> = {
  programmed: {
    status: 'True',
    reason: 'Programmed',
    message: 'Object was successfully configured in Kong.',
  },
  invalid: {
    status: 'False',
    reason: 'Invalid',
    message:
      'Object failed to be configured in Kong - see its attached Events for more information.',
  },
  pending: {
    status: 'False',
    reason: 'Pending',
    message: 'Object is pending configuration in Kong.',
  },
};

/**
 * The conditions of a Kong resource with `Programmed` as it is now; undefined when they say so
 * already. Other conditions are left as they are.
 */
export function programmedConditions(
  object: KubeObject & { status?: { conditions?: readonly Condition[] } },
  state: ProgrammedState,
  now: Date,
): Condition[] | undefined {
  const { conditions, isChanged } = mergeConditions(
    object.status?.conditions ?? [],
    [{ type: 'Programmed', ...words[state] }],
    object.metadata.generation ?? 0,
    now,
  );
  return isChanged ? conditions : undefined;
}
