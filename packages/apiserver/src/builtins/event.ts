import type { DynamicObject } from '@waygate/schema';
import { nameColumn } from '../output/base-columns.ts';
import { age } from '../output/duration-text.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid, required } from '../status/field-problem.ts';
import { objectAt, textAt } from './fields.ts';

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
  return age(
    textAt(series, 'lastObservedTime') ||
      textAt(object, 'lastTimestamp') ||
      textAt(object, 'eventTime') ||
      object.metadata.creationTimestamp,
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
  allowsCreateOnUpdate: true,
  prepareForCreate: fillTimes,
  prepareForUpdate: fillTimes,
  validate(object) {
    const place = textAt(objectAt(object, 'involvedObject'), 'namespace');
    const namespace = object.metadata.namespace ?? '';
    if (place === '' ? namespace !== 'default' && namespace !== '' : place !== namespace) {
      return [invalid('involvedObject.namespace', place, 'does not match event.namespace')];
    }
    return [];
  },
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
    { name: 'Last Seen', type: 'string', cell: (object, now) => seen(core(object), now) },
    { name: 'Type', type: 'string', cell: (object) => textAt(object, 'type') },
    { name: 'Reason', type: 'string', cell: (object) => textAt(object, 'reason') },
    {
      name: 'Object',
      type: 'string',
      cell(object) {
        const about = objectAt(core(object), 'involvedObject');
        const kind = textAt(about, 'kind').toLowerCase();
        return textAt(about, 'name') === '' ? kind : `${kind}/${textAt(about, 'name')}`;
      },
    },
    {
      name: 'Subobject',
      type: 'string',
      priority: 1,
      cell: (object) => textAt(objectAt(core(object), 'involvedObject'), 'fieldPath'),
    },
    {
      name: 'Source',
      type: 'string',
      priority: 1,
      cell(object) {
        const source = objectAt(core(object), 'source');
        const parts = [
          textAt(source, 'component') || textAt(core(object), 'reportingComponent'),
          textAt(source, 'host'),
        ];
        return parts.filter((part) => part !== '').join(', ');
      },
    },
    { name: 'Message', type: 'string', cell: (object) => textAt(core(object), 'message').trim() },
    {
      name: 'First Seen',
      type: 'string',
      priority: 1,
      cell: (object, now) =>
        age(
          textAt(core(object), 'firstTimestamp') ||
            textAt(object, 'eventTime') ||
            object.metadata.creationTimestamp,
          now,
        ),
    },
    { name: 'Count', type: 'string', priority: 1, cell: (object) => core(object).count ?? 1 },
    { ...nameColumn, priority: 1 },
  ],
};

export const modernEventStrategy: Partial<Strategy> = {
  ...eventStrategy,
  validate(object) {
    const problems: FieldProblem[] = [];
    const place = textAt(objectAt(object, 'regarding'), 'namespace');
    const namespace = object.metadata.namespace ?? '';
    if (place === '' ? namespace !== 'default' : place !== namespace) {
      problems.push(invalid('involvedObject.namespace', place, 'does not match event.namespace'));
    }
    if (object.eventTime === null || object.eventTime === undefined)
      problems.push(required('eventTime'));
    for (const [field, name] of [
      ['reportingController', 'reportingController'],
      ['reportingInstance', 'reportingInstance'],
      ['action', 'action'],
      ['reason', 'reason'],
    ] as const) {
      if (textAt(object, field) === '') problems.push(required(name));
    }
    if (!['Normal', 'Warning'].includes(textAt(object, 'type')))
      problems.push(invalid('type', textAt(object, 'type'), ''));
    return problems;
  },
  toStorage: (object) => rename(object, 1),
  fromStorage: (object) => rename(object, 0),
};
