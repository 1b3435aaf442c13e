import type { DynamicObject } from '@waygate/schema';
import { ageText, equalJson, qualifiedNameProblems } from '@waygate/text';
import { column, nameColumn } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid, required } from '../status/field-problem.ts';
import { objectAt, textAt } from './fields.ts';
import { textProblems } from './rule.ts';

/** The names of the same things in the core API (which is stored) and in events.k8s.io. */
const renamed: readonly (readonly [core: string, modern: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function rename(object: DynamicObject, from: 0 | 1): DynamicObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  const result: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(rest)) {
    const pair = renamed.find((each) => each[from] === field);
    result[pair === undefined ? field : (pair[1 - from] ?? field)] = value;
  }
  return result as unknown as DynamicObject;
}

function seen(object: Readonly<DynamicObject>, now: number): string {
  const series = objectAt(object, 'series');
  return ageText(
    textAt(series, 'lastObservedTime') ||
      textAt(object, 'lastTimestamp') ||
      textAt(object, 'eventTime'),
    now,
  );
}

const core = (object: Readonly<DynamicObject>) =>
  object.regarding === undefined ? object : rename(object as DynamicObject, 1);

/** Times that are not set are printed as null. */
function fillTimes(object: DynamicObject): void {
  const isModern = object.regarding !== undefined;
  for (const field of isModern
    ? ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp']
    : ['firstTimestamp', 'lastTimestamp']) {
    object[field] ??= null;
  }
  object.eventTime ??= null;
}

export const eventStrategy: Partial<Strategy> = {
  takesAnyFinalizer: true,
  allowsCreateOnUpdate: true,
  hasNoDependents: true,
  prepareForCreate: fillTimes,
  prepareForUpdate: fillTimes,
  validate: (object) => eventProblems(object, 'reportingComponent'),
  selectableFields: {
    'involvedObject.kind': (object) => textAt(objectAt(object, 'involvedObject'), 'kind'),
    'involvedObject.namespace': (object) => textAt(objectAt(object, 'involvedObject'), 'namespace'),
    'involvedObject.name': (object) => textAt(objectAt(object, 'involvedObject'), 'name'),
    'involvedObject.uid': (object) => textAt(objectAt(object, 'involvedObject'), 'uid'),
    'involvedObject.apiVersion': (object) =>
      textAt(objectAt(object, 'involvedObject'), 'apiVersion'),
    'involvedObject.resourceVersion': (object) =>
      textAt(objectAt(object, 'involvedObject'), 'resourceVersion'),
    'involvedObject.fieldPath': (object) => textAt(objectAt(object, 'involvedObject'), 'fieldPath'),
    reason: (object) => textAt(object, 'reason'),
    reportingComponent: (object) => textAt(object, 'reportingComponent'),
    source: (object) => textAt(objectAt(object, 'source'), 'component'),
    type: (object) => textAt(object, 'type'),
  },
  hidesNameColumn: true,
  columns: [
    column('Last Seen', (object, now) => seen(core(object), now)),
    column('Type', (object) => textAt(object, 'type')),
    column('Reason', (object) => textAt(object, 'reason')),
    column('Object', (object) => {
      const about = objectAt(core(object), 'involvedObject');
      const kind = textAt(about, 'kind').toLowerCase();
      return textAt(about, 'name') === '' ? kind : `${kind}/${textAt(about, 'name')}`;
    }),
    column('Subobject', (object) => textAt(objectAt(core(object), 'involvedObject'), 'fieldPath'), {
      priority: 1,
    }),
    column(
      'Source',
      (object) => {
        const source = objectAt(core(object), 'source');
        const parts = [
          textAt(source, 'component') || textAt(core(object), 'reportingComponent'),
          textAt(source, 'host') ||
            (textAt(source, 'component') === '' ? textAt(object, 'reportingInstance') : ''),
        ];
        return parts.filter((part) => part !== '').join(', ');
      },
      { priority: 1 },
    ),
    column('Message', (object) => textAt(core(object), 'message').trim()),
    column(
      'First Seen',
      (object, now) =>
        ageText(textAt(core(object), 'firstTimestamp') || textAt(object, 'eventTime'), now),
      { priority: 1 },
    ),
    column('Count', (object) => objectAt(object, 'series').count ?? core(object).count ?? 1, {
      priority: 1,
    }),
    { ...nameColumn, priority: 1 },
  ],
};

/** The rules of both APIs, on the core form. An event with a time of its own has to say more. */
function eventProblems(object: Readonly<DynamicObject>, controllerField: string): FieldProblem[] {
  const place = textAt(objectAt(object, 'involvedObject'), 'namespace');
  const namespace = object.metadata.namespace ?? '';
  const mismatch = invalid('involvedObject.namespace', place, 'does not match event.namespace');
  const isTimed = typeof object.eventTime === 'string';
  if (!isTimed) {
    const isWrong = place === '' ? !['', 'default'].includes(namespace) : place !== namespace;
    return isWrong ? [mismatch] : [];
  }
  const problems: FieldProblem[] = [];
  if (place === '' && namespace !== 'default' && namespace !== 'kube-system')
    problems.push(mismatch);
  const controller = textAt(object, 'reportingComponent');
  if (controller === '') problems.push(required(controllerField));
  problems.push(...textProblems(controllerField, controller, qualifiedNameProblems));
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const text = textAt(object, field);
    if (text === '') problems.push(required(field));
    if (text.length > 128) problems.push(invalid(field, '', 'can have at most 128 characters'));
  }
  if (textAt(object, 'message').length > 1024)
    problems.push(invalid('message', '', 'can have at most 1024 characters'));
  return problems;
}

function seriesProblems(object: Readonly<DynamicObject>): FieldProblem[] {
  if (object.series === undefined) return [];
  const series = objectAt(object, 'series');
  const problems: FieldProblem[] = [];
  if (!(Number(series.count ?? 0) >= 2))
    problems.push(invalid('series.count', '', 'should be at least 2'));
  if (typeof series.lastObservedTime !== 'string')
    problems.push(required('series.lastObservedTime'));
  return problems;
}

/** What the old recorder wrote and the new API has no place for. */
function retiredProblems(object: Readonly<DynamicObject>): FieldProblem[] {
  const source = objectAt(object, 'source');
  const isSet: readonly (readonly [string, boolean])[] = [
    ['firstTimestamp', typeof object.firstTimestamp === 'string'],
    ['lastTimestamp', typeof object.lastTimestamp === 'string'],
    ['count', (object.count ?? 0) !== 0],
    ['source', textAt(source, 'component') !== '' || textAt(source, 'host') !== ''],
  ];
  return isSet.filter(([, is]) => is).map(([field]) => invalid(field, '', 'needs to be unset'));
}

/** All that an event says is said once; only its series grows. */
const fixed = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

export const modernEventStrategy: Partial<Strategy> = {
  takesAnyFinalizer: true,
  ...eventStrategy,
  // The refusals of both APIs speak of the core kind.
  errorGroup: '',
  validate(object) {
    const event = rename(object, 1);
    const type = textAt(event, 'type');
    const problems = [...eventProblems(event, 'reportingController'), ...seriesProblems(event)];
    if (typeof event.eventTime !== 'string') problems.push(required('eventTime'));
    if (type !== 'Normal' && type !== 'Warning')
      problems.push(invalid('type', '', `has invalid value: ${type}`));
    return [...problems, ...retiredProblems(event)];
  },
  validateUpdate(object, old) {
    const [event, before] = [rename(object, 1), rename(old as DynamicObject, 1)];
    return [
      ...eventProblems(event, 'reportingController'),
      ...(equalJson(event.series, before.series) ? [] : seriesProblems(event)),
      ...fixed.flatMap((field) =>
        equalJson(event[field], before[field])
          ? []
          : [
              invalid(
                field === 'reportingComponent' ? 'reportingController' : field,
                event[field],
                'field is immutable',
              ),
            ],
      ),
    ];
  },
  selectableFields: modernFields(eventStrategy.selectableFields ?? {}),
  toStorage: (object) => rename(object, 1),
  fromStorage(object) {
    const event = rename(object, 0);
    for (const field of ['reportingController', 'reportingInstance']) {
      if (event[field] === '') delete event[field];
    }
    return event;
  },
};

type Selectable = NonNullable<Strategy['selectableFields']>;

/** The same fields under the names of the newer API. */
function modernFields(fields: Selectable): Selectable {
  return Object.fromEntries(
    Object.entries(fields).map(([name, read]) => [
      name
        .replace(/^involvedObject/, 'regarding')
        .replace('reportingComponent', 'reportingController'),
      (object) => read(core(object)),
    ]),
  );
}
