import type { KubeObject } from '@waygate/schema';
import type { Condition } from '../objects/gateway-api.ts';

export type ProgrammedState = 'programmed' | 'invalid' | 'pending';

const words: Readonly<Record<ProgrammedState, Pick<Condition, 'status' | 'reason' | 'message'>>> = {
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
  const conditions = object.status?.conditions ?? [];
  const current = conditions.find(({ type }) => type === 'Programmed');
  const wanted = words[state];
  const generation = object.metadata.generation ?? 0;
  const isSame =
    current?.status === wanted.status &&
    current.reason === wanted.reason &&
    (current.observedGeneration ?? 0) === generation;
  if (isSame) return undefined;
  const isTransition = current?.status !== wanted.status;
  const time = now.toISOString().replace(/\.\d{3}Z$/u, 'Z');
  const next: Condition = {
    type: 'Programmed',
    ...wanted,
    observedGeneration: generation,
    lastTransitionTime: isTransition ? time : (current?.lastTransitionTime ?? time),
  };
  return [...conditions.filter(({ type }) => type !== 'Programmed'), next];
}
