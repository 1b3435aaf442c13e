import type { DynamicObject } from '@waygate/schema';
import { dnsLabelProblems, equalJson, humanDuration } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { matcherOfObject } from '../selectors/label-selector.ts';
import { type FieldProblem, invalid, required } from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { internalForm } from './internal-form.ts';
import { defaultJobSpec, jobSpecProblems } from './job-rules.ts';
import { hostnameWarnings } from './pod-warnings.ts';
import { selectorProblems } from './selector-rules.ts';
import {
  dropStatus,
  imageColumns,
  immutable,
  selectorColumn,
  specOf,
  statusNumber,
  templateOf,
  templateWarnings,
} from './workload.ts';

const prefix = 'batch.kubernetes.io/';

/** Jobs that have no labels of their own: they follow those of their template. */
const labelledByTemplate = new WeakSet<DynamicObject>();

export const jobStrategy: Partial<Strategy> = {
  hasGeneration: true,
  orphansByDefault: true,
  deletionWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  applyDefaults(object) {
    const spec = specOf(object);
    const labels = objectAt(objectAt(templateOf(object), 'metadata'), 'labels');
    if (Object.keys(labels).length > 0 && Object.keys(object.metadata.labels ?? {}).length === 0) {
      object.metadata.labels = { ...labels } as Record<string, string>;
      labelledByTemplate.add(object);
    }
    defaultJobSpec(spec);
    spec.manualSelector ??= false;
  },
  prepareForCreate(object) {
    dropStatus(object);
    if (specOf(object).manualSelector === true) return;
    generateSelector(object);
    const isOwn =
      labelledByTemplate.has(object) || Object.keys(object.metadata.labels ?? {}).length === 0;
    if (isOwn)
      object.metadata.labels = {
        ...objectAt(objectAt(templateOf(object), 'metadata'), 'labels'),
      } as Record<string, string>;
  },
  validate: problemsOfNew,
  validateUpdate(object, old) {
    return [
      ...wholeSpecProblems(object),
      ...completionProblems(object, old),
      ...immutable(object, old, ['spec', 'selector']),
      ...templateProblems(object, old),
      ...[
        'completionMode',
        'podFailurePolicy',
        'backoffLimitPerIndex',
        'managedBy',
        'successPolicy',
      ].flatMap((name) => immutable(object, old, ['spec', name])),
    ];
  },
  warnings: (object, old) => [
    ...(old === undefined
      ? hostnameWarnings(object.metadata.name ?? '', 'Pod names and hostnames')
      : []),
    ...templateWarnings(object, old),
  ],
  selectableFields: { 'status.successful': (object) => String(statusNumber(object, 'succeeded')) },
  columns: [
    column('Status', (object) => jobState(object)),
    column('Completions', (object) => completions(object)),
    column('Duration', (object, now) => {
      const status = objectAt(object, 'status');
      const start = textAt(status, 'startTime');
      if (start === '') return '';
      const end = textAt(status, 'completionTime');
      return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start));
    }),
    ageColumn,
    ...imageColumns,
    selectorColumn,
  ],
};

/** A job finds its pods by its own uid. What the client wrote under these names stays and is refused later. */
function generateSelector(object: DynamicObject): void {
  const spec = specOf(object);
  const uid = object.metadata.uid as string;
  const name = object.metadata.name ?? '';
  const template = objectAt(spec, 'template');
  const metadata = objectAt(template, 'metadata');
  metadata.labels = sorted({
    [`${prefix}controller-uid`]: uid,
    [`${prefix}job-name`]: name,
    'controller-uid': uid,
    'job-name': name,
    ...objectAt(metadata, 'labels'),
  });
  template.metadata = metadata;
  const selector = objectAt(spec, 'selector');
  const key = `${prefix}controller-uid`;
  spec.selector = {
    ...selector,
    matchLabels: sorted({ [key]: uid, ...objectAt(selector, 'matchLabels') }),
  };
}

function sorted(labels: Fields): Fields {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function generatedProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const uid = object.metadata.uid as string;
  const name = object.metadata.name ?? '';
  const labels = objectAt(objectAt(templateOf(object), 'metadata'), 'labels');
  const expected: Record<string, string> = {
    'controller-uid': uid,
    'job-name': name,
    [`${prefix}controller-uid`]: uid,
    [`${prefix}job-name`]: name,
  };
  const problems: FieldProblem[] = [];
  for (const [key, value] of Object.entries(expected)) {
    const field = `spec.template.metadata.labels[${key}]`;
    if (labels[key] === undefined) problems.push(required(field, `must be '${value}'`));
    else if (labels[key] !== value) problems.push(invalid(field, labels, `must be '${value}'`));
  }
  const isGenerated = matcherOfObject(objectAt(spec, 'selector')).matches(expected);
  return isGenerated
    ? problems
    : [...problems, invalid('spec.selector', spec.selector, '`selector` not auto-generated')];
}

function problemsOfNew(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  const wanted = numberAt(spec, 'completions') ?? 0;
  const name = object.metadata.name ?? '';
  const problems = [...generatedProblems(object), ...wholeSpecProblems(object)];
  if (spec.completionMode !== 'Indexed' || wanted <= 0) return problems;
  const host = `${name}-${wanted - 1}`;
  if (dnsLabelProblems(host).length === 0) return problems;
  const why = `will not able to create pod with invalid DNS label: ${host}`;
  return [...problems, invalid('metadata.name', name, why)];
}

function wholeSpecProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  const labels = objectAt(objectAt(templateOf(object), 'metadata'), 'labels');
  const problems = jobSpecProblems(spec, 'spec');
  if (spec.selector === undefined) problems.push(required('spec.selector'));
  else problems.push(...selectorProblems(spec.selector, 'spec.selector'));
  const isMatch =
    spec.selector !== undefined &&
    matcherOfObject(objectAt(spec, 'selector')).matches(labels as Record<string, string>);
  if (!isMatch) {
    const why = '`selector` does not match template `labels`';
    const shown = Object.keys(labels).length === 0 ? null : labels;
    problems.push(invalid('spec.template.metadata.labels', shown, why));
  }
  return problems;
}

function completionProblems(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[] {
  const spec = specOf(object);
  if (spec.completionMode !== 'Indexed') return immutable(object, old, ['spec', 'completions']);
  if (spec.completions === specOf(old).completions || spec.completions === undefined) return [];
  if (spec.completions === spec.parallelism) return [];
  const why = 'can only be modified in tandem with spec.parallelism';
  return [invalid('spec.completions', spec.completions, why)];
}

/** While a job is suspended and has not begun, its pods may still be placed elsewhere. */
function templateProblems(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[] {
  const template = templateOf(object);
  const before = structuredClone(templateOf(old));
  const isWaiting =
    specOf(old).suspend === true && textAt(objectAt(old, 'status'), 'startTime') === '';
  if (isWaiting) allowPlacement(before, template);
  if (equalJson(template, before)) return [];
  return [
    invalid('spec.template', internalForm('PodTemplateSpec', template), 'field is immutable'),
  ];
}

function allowPlacement(before: Fields, template: Fields): void {
  const [from, to] = [objectAt(template, 'spec'), objectAt(before, 'spec')];
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates', 'affinity']) {
    if (from[name] === undefined) delete to[name];
    else to[name] = from[name];
  }
  const metadata = objectAt(template, 'metadata');
  before.metadata = metadata;
}

function completions(object: Readonly<DynamicObject>): string {
  const spec = specOf(object);
  const wanted = numberAt(spec, 'completions');
  const done = statusNumber(object, 'succeeded');
  if (wanted !== undefined) return `${done}/${wanted}`;
  const parallel = numberAt(spec, 'parallelism') ?? 0;
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

function jobState(object: Readonly<DynamicObject>): string {
  const conditions = listAt(objectAt(object, 'status'), 'conditions');
  const has = (type: string) =>
    conditions.some((each) => each.type === type && each.status === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  return has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}
