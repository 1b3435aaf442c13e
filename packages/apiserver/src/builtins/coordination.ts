import type { DynamicObject } from '@waygate/schema';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid } from '../status/field-problem.ts';
import { numberAt, objectAt, textAt } from './fields.ts';

/** Fields of a feature that is off. */
function dropDisabled(object: DynamicObject): void {
  const spec = objectAt(object, 'spec');
  delete spec.strategy;
  delete spec.preferredHolder;
}

export const leaseStrategy: Partial<Strategy> = {
  takesAnyFinalizer: true,
  allowsCreateOnUpdate: true,
  allowsUnconditionalUpdate: false,
  prepareForCreate: dropDisabled,
  prepareForUpdate: dropDisabled,
  validate(object) {
    const spec = objectAt(object, 'spec');
    const problems: FieldProblem[] = [];
    const duration = numberAt(spec, 'leaseDurationSeconds');
    if (duration !== undefined && duration <= 0)
      problems.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
    const transitions = numberAt(spec, 'leaseTransitions');
    if (transitions !== undefined && transitions < 0)
      problems.push(
        invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'),
      );
    return problems;
  },
  columns: [
    column('Holder', (object) => textAt(objectAt(object, 'spec'), 'holderIdentity')),
    ageColumn,
  ],
};
