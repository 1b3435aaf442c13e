import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';

import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { selectorText } from '../selectors/selector-text.ts';
import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import { type Fields, objectAt, setDefaults, textAt } from './fields.ts';
import { podTemplateProblems } from './pod-spec-rules.ts';
import { defaultPodSpec } from './pod-template.ts';
import { countOf, countOrPercentProblems, nonNegative, overWholeProblems } from './rule.ts';
import { isEmptySelector, isParsable, selectorProblems } from './selector-rules.ts';
import {
  alwaysProblems,
  count,
  imageColumns,
  immutable,
  labelMatchProblems,
  podSpecOf,
  selectorColumn,
  specOf,
  statusNumber,
  templateOf,
  templateWarnings,
} from './workload.ts';

const generationAnnotation = 'deprecated.daemonset.template.generation';

export const daemonSetStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    const spec = specOf(object);
    setDefaults(spec, { revisionHistoryLimit: 10 });
    const update = objectAt(spec, 'updateStrategy');
    setDefaults(update, { type: 'RollingUpdate' });
    if (update.type === 'RollingUpdate') {
      update.rollingUpdate = {
        maxUnavailable: 1,
        maxSurge: 0,
        ...objectAt(update, 'rollingUpdate'),
      };
    }
    spec.updateStrategy = update;
    setTemplateGeneration(object, Number(object.metadata.annotations?.[generationAnnotation]) || 0);
    defaultPodSpec(podSpecOf(object));
  },
  prepareForCreate(object) {
    const given = Number(object.metadata.annotations?.[generationAnnotation]);
    setTemplateGeneration(object, Number.isInteger(given) && given > 0 ? given : 1);
    object.status = {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    };
  },
  prepareForUpdate(object, old) {
    const before = Number(old.metadata.annotations?.[generationAnnotation] ?? 1);
    const isChanged = !equalJson(templateOf(object), templateOf(old));
    setTemplateGeneration(object, isChanged ? before + 1 : before);
  },
  prepareStatusUpdate(object, old) {
    setTemplateGeneration(object, Number(old.metadata.annotations?.[generationAnnotation] ?? 1));
  },
  validate: specProblems,
  validateUpdate: (object, old) => [
    ...immutable(object, old, ['spec', 'selector']),
    ...specProblems(object),
  ],
  warnings: templateWarnings,
  columns: [
    count('Desired', (object) => statusNumber(object, 'desiredNumberScheduled')),
    count('Current', (object) => statusNumber(object, 'currentNumberScheduled')),
    count('Ready', (object) => statusNumber(object, 'numberReady')),
    count('Up-to-date', (object) => statusNumber(object, 'updatedNumberScheduled')),
    count('Available', (object) => statusNumber(object, 'numberAvailable')),
    column(
      'Node Selector',
      (object) => selectorText(podSpecOf(object).nodeSelector ?? {}) || '<none>',
    ),
    ageColumn,
    ...imageColumns,
    selectorColumn,
  ],
};

/** A field of the old API that lives on as an annotation. */
function setTemplateGeneration(object: DynamicObject, generation: number): void {
  object.metadata.annotations = {
    ...object.metadata.annotations,
    [generationAnnotation]: String(generation),
  };
}

function specProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  const { selector } = spec;
  const template = templateOf(object);
  return [
    ...selectorProblems(selector, 'spec.selector'),
    ...(selector === undefined || isParsable(selector)
      ? labelMatchProblems(selector, template)
      : []),
    ...(selector !== undefined && isEmptySelector(selector)
      ? [invalid('spec.selector', selector, 'empty selector is invalid for daemonset')]
      : []),
    ...podTemplateProblems(template, 'spec.template'),
    ...alwaysProblems(template, 'DaemonSet'),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...updateStrategyProblems(objectAt(spec, 'updateStrategy')),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
  ];
}

function updateStrategyProblems(update: Fields): FieldProblem[] {
  const field = 'spec.updateStrategy';
  const type = textAt(update, 'type');
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    const shown = { Type: type, RollingUpdate: null };
    return [notSupported(field, shown, ['RollingUpdate', 'OnDelete'])];
  }
  const at = `${field}.rollingUpdate`;
  const { maxUnavailable, maxSurge } = objectAt(update, 'rollingUpdate');
  const [isUnavailable, isSurging] = [countOf(maxUnavailable) !== 0, countOf(maxSurge) !== 0];
  const problems = [
    ...countOrPercentProblems(`${at}.maxUnavailable`, maxUnavailable),
    ...countOrPercentProblems(`${at}.maxSurge`, maxSurge),
    ...overWholeProblems(`${at}.maxUnavailable`, maxUnavailable),
    ...overWholeProblems(`${at}.maxSurge`, maxSurge),
  ];
  if (isUnavailable && isSurging) {
    const why = 'may not be set when maxUnavailable is non-zero';
    problems.push(invalid(`${at}.maxSurge`, maxSurge, why));
  }
  if (!isUnavailable && !isSurging)
    problems.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return problems;
}
