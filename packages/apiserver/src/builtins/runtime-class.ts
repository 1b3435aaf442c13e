import { dnsLabelProblems } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, required } from '../status/field-problem.ts';
import { type Fields, objectAt, textAt } from './fields.ts';
import { resourceProblems } from './resource-rules.ts';
import { textProblems } from './rule.ts';
import { immutable } from './workload.ts';

/** With what containers are run. */
export const runtimeClassStrategy: Partial<Strategy> = {
  allowsUnconditionalUpdate: false,
  allowsCreateOnUpdate: true,
  takesAnyFinalizer: true,
  validate: problems,
  validateUpdate: (object, old) => [...problems(object), ...immutable(object, old, ['handler'])],
  columns: [column('Handler', (object) => textAt(object, 'handler')), ageColumn],
};

function problems(object: Fields): FieldProblem[] {
  const handler = textAt(object, 'handler');
  return [
    ...(handler === ''
      ? [required('handler')]
      : textProblems('handler', handler, dnsLabelProblems)),
    // What a pod costs beside its containers is checked as limits are.
    ...resourceProblems({ limits: objectAt(objectAt(object, 'overhead'), 'podFixed') }, 'overhead'),
  ];
}
