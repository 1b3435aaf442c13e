import type { DynamicObject } from '@waygate/schema';
import { type FieldProblem, required } from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';

/** All of the metadata that a client writes: the status endpoint of some kinds changes none of it. */
export const allMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** What is missing in the conditions of a status that has those of the meta group. */
export function statusConditionProblems(object: Readonly<DynamicObject>): FieldProblem[] {
  return listAt(objectAt(object, 'status'), 'conditions').flatMap(conditionProblems);
}

function conditionProblems(condition: Fields, index: number): FieldProblem[] {
  return ['type', 'lastTransitionTime', 'reason', 'status'].flatMap((name) =>
    textAt(condition, name) === '' ? [required(`status.conditions[${index}].${name}`)] : [],
  );
}
