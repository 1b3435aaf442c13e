import type { DynamicObject } from '@waygate/schema';
import { humanDuration } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { type Fields, listAt, objectAt, setDefaults, textAt } from './fields.ts';
import { jobSpecProblems } from './job-rules.ts';
import { defaultPodSpec } from './pod-template.ts';
import { podWarnings } from './pod-warnings.ts';
import { nonNegative, oneOf } from './rule.ts';
import { dropStatus, specOf } from './workload.ts';

function jobSpecOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(objectAt(specOf(object), 'jobTemplate'), 'spec');
}

export const cronJobStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    setDefaults(specOf(object), {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    defaultPodSpec(objectAt(objectAt(jobSpecOf(object), 'template'), 'spec'));
  },
  prepareForCreate: dropStatus,
  validate(object) {
    const name = object.metadata.name ?? '';
    const problems = specProblems(object);
    // Eleven characters are for the time that a job's name ends in.
    if (name.length > 52)
      problems.push(invalid('metadata.name', name, 'must be no more than 52 characters'));
    return problems;
  },
  validateUpdate: (object, old) => specProblems(object, old),
  warnings: (object, old) =>
    old !== undefined && old.metadata.generation === object.metadata.generation
      ? []
      : podWarnings(objectAt(jobSpecOf(object), 'template'), 'spec.jobTemplate.spec.template.'),
  columns: [
    column('Schedule', (object) => textAt(specOf(object), 'schedule')),
    column('Timezone', (object) => textAt(specOf(object), 'timeZone') || '<none>'),
    column('Suspend', (object) => (specOf(object).suspend === true ? 'True' : 'False'), {
      type: 'boolean',
    }),
    column('Active', (object) => listAt(objectAt(object, 'status'), 'active').length, {
      type: 'integer',
    }),
    column('Last Schedule', (object, now) => {
      const last = textAt(objectAt(object, 'status'), 'lastScheduleTime');
      return last === '' ? '<none>' : humanDuration(now - Date.parse(last));
    }),
    ageColumn,
    containerColumn('Containers', 'name'),
    containerColumn('Images', 'image'),
    column('Selector', () => '<none>', { priority: 1 }),
  ],
};

function containerColumn(name: string, field: string) {
  return {
    name,
    type: 'string',
    priority: 1,
    cell: (object: Readonly<DynamicObject>) =>
      listAt(objectAt(objectAt(jobSpecOf(object), 'template'), 'spec'), 'containers')
        .map((each) => each[field])
        .join(','),
  };
}

function specProblems(object: DynamicObject, old?: Readonly<DynamicObject>): FieldProblem[] {
  const spec = specOf(object);
  const job = jobSpecOf(object);
  const field = 'spec.jobTemplate.spec';
  const isZoneNew = old === undefined || specOf(old).timeZone !== spec.timeZone;
  return [
    ...scheduleProblems(spec, old),
    ...nonNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
    ...(isZoneNew ? zoneProblems(spec.timeZone) : []),
    ...oneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']),
    ...jobSpecProblems(job, field),
    ...(job.selector === undefined
      ? []
      : [invalid(`${field}.selector`, job.selector, '`selector` will be auto-generated')]),
    ...(job.manualSelector === true
      ? [notSupported(`${field}.manualSelector`, true, ['nil', 'false'])]
      : []),
    ...nonNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
    ...nonNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
  ];
}

function scheduleProblems(spec: Fields, old?: Readonly<DynamicObject>): FieldProblem[] {
  const field = 'spec.schedule';
  const schedule = textAt(spec, 'schedule');
  if (schedule === '') return [required(field)];
  const problem = scheduleProblem(schedule);
  const problems = problem === undefined ? [] : [invalid(field, schedule, problem)];
  if (!schedule.includes('TZ')) return problems;
  const mayHaveZone = old !== undefined && textAt(specOf(old), 'schedule').includes('TZ');
  if (!mayHaveZone) {
    const why = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    problems.push(invalid(field, schedule, why));
  } else if (spec.timeZone !== undefined) {
    const why = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
    problems.push(invalid(field, schedule, why));
  }
  return problems;
}

function zoneProblems(zone: unknown): FieldProblem[] {
  const field = 'spec.timeZone';
  if (typeof zone !== 'string') return [];
  if (zone === '') return [invalid(field, zone, 'timeZone must be nil or non-empty string')];
  const isWritable = zone
    .split('/')
    .every((part) => part !== '.' && part !== '..' && /^[A-Za-z.+_][A-Za-z0-9.+_-]*$/.test(part));
  if (!isWritable) return [invalid(field, zone, `unknown time zone ${zone}`)];
  const problems: FieldProblem[] = [];
  if (zone.toLowerCase() === 'local') {
    const why =
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    problems.push(invalid(field, zone, why));
  }
  if (zone !== 'Local' && !isKnownZone(zone))
    problems.push(invalid(field, zone, `unknown time zone ${zone}`));
  return problems;
}

function isKnownZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
