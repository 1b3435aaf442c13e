import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid, notSupported } from '../status/field-problem.ts';
import { type Fields, numberAt, objectAt } from './fields.ts';
import { countOrPercentProblems, overWholeProblems } from './rule.ts';
import { selectorProblems } from './selector-rules.ts';
import { statusConditionProblems } from './status-rules.ts';
import { specOf } from './workload.ts';

export const disruptionBudgetStrategy: Partial<Strategy> = {
  takesAnyFinalizer: true,
  hasGeneration: true,
  allowsUnconditionalUpdate: false,
  prepareForCreate(object) {
    object.status = {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    };
  },
  validate: (object) => specProblems(specOf(object)),
  validateStatusUpdate: statusConditionProblems,
  columns: [
    column('Min Available', (object) => String(specOf(object).minAvailable ?? 'N/A')),
    column('Max Unavailable', (object) => String(specOf(object).maxUnavailable ?? 'N/A')),
    column(
      'Allowed Disruptions',
      (object) => numberAt(objectAt(object, 'status'), 'disruptionsAllowed') ?? 0,
      { type: 'integer' },
    ),
    ageColumn,
  ],
};

const policies = ['AlwaysAllow', 'IfHealthyBudget'];

function specProblems(spec: Fields): FieldProblem[] {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  const shown = {
    MinAvailable: minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: policy ?? null,
  };
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...['minAvailable', 'maxUnavailable'].flatMap((name) => [
      ...countOrPercentProblems(`spec.${name}`, spec[name]),
      ...overWholeProblems(`spec.${name}`, spec[name]),
    ]),
    ...selectorProblems(spec.selector, 'spec.selector'),
    ...(policy === undefined || policies.includes(String(policy))
      ? []
      : [notSupported('spec.unhealthyPodEvictionPolicy', policy, policies)]),
  ];
}
