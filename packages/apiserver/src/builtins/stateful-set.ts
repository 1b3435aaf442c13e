import type { DynamicObject } from '@waygate/schema';
import { dnsLabelProblems, equalJson } from '@waygate/text';
import { ageColumn } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, forbidden, invalid, notSupported } from '../status/field-problem.ts';
import { claimSpecProblems } from './claim-rules.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { podTemplateProblems } from './pod-spec-rules.ts';
import { defaultPodSpec } from './pod-template.ts';
import { nonNegative, textProblems } from './rule.ts';
import { isEmptySelector, isParsable } from './selector-rules.ts';
import {
  alwaysProblems,
  imageColumns,
  labelMatchProblems,
  podSpecOf,
  readyColumn,
  specOf,
  templateOf,
  templateWarnings,
  workloadSelectorProblems,
} from './workload.ts';

export const statefulSetStrategy: Partial<Strategy> = {
  hasGeneration: true,
  nameProblems: dnsLabelProblems,
  applyDefaults(object) {
    const spec = specOf(object);
    setDefaults(spec, {
      replicas: 1,
      revisionHistoryLimit: 10,
      podManagementPolicy: 'OrderedReady',
    });
    const update = objectAt(spec, 'updateStrategy');
    if (textAt(update, 'type') === '') {
      update.type = 'RollingUpdate';
      update.rollingUpdate ??= {};
    }
    if (update.type === 'RollingUpdate' && update.rollingUpdate !== undefined)
      setDefaults(objectAt(update, 'rollingUpdate'), { partition: 0 });
    spec.updateStrategy = update;
    const retention = objectAt(spec, 'persistentVolumeClaimRetentionPolicy');
    setDefaults(retention, { whenDeleted: 'Retain', whenScaled: 'Retain' });
    spec.persistentVolumeClaimRetentionPolicy = retention;
    // Of how many may be down at once nothing is kept, unless a gate is open that is closed here.
    delete objectAt(objectAt(spec, 'updateStrategy'), 'rollingUpdate').maxUnavailable;
    defaultPodSpec(podSpecOf(object));
    for (const claim of listAt(spec, 'volumeClaimTemplates')) {
      setDefaults(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
      setDefaults(objectAt(claim, 'spec'), { volumeMode: 'Filesystem' });
      claim.status = { phase: 'Pending', ...objectAt(claim, 'status') };
    }
  },
  prepareForCreate(object) {
    object.status = { replicas: 0, availableReplicas: 0 };
  },
  validate: (object) => specProblems(object, true),
  validateUpdate: (object, old) => [...specProblems(object, false), ...frozenProblems(object, old)],
  validateStatusUpdate: statusProblems,
  warnings: templateWarnings,
  columns: [readyColumn, ageColumn, ...imageColumns],
};

const policies = ['OrderedReady', 'Parallel'];

function specProblems(object: DynamicObject, isNew: boolean): FieldProblem[] {
  const spec = specOf(object);
  const policy = textAt(spec, 'podManagementPolicy');
  const service = textAt(spec, 'serviceName');
  return [
    ...(policies.includes(policy)
      ? []
      : [invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...updateStrategyProblems(objectAt(spec, 'updateStrategy')),
    ...retentionProblems(objectAt(spec, 'persistentVolumeClaimRetentionPolicy')),
    ...(isNew
      ? listAt(spec, 'volumeClaimTemplates').flatMap((claim, index) =>
          claimSpecProblems(objectAt(claim, 'spec'), `spec.volumeClaimTemplates[${index}].spec`),
        )
      : []),
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.ordinals.start', objectAt(spec, 'ordinals').start),
    ...(isNew && service !== '' ? textProblems('spec.serviceName', service, dnsLabelProblems) : []),
    ...workloadSelectorProblems(spec.selector, 'statefulset'),
    ...templateProblems(object),
    ...alwaysProblems(templateOf(object), 'StatefulSet'),
  ];
}

function updateStrategyProblems(update: Fields): FieldProblem[] {
  const field = 'spec.updateStrategy';
  const type = textAt(update, 'type');
  const rolling = update.rollingUpdate;
  const at = `${field}.rollingUpdate`;
  if (type === 'OnDelete') {
    if (rolling === undefined) return [];
    const { partition } = objectAt(update, 'rollingUpdate');
    const shown = { Partition: partition ?? 0, MaxUnavailable: null };
    return [invalid(at, shown, "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type !== 'RollingUpdate') {
    const shown = { Type: type, RollingUpdate: null };
    return [invalid(field, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  if (rolling === undefined) return [];
  return nonNegative(`${at}.partition`, objectAt(update, 'rollingUpdate').partition);
}

function retentionProblems(policy: Fields): FieldProblem[] {
  return ['whenDeleted', 'whenScaled'].flatMap((name) => {
    const value = textAt(policy, name);
    const field = `spec.persistentVolumeClaimRetentionPolicy.${name}`;
    return ['Retain', 'Delete'].includes(value)
      ? []
      : [notSupported(field, value, ['Retain', 'Delete'])];
  });
}

/** The claims of the set are volumes of its pods; host names are the controller's to give. */
function templateProblems(object: DynamicObject): FieldProblem[] {
  const spec = specOf(object);
  const { selector } = spec;
  if (selector !== undefined && !isParsable(selector))
    return [invalid('spec.selector', selector, '')];
  const template = structuredClone(templateOf(object));
  const podSpec = objectAt(template, 'spec');
  delete podSpec.hostname;
  delete podSpec.subdomain;
  const claims = listAt(spec, 'volumeClaimTemplates').map((claim) =>
    textAt(objectAt(claim, 'metadata'), 'name'),
  );
  if (claims.length > 0) {
    podSpec.volumes = [
      ...claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
      ...listAt(podSpec, 'volumes').filter((volume) => !claims.includes(textAt(volume, 'name'))),
    ];
  }
  return [
    ...(selector !== undefined && isEmptySelector(selector)
      ? []
      : labelMatchProblems(selector, template)),
    ...podTemplateProblems(template, 'spec.template'),
  ];
}

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function frozenProblems(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[] {
  const rest = (value: Readonly<DynamicObject>) =>
    Object.fromEntries(
      Object.entries(specOf(value)).filter(([name]) => !changeable.includes(name)),
    );
  if (equalJson(rest(object), rest(old))) return [];
  const why =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return [forbidden('spec', why)];
}

function statusProblems(object: DynamicObject): FieldProblem[] {
  const status = objectAt(object, 'status');
  const read = (name: string) => numberAt(status, name) ?? 0;
  const counts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];
  const problems = ['replicas', ...counts, 'observedGeneration', 'collisionCount'].flatMap((name) =>
    nonNegative(`status.${name}`, status[name]),
  );
  for (const name of counts) {
    if (read(name) > read('replicas')) {
      const why = 'cannot be greater than status.replicas';
      problems.push(invalid(`status.${name}`, read(name), why));
    }
  }
  if (read('availableReplicas') > read('readyReplicas')) {
    const why = 'cannot be greater than status.readyReplicas';
    problems.push(invalid('status.availableReplicas', read('availableReplicas'), why));
  }
  return problems;
}
