import { formatTime } from '../decode/time-text.ts';
import { conditionOf, type Definition, type DefinitionCondition } from './definition.ts';

/** Why the names of a definition are not accepted. */
export interface NameClash {
  readonly reason: string;
  readonly message: string;
  /** Whether another definition has its singular, too. */
  readonly isSingularTaken: boolean;
}

/** What the server says of a definition whose names are free, or clash with another's. */
export function definitionStatus(
  definition: Definition,
  clash: NameClash | undefined,
  now: number,
): Definition['status'] {
  const names = definition.spec.names;
  const conditions = [...(definition.status.conditions ?? [])];
  const set = (type: string, status: string, reason: string, message: string): void =>
    setCondition(conditions, {
      type,
      status,
      lastTransitionTime: formatTime(now),
      reason,
      message,
    });
  if (clash === undefined) {
    set('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found');
    set('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted');
    return { ...definition.status, conditions, acceptedNames: { ...names } };
  }
  set('NamesAccepted', 'False', clash.reason, clash.message);
  if (conditionOf(definition, 'Established') === undefined)
    set('Established', 'False', 'NotAccepted', 'not all names are accepted');
  const { listKind: _listKind, ...rest } = names;
  const { singular: _singular, ...withoutSingular } = rest;
  const acceptedNames = { ...(clash.isSingularTaken ? withoutSingular : rest), kind: '' };
  return { ...definition.status, conditions, acceptedNames };
}

function setCondition(conditions: DefinitionCondition[], next: DefinitionCondition): void {
  const index = conditions.findIndex((condition) => condition.type === next.type);
  const current = conditions[index];
  if (current?.status === next.status && current.reason === next.reason) return;
  if (index < 0) conditions.push(next);
  else conditions[index] = next;
}
