import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';

import { column } from '../output/base-columns.ts';
import type { TableColumn } from '../resources/resource.ts';
import { matcherOfObject } from '../selectors/label-selector.ts';
import { selectorText } from '../selectors/selector-text.ts';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { podTemplateProblems } from './pod-spec-rules.ts';
import { podWarnings } from './pod-warnings.ts';
import { nonNegative } from './rule.ts';
import { isEmptySelector, isParsable, selectorProblems } from './selector-rules.ts';

export function specOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'spec');
}

export function templateOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(specOf(object), 'template');
}

export function podSpecOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(templateOf(object), 'spec');
}

export function statusNumber(object: Readonly<DynamicObject>, field: string): number {
  return numberAt(objectAt(object, 'status'), field) ?? 0;
}

export function dropStatus(object: DynamicObject): void {
  object.status = {};
}

function containerColumn(name: string, field: string): TableColumn {
  return {
    name,
    type: 'string',
    priority: 1,
    cell: (object) =>
      listAt(podSpecOf(object), 'containers')
        .map((each) => each[field])
        .join(','),
  };
}

export const imageColumns: readonly TableColumn[] = [
  containerColumn('Containers', 'name'),
  containerColumn('Images', 'image'),
];

export const selectorColumn: TableColumn = column(
  'Selector',
  (object) => selectorText(specOf(object).selector) || '<none>',
  { priority: 1 },
);

export function count(
  name: string,
  cell: (object: Readonly<DynamicObject>) => unknown,
): TableColumn {
  return { name, type: 'integer', cell };
}

/** `1/3`: how many of those that are wanted are ready. */
export const readyColumn: TableColumn = column(
  'Ready',
  (object) =>
    `${statusNumber(object, 'readyReplicas')}/${numberAt(specOf(object), 'replicas') ?? 0}`,
);

/** The selector of a workload: it has to be there, and to mean something. */
export function workloadSelectorProblems(selector: unknown, kind: string): FieldProblem[] {
  const field = 'spec.selector';
  if (selector === undefined || selector === null) return [required(field)];
  return [
    ...selectorProblems(selector, field),
    ...(isEmptySelector(selector)
      ? [invalid(field, selector, `empty selector is invalid for ${kind}`)]
      : []),
  ];
}

/** The template's labels have to be those that the workload selects. */
export function labelMatchProblems(selector: unknown, template: Fields): FieldProblem[] {
  const labels = objectAt(objectAt(template, 'metadata'), 'labels') as Record<string, string>;
  // A selector that is not there selects nothing.
  const isMatch =
    selector !== undefined &&
    selector !== null &&
    matcherOfObject(selector as Fields).matches(labels);
  if (isMatch) return [];
  return [
    invalid(
      'spec.template.metadata.labels',
      Object.keys(labels).length === 0 ? null : labels,
      '`selector` does not match template `labels`',
    ),
  ];
}

/** A template whose pods are started again and again. */
export function lastingTemplateProblems(object: DynamicObject, kind: string): FieldProblem[] {
  const { selector } = specOf(object);
  const template = templateOf(object);
  if (selector !== undefined && selector !== null && !isParsable(selector))
    return [invalid('spec.selector', selector, 'invalid label selector')];
  return [
    ...(selector !== undefined && isEmptySelector(selector)
      ? []
      : labelMatchProblems(selector, template)),
    ...podTemplateProblems(template, 'spec.template'),
    ...alwaysProblems(template, kind),
  ];
}

export function alwaysProblems(template: Fields, kind: string): FieldProblem[] {
  const spec = objectAt(template, 'spec');
  const field = 'spec.template.spec';
  const policy = textAt(spec, 'restartPolicy');
  return [
    ...(policy === 'Always' ? [] : [notSupported(`${field}.restartPolicy`, policy, ['Always'])]),
    ...(spec.activeDeadlineSeconds === undefined
      ? []
      : [
          forbidden(
            `${field}.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
}

/** The counts of a status: none below zero, and none of the parts above the whole. */
export function replicaCountProblems(
  status: Fields,
  counts: readonly string[],
  parts: readonly string[],
): FieldProblem[] {
  const read = (name: string) => numberAt(status, name) ?? 0;
  const problems = counts.flatMap((name) => nonNegative(`status.${name}`, status[name]));
  for (const name of parts) {
    if (read(name) > read('replicas')) {
      const why = 'cannot be greater than status.replicas';
      problems.push(invalid(`status.${name}`, read(name), why));
    }
  }
  if (read('availableReplicas') > read('readyReplicas')) {
    const why = 'cannot be greater than readyReplicas';
    problems.push(invalid('status.availableReplicas', read('availableReplicas'), why));
  }
  return problems;
}

export function immutable(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
  path: readonly string[],
): FieldProblem[] {
  const read = (value: Readonly<DynamicObject>) =>
    path.reduce<unknown>((current, name) => (current as Fields | undefined)?.[name], value);
  if (equalJson(read(object), read(old))) return [];
  return [invalid(path.join('.'), read(object), 'field is immutable')];
}

/** Warnings are repeated only when the template changes. */
export function templateWarnings(
  object: DynamicObject,
  old?: Readonly<DynamicObject>,
): readonly string[] {
  if (old !== undefined && old.metadata.generation === object.metadata.generation) return [];
  return podWarnings(templateOf(object), 'spec.template.');
}
