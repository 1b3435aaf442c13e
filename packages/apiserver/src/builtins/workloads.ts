import type { DynamicObject } from '@waygate/schema';
import { deepEqual } from '../managed/deep-equal.ts';
import { ageColumn } from '../output/base-columns.ts';
import { humanDuration } from '../output/duration-text.ts';
import type { Strategy, TableColumn } from '../resources/resource.ts';
import { selectorText } from '../rest/scale-handler.ts';
import { matcherOfObject } from '../selectors/label-selector.ts';
import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import { validateLabels } from '../validation/object-meta.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { defaultPodSpec } from './pod-template.ts';
import { podSpecProblems } from './pod-validation.ts';

function specOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'spec');
}

function podSpecOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(objectAt(specOf(object), 'template'), 'spec');
}

function statusNumber(object: Readonly<DynamicObject>, field: string): number {
  return numberAt(objectAt(object, 'status'), field) ?? 0;
}

const imageColumns: readonly TableColumn[] = [
  {
    name: 'Containers',
    type: 'string',
    priority: 1,
    cell: (object) =>
      listAt(podSpecOf(object), 'containers')
        .map((each) => each.name)
        .join(','),
  },
  {
    name: 'Images',
    type: 'string',
    priority: 1,
    cell: (object) =>
      listAt(podSpecOf(object), 'containers')
        .map((each) => each.image)
        .join(','),
  },
];

const selectorColumn: TableColumn = {
  name: 'Selector',
  type: 'string',
  priority: 1,
  cell: (object) => selectorText(specOf(object).selector) || '<none>',
};

function count(name: string, cell: (object: Readonly<DynamicObject>) => unknown): TableColumn {
  return { name, type: 'integer', cell };
}

/** What all kinds with a pod template have to keep. */
function templateProblems(
  object: DynamicObject,
  restartPolicies: readonly string[],
): FieldProblem[] {
  const spec = specOf(object);
  const problems: FieldProblem[] = [];
  const replicas = numberAt(spec, 'replicas');
  if (replicas !== undefined && replicas < 0) {
    problems.push(invalid('spec.replicas', replicas, 'must be greater than or equal to 0'));
  }
  const template = objectAt(spec, 'template');
  const labels = objectAt(objectAt(template, 'metadata'), 'labels') as Record<string, string>;
  const selector = spec.selector;
  if (restartPolicies.length === 1) problems.push(...selectorProblems(selector, labels));
  problems.push(...validateLabels(labels, 'spec.template.labels'));
  problems.push(...podSpecProblems(objectAt(template, 'spec'), 'spec.template.spec'));
  const policy = textAt(objectAt(template, 'spec'), 'restartPolicy');
  if (!restartPolicies.includes(policy) && ['Always', 'OnFailure', 'Never'].includes(policy)) {
    problems.push(notSupported('spec.template.spec.restartPolicy', policy, restartPolicies));
  }
  return problems;
}

function selectorProblems(selector: unknown, labels: Record<string, string>): FieldProblem[] {
  const mismatch = invalid(
    'spec.template.metadata.labels',
    Object.keys(labels).length === 0 ? null : labels,
    '`selector` does not match template `labels`',
  );
  if (selector === undefined || selector === null) return [required('spec.selector'), mismatch];
  const fields = selector as Fields;
  const isEmpty =
    Object.keys(objectAt(fields, 'matchLabels')).length === 0 &&
    listAt(fields, 'matchExpressions').length === 0;
  if (isEmpty)
    return [invalid('spec.selector', selector, 'empty selector is invalid for deployment')];
  return matcherOfObject(fields).matches(labels) ? [] : [mismatch];
}

function immutable(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
  path: readonly string[],
): FieldProblem[] {
  const read = (value: Readonly<DynamicObject>) =>
    path.reduce<unknown>((current, name) => (current as Fields | undefined)?.[name], value);
  if (deepEqual(read(object), read(old))) return [];
  return [invalid(path.join('.'), read(object), 'field is immutable')];
}

function dropStatus(object: DynamicObject): void {
  object.status = {};
}

const rolling = { maxUnavailable: '25%', maxSurge: '25%' };

export const deploymentStrategy: Partial<Strategy> = {
  hasGeneration: true,
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
  validate: (object) => [
    ...templateProblems(object, ['Always']),
    ...strategyProblems(specOf(object)),
  ],
  validateUpdate: (object, old) => [
    ...templateProblems(object, ['Always']),
    ...strategyProblems(specOf(object)),
    ...immutable(object, old, ['spec', 'selector']),
  ],
  columns: [
    {
      name: 'Ready',
      type: 'string',
      cell: (object) =>
        `${statusNumber(object, 'readyReplicas')}/${numberAt(specOf(object), 'replicas') ?? 0}`,
    },
    {
      name: 'Up-to-date',
      type: 'string',
      cell: (object) => statusNumber(object, 'updatedReplicas'),
    },
    {
      name: 'Available',
      type: 'string',
      cell: (object) => statusNumber(object, 'availableReplicas'),
    },
    ageColumn,
    ...imageColumns,
    selectorColumn,
  ],
};

function strategyProblems(spec: Fields): FieldProblem[] {
  const strategy = objectAt(spec, 'strategy');
  const type = textAt(strategy, 'type');
  if (type === 'Recreate') {
    return strategy.rollingUpdate === undefined
      ? []
      : [
          {
            type: 'forbidden',
            field: 'spec.strategy.rollingUpdate',
            detail: "may not be specified when strategy `type` is 'Recreate'",
          },
        ];
  }
  if (type !== 'RollingUpdate')
    return [notSupported('spec.strategy.type', type, ['Recreate', 'RollingUpdate'])];
  const { maxUnavailable, maxSurge } = objectAt(strategy, 'rollingUpdate');
  const isZero = (value: unknown) => value === 0 || value === '0%';
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    return [
      invalid(
        'spec.strategy.rollingUpdate.maxUnavailable',
        maxUnavailable,
        'may not be 0 when `maxSurge` is 0',
      ),
    ];
  }
  return [];
}

export const replicaSetStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    setDefaults(specOf(object), { replicas: 1 });
    defaultPodSpec(podSpecOf(object));
  },
  prepareForCreate(object) {
    object.status = { replicas: 0 };
  },
  validate: (object) => templateProblems(object, ['Always']),
  validateUpdate: (object, old) => [
    ...templateProblems(object, ['Always']),
    ...immutable(object, old, ['spec', 'selector']),
  ],
  selectableFields: { 'status.replicas': (object) => String(statusNumber(object, 'replicas')) },
  columns: [
    count('Desired', (object) => numberAt(specOf(object), 'replicas') ?? 0),
    count('Current', (object) => statusNumber(object, 'replicas')),
    count('Ready', (object) => statusNumber(object, 'readyReplicas')),
    ageColumn,
    ...imageColumns,
    selectorColumn,
  ],
};

export const statefulSetStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    const spec = specOf(object);
    setDefaults(spec, {
      replicas: 1,
      revisionHistoryLimit: 10,
      podManagementPolicy: 'OrderedReady',
    });
    const update = objectAt(spec, 'updateStrategy');
    setDefaults(update, { type: 'RollingUpdate' });
    if (update.type === 'RollingUpdate')
      update.rollingUpdate = { partition: 0, ...objectAt(update, 'rollingUpdate') };
    spec.updateStrategy = update;
    spec.persistentVolumeClaimRetentionPolicy ??= { whenDeleted: 'Retain', whenScaled: 'Retain' };
    defaultPodSpec(podSpecOf(object));
    for (const claim of listAt(spec, 'volumeClaimTemplates')) {
      setDefaults(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
      setDefaults(objectAt(claim, 'spec'), { volumeMode: 'Filesystem' });
      claim.status = { phase: 'Pending' };
    }
  },
  prepareForCreate(object) {
    object.status = { replicas: 0, availableReplicas: 0 };
  },
  validate: (object) => templateProblems(object, ['Always']),
  validateUpdate(object, old) {
    const allowed = [
      'replicas',
      'ordinals',
      'template',
      'updateStrategy',
      'revisionHistoryLimit',
      'persistentVolumeClaimRetentionPolicy',
      'minReadySeconds',
    ];
    const rest = (value: Readonly<DynamicObject>) =>
      Object.fromEntries(Object.entries(specOf(value)).filter(([name]) => !allowed.includes(name)));
    const problems = templateProblems(object, ['Always']);
    if (!deepEqual(rest(object), rest(old))) {
      problems.push({
        type: 'forbidden',
        field: 'spec',
        detail: `updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
      });
    }
    return problems;
  },
  columns: [
    {
      name: 'Ready',
      type: 'string',
      cell: (object) =>
        `${statusNumber(object, 'readyReplicas')}/${numberAt(specOf(object), 'replicas') ?? 0}`,
    },
    ageColumn,
    ...imageColumns,
  ],
};

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
    defaultPodSpec(podSpecOf(object));
  },
  prepareForCreate(object) {
    object.metadata.annotations = {
      'deprecated.daemonset.template.generation': '1',
      ...object.metadata.annotations,
    };
    object.status = {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    };
  },
  validate: (object) => templateProblems(object, ['Always']),
  validateUpdate: (object, old) => [
    ...templateProblems(object, ['Always']),
    ...immutable(object, old, ['spec', 'selector']),
  ],
  columns: [
    count('Desired', (object) => statusNumber(object, 'desiredNumberScheduled')),
    count('Current', (object) => statusNumber(object, 'currentNumberScheduled')),
    count('Ready', (object) => statusNumber(object, 'numberReady')),
    count('Up-to-date', (object) => statusNumber(object, 'updatedNumberScheduled')),
    count('Available', (object) => statusNumber(object, 'numberAvailable')),
    {
      name: 'Node Selector',
      type: 'string',
      cell: (object) => selectorText(podSpecOf(object).nodeSelector ?? {}) || '<none>',
    },
    ageColumn,
    ...imageColumns,
    selectorColumn,
  ],
};

function defaultJobSpec(spec: Fields): void {
  setDefaults(spec, {
    completionMode: 'NonIndexed',
    backoffLimit: 6,
    suspend: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
  if (spec.completions === undefined && spec.parallelism === undefined) {
    spec.completions = 1;
    spec.parallelism = 1;
  }
  spec.parallelism ??= 1;
  defaultPodSpec(objectAt(objectAt(spec, 'template'), 'spec'));
}

export const jobStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    defaultJobSpec(specOf(object));
  },
  prepareForCreate(object) {
    const spec = specOf(object);
    dropStatus(object);
    if (spec.manualSelector === true) return;
    spec.manualSelector ??= false;
    const uid = object.metadata.uid as string;
    const template = objectAt(spec, 'template');
    const metadata = objectAt(template, 'metadata');
    const name = object.metadata.name as string;
    metadata.labels = {
      ...objectAt(metadata, 'labels'),
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    };
    template.metadata = metadata;
    spec.selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  },
  validate: (object) => templateProblems(object, ['OnFailure', 'Never']),
  validateUpdate: (object, old) => [
    ...templateProblems(object, ['OnFailure', 'Never']),
    ...immutable(object, old, ['spec', 'completions']),
    ...immutable(object, old, ['spec', 'selector']),
    ...immutable(object, old, ['spec', 'template']),
    ...immutable(object, old, ['spec', 'completionMode']),
  ],
  selectableFields: { 'status.successful': (object) => String(statusNumber(object, 'succeeded')) },
  columns: [
    { name: 'Status', type: 'string', cell: (object) => jobState(object) },
    {
      name: 'Completions',
      type: 'string',
      cell: (object) =>
        `${statusNumber(object, 'succeeded')}/${numberAt(specOf(object), 'completions') ?? 1}`,
    },
    {
      name: 'Duration',
      type: 'string',
      cell(object, now) {
        const status = objectAt(object, 'status');
        const start = textAt(status, 'startTime');
        if (start === '') return '';
        const end = textAt(status, 'completionTime');
        return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start));
      },
    },
    ageColumn,
    ...imageColumns,
    selectorColumn,
  ],
};

function jobState(object: Readonly<DynamicObject>): string {
  const conditions = listAt(objectAt(object, 'status'), 'conditions');
  const has = (type: string) =>
    conditions.some((each) => each.type === type && each.status === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return has('Suspended') ? 'Suspended' : 'Running';
}

export const cronJobStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    const spec = specOf(object);
    setDefaults(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    const template = objectAt(objectAt(spec, 'jobTemplate'), 'spec');
    defaultPodSpec(objectAt(objectAt(template, 'template'), 'spec'));
  },
  prepareForCreate: dropStatus,
  validate(object) {
    const spec = specOf(object);
    const problems: FieldProblem[] = [];
    const schedule = textAt(spec, 'schedule');
    if (schedule === '') problems.push(required('spec.schedule'));
    else if (!schedule.startsWith('@') && schedule.trim().split(/\s+/).length !== 5) {
      const fields = schedule.trim().split(/\s+/).length;
      problems.push(
        invalid(
          'spec.schedule',
          schedule,
          `expected exactly 5 fields, found ${fields}: [${schedule.trim().split(/\s+/).join(' ')}]`,
        ),
      );
    }
    const policy = textAt(spec, 'concurrencyPolicy');
    if (!['Allow', 'Forbid', 'Replace'].includes(policy)) {
      problems.push(notSupported('spec.concurrencyPolicy', policy, ['Allow', 'Forbid', 'Replace']));
    }
    const podSpec = objectAt(
      objectAt(objectAt(objectAt(spec, 'jobTemplate'), 'spec'), 'template'),
      'spec',
    );
    problems.push(...podSpecProblems(podSpec, 'spec.jobTemplate.spec.template.spec'));
    const restart = textAt(podSpec, 'restartPolicy');
    if (restart === 'Always') {
      problems.push(
        notSupported('spec.jobTemplate.spec.template.spec.restartPolicy', restart, [
          'OnFailure',
          'Never',
        ]),
      );
    }
    return problems;
  },
  columns: [
    { name: 'Schedule', type: 'string', cell: (object) => textAt(specOf(object), 'schedule') },
    {
      name: 'Timezone',
      type: 'string',
      cell: (object) => textAt(specOf(object), 'timeZone') || '<none>',
    },
    {
      name: 'Suspend',
      type: 'string',
      cell: (object) => (specOf(object).suspend === true ? 'True' : 'False'),
    },
    {
      name: 'Active',
      type: 'integer',
      cell: (object) => listAt(objectAt(object, 'status'), 'active').length,
    },
    {
      name: 'Last Schedule',
      type: 'string',
      cell(object, now) {
        const last = textAt(objectAt(object, 'status'), 'lastScheduleTime');
        return last === '' ? '<none>' : humanDuration(now - Date.parse(last));
      },
    },
    ageColumn,
  ],
};
