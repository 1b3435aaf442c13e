import { formatTime } from '../decode/time-text.ts';
import { conditionOf, type Definition, type DefinitionCondition } from './definition.ts';
import { approvalOf } from './definition-approval.ts';
import { bundleProblem } from './definition-bundle.ts';
import { settleNames, type TakenNames, takenNames } from './definition-names.ts';

/** What the server says of a definition, beside the names that its group has taken. */
export function definitionStatus(
  definition: Definition,
  now: number,
  taken: TakenNames = takenNames([]),
): Definition['status'] {
  const conditions = [...(definition.status.conditions ?? [])];
  const set = (type: string, status: string, reason: string, message: string): void =>
    setCondition(conditions, {
      type,
      status,
      lastTransitionTime: formatTime(now),
      reason,
      message,
    });
  const approval = approvalOf(definition);
  if (approval !== undefined) {
    const { status, reason, message } = approval;
    set('KubernetesAPIApprovalPolicyConformant', status, reason, message);
  }
  const had = definition.status.acceptedNames ?? { plural: '', kind: '' };
  const { acceptedNames, clash } = settleNames(definition.spec.names, had, taken);
  const established = conditionOf(definition, 'Established')?.status;
  if (clash !== undefined) {
    set('NamesAccepted', 'False', clash.reason, clash.message);
    if (established === undefined)
      set('Established', 'False', 'NotAccepted', 'not all names are accepted');
  } else {
    set('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found');
    // Once established it stays so: what could not be read would have been refused.
    if (established !== 'True' && bundleProblem(definition) !== undefined)
      set('Established', 'False', 'InvalidCABundle', 'The conversion webhook CABundle is invalid');
    else set('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted');
  }
  return { ...definition.status, conditions, acceptedNames };
}

function setCondition(conditions: DefinitionCondition[], next: DefinitionCondition): void {
  const index = conditions.findIndex((condition) => condition.type === next.type);
  const current = conditions[index];
  if (index < 0 || current === undefined) {
    conditions.push(next);
    return;
  }
  const { status, reason, message, lastTransitionTime } = current;
  if (status === next.status && reason === next.reason && message === next.message) return;
  conditions[index] = status === next.status ? { ...next, lastTransitionTime } : next;
}
