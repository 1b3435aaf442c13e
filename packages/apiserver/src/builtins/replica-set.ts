import type { DynamicObject } from '@waygate/schema';
import { ageColumn } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { matcherOfObject } from '../selectors/label-selector.ts';
import { type FieldProblem, invalid, required } from '../status/field-problem.ts';
import { numberAt, objectAt, setDefaults } from './fields.ts';
import { podTemplateProblems } from './pod-spec-rules.ts';
import { defaultPodSpec } from './pod-template.ts';
import { nonNegative } from './rule.ts';
import {
  alwaysProblems,
  count,
  imageColumns,
  immutable,
  lastingTemplateProblems,
  podSpecOf,
  replicaCountProblems,
  selectorColumn,
  specOf,
  statusNumber,
  templateOf,
  templateWarnings,
  workloadSelectorProblems,
} from './workload.ts';

const columns = [
  count('Desired', (object) => numberAt(specOf(object), 'replicas') ?? 0),
  count('Current', (object) => statusNumber(object, 'replicas')),
  count('Ready', (object) => statusNumber(object, 'readyReplicas')),
  ageColumn,
  ...imageColumns,
  selectorColumn,
];

function startEmpty(object: DynamicObject): void {
  object.status = { replicas: 0 };
}

export const replicaSetStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    setDefaults(specOf(object), { replicas: 1 });
    defaultPodSpec(podSpecOf(object));
  },
  prepareForCreate: startEmpty,
  validate: replicaSetProblems,
  validateUpdate: (object, old) => [
    ...replicaSetProblems(object),
    ...immutable(object, old, ['spec', 'selector']),
  ],
  validateStatusUpdate: replicaStatusProblems,
  warnings: templateWarnings,
  columns,
};

function replicaSetProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    // The API says deployment here, too.
    ...workloadSelectorProblems(spec.selector, 'deployment'),
    ...lastingTemplateProblems(object, 'ReplicaSet'),
  ];
}

const statusCounts = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
  'terminatingReplicas',
];

function replicaStatusProblems(object: DynamicObject): FieldProblem[] {
  const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];
  return replicaCountProblems(objectAt(object, 'status'), statusCounts, parts);
}

export const replicationControllerStrategy: Partial<Strategy> = {
  hasGeneration: true,
  orphansByDefault: true,
  applyDefaults(object) {
    const spec = specOf(object);
    setDefaults(spec, { replicas: 1 });
    const template = templateOf(object);
    const labels = objectAt(objectAt(template, 'metadata'), 'labels') as Record<string, string>;
    if (Object.keys(labels).length > 0) {
      if (Object.keys(objectAt(spec, 'selector')).length === 0) spec.selector = { ...labels };
      if (Object.keys(object.metadata.labels ?? {}).length === 0)
        object.metadata.labels = { ...labels };
    }
    if (Object.keys(template).length > 0) defaultPodSpec(objectAt(template, 'spec'));
  },
  prepareForCreate: startEmpty,
  validate: controllerProblems,
  validateStatusUpdate: replicaStatusProblems,
  warnings: templateWarnings,
  selectableFields: { 'status.replicas': (object) => String(statusNumber(object, 'replicas')) },
  columns,
};

function controllerProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  const selector = objectAt(spec, 'selector') as Record<string, string>;
  const template = templateOf(object);
  const labels = objectAt(objectAt(template, 'metadata'), 'labels') as Record<string, string>;
  const isEmpty = Object.keys(selector).length === 0;
  const problems = [
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...(isEmpty ? [required('spec.selector')] : []),
    ...nonNegative('spec.replicas', spec.replicas),
  ];
  if (spec.template === undefined) return [...problems, required('spec.template')];
  if (!isEmpty && !matcherOfObject({ matchLabels: selector }).matches(labels)) {
    const shown = Object.keys(labels).length === 0 ? null : labels;
    const why = '`selector` does not match template `labels`';
    problems.push(invalid('spec.template.metadata.labels', shown, why));
  }
  return [
    ...problems,
    ...podTemplateProblems(template, 'spec.template'),
    ...alwaysProblems(template, 'ReplicationController'),
  ];
}
