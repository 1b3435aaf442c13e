import type { DynamicObject } from '@waygate/schema';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { type Fields, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { defaultPodSpec } from './pod-template.ts';
import { countOf, countOrPercentProblems, nonNegative, overWholeProblems } from './rule.ts';
import {
  dropStatus,
  imageColumns,
  immutable,
  lastingTemplateProblems,
  podSpecOf,
  readyColumn,
  replicaCountProblems,
  selectorColumn,
  specOf,
  statusNumber,
  templateWarnings,
  workloadSelectorProblems,
} from './workload.ts';

const rolling = { maxUnavailable: '25%', maxSurge: '25%' };

export const deploymentStrategy: Partial<Strategy> = {
  hasGeneration: true,
  // An annotation may be meant for the pods of the next revision.
  generationIncludes: 'annotations',
  applyDefaults(object) {
    const spec = specOf(object);
    setDefaults(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    defaultPodSpec(podSpecOf(object));
    const strategy = objectAt(spec, 'strategy');
    setDefaults(strategy, { type: 'RollingUpdate' });
    if (strategy.type === 'RollingUpdate')
      strategy.rollingUpdate = { ...rolling, ...objectAt(strategy, 'rollingUpdate') };
    spec.strategy = strategy;
  },
  prepareForCreate: dropStatus,
  validate: specProblems,
  validateUpdate: (object, old) => [
    ...specProblems(object),
    ...immutable(object, old, ['spec', 'selector']),
  ],
  validateStatusUpdate: (object, old) => replicaStatusProblems(object, old),
  keptByStatus: ['labels'],
  warnings: templateWarnings,
  columns: [
    readyColumn,
    column('Up-to-date', (object) => statusNumber(object, 'updatedReplicas')),
    column('Available', (object) => statusNumber(object, 'availableReplicas')),
    ageColumn,
    ...imageColumns,
    selectorColumn,
  ],
};

function specProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  const ready = numberAt(spec, 'minReadySeconds') ?? 0;
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...workloadSelectorProblems(spec.selector, 'deployment'),
    ...lastingTemplateProblems(object, 'ReplicaSet'),
    ...strategyProblems(spec),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...nonNegative('spec.progressDeadlineSeconds', deadline),
    ...(deadline !== undefined && deadline <= ready
      ? [invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}

function strategyProblems(spec: Fields): FieldProblem[] {
  const strategy = objectAt(spec, 'strategy');
  const type = textAt(strategy, 'type');
  const field = 'spec.strategy';
  if (type === 'Recreate') {
    if (strategy.rollingUpdate === undefined) return [];
    const why = "may not be specified when strategy `type` is 'Recreate'";
    return [forbidden(`${field}.rollingUpdate`, why)];
  }
  const { maxUnavailable, maxSurge } = objectAt(strategy, 'rollingUpdate');
  if (type !== 'RollingUpdate') {
    const rollingUpdate =
      strategy.rollingUpdate === undefined
        ? null
        : { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 };
    const shown = { Type: type, RollingUpdate: rollingUpdate };
    return [notSupported(field, shown, ['Recreate', 'RollingUpdate'])];
  }
  if (strategy.rollingUpdate === undefined)
    return [required(`${field}.rollingUpdate`, 'this should be defaulted and never be nil')];
  const at = `${field}.rollingUpdate`;
  return [
    ...countOrPercentProblems(`${at}.maxUnavailable`, maxUnavailable),
    ...countOrPercentProblems(`${at}.maxSurge`, maxSurge),
    ...(countOf(maxUnavailable) === 0 && countOf(maxSurge) === 0
      ? [invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...overWholeProblems(`${at}.maxUnavailable`, maxUnavailable),
  ];
}

const statusCounts = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];

function replicaStatusProblems(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
): FieldProblem[] {
  const status = objectAt(object, 'status');
  const parts = ['updatedReplicas', 'readyReplicas', 'availableReplicas'];
  const problems = replicaCountProblems(status, statusCounts, parts);
  const collisionCount = numberAt(status, 'collisionCount') ?? 0;
  const collisions = numberAt(objectAt(old, 'status'), 'collisionCount') ?? 0;
  if (collisionCount < collisions)
    problems.push(invalid('status.collisionCount', collisionCount, 'cannot be decremented'));
  return problems;
}
