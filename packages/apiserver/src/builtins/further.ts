import type { DynamicObject } from '@waygate/schema';
import { ageColumn } from '../output/base-columns.ts';
import type { Strategy, TableColumn } from '../resources/resource.ts';
import { selectorText } from '../rest/scale-handler.ts';
import { type FieldProblem, invalid, required } from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { defaultPodSpec } from './pod-template.ts';

function specOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'spec');
}

function statusOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'status');
}

function column(name: string, cell: TableColumn['cell'], priority = 0): TableColumn {
  return { name, type: 'string', priority, cell };
}

export const serviceAccountStrategy: Partial<Strategy> = {
  columns: [column('Secrets', (object) => listAt(object, 'secrets').length), ageColumn],
};

export const networkPolicyStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    const spec = specOf(object);
    for (const direction of ['ingress', 'egress']) {
      for (const rule of listAt(spec, direction)) {
        for (const port of listAt(rule, 'ports')) setDefaults(port, { protocol: 'TCP' });
      }
    }
    if (spec.policyTypes === undefined) {
      spec.policyTypes = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    }
  },
  columns: [
    column('Pod-Selector', (object) => selectorText(specOf(object).podSelector) || '<none>'),
    ageColumn,
  ],
};

export const claimStrategy: Partial<Strategy> = {
  applyDefaults(object) {
    setDefaults(specOf(object), { volumeMode: 'Filesystem' });
  },
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
    object.metadata.finalizers = [
      ...new Set([...(object.metadata.finalizers ?? []), 'kubernetes.io/pvc-protection']),
    ];
  },
  validate(object) {
    const spec = specOf(object);
    const problems: FieldProblem[] = [];
    if (((spec.accessModes ?? []) as string[]).length === 0)
      problems.push(required('spec.accessModes', 'at least 1 access mode is required'));
    if (objectAt(objectAt(spec, 'resources'), 'requests').storage === undefined)
      problems.push(required('spec.resources[storage]'));
    return problems;
  },
  columns: [
    column('Status', (object) => textAt(statusOf(object), 'phase')),
    column('Volume', (object) => textAt(specOf(object), 'volumeName')),
    column('Capacity', (object) => textAt(objectAt(statusOf(object), 'capacity'), 'storage')),
    column('Access Modes', (object) =>
      ((statusOf(object).accessModes ?? []) as string[]).map(accessMode).join(','),
    ),
    column('StorageClass', (object) => textAt(specOf(object), 'storageClassName')),
    column(
      'VolumeAttributesClass',
      (object) => textAt(specOf(object), 'volumeAttributesClassName') || '<unset>',
    ),
    ageColumn,
    column('VolumeMode', (object) => textAt(specOf(object), 'volumeMode'), 1),
  ],
};

function accessMode(mode: string): string {
  return (
    { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' }[
      mode
    ] ?? mode
  );
}

export const volumeStrategy: Partial<Strategy> = {
  applyDefaults(object) {
    setDefaults(specOf(object), {
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
    });
  },
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
    object.metadata.finalizers = [
      ...new Set([...(object.metadata.finalizers ?? []), 'kubernetes.io/pv-protection']),
    ];
  },
  columns: [
    column('Capacity', (object) => textAt(objectAt(specOf(object), 'capacity'), 'storage')),
    column('Access Modes', (object) =>
      ((specOf(object).accessModes ?? []) as string[]).map(accessMode).join(','),
    ),
    column('Reclaim Policy', (object) => textAt(specOf(object), 'persistentVolumeReclaimPolicy')),
    column('Status', (object) => textAt(statusOf(object), 'phase')),
    column('Claim', (object) => {
      const claim = objectAt(specOf(object), 'claimRef');
      return textAt(claim, 'name') === ''
        ? ''
        : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
    }),
    column('StorageClass', (object) => textAt(specOf(object), 'storageClassName')),
    ageColumn,
  ],
};

export const nodeStrategy: Partial<Strategy> = {
  selectableFields: {
    'spec.unschedulable': (object) => String(specOf(object).unschedulable === true),
  },
  columns: [
    column('Status', (object) => {
      const ready = listAt(statusOf(object), 'conditions').find((each) => each.type === 'Ready');
      const state =
        ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
      return specOf(object).unschedulable === true ? `${state},SchedulingDisabled` : state;
    }),
    column('Roles', (object) => {
      const prefix = 'node-role.kubernetes.io/';
      const roles = Object.keys(object.metadata.labels ?? {})
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length));
      return roles.length === 0 ? '<none>' : roles.sort().join(',');
    }),
    ageColumn,
    column('Version', (object) => textAt(objectAt(statusOf(object), 'nodeInfo'), 'kubeletVersion')),
  ],
};

export const replicationControllerStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    const spec = specOf(object);
    setDefaults(spec, { replicas: 1 });
    const template = objectAt(spec, 'template');
    const labels = objectAt(objectAt(template, 'metadata'), 'labels');
    if (spec.selector === undefined && Object.keys(labels).length > 0)
      spec.selector = { ...labels };
    if (Object.keys(template).length > 0) defaultPodSpec(objectAt(template, 'spec'));
  },
  prepareForCreate(object) {
    object.status = { replicas: 0 };
  },
  columns: [
    column('Desired', (object) => numberAt(specOf(object), 'replicas') ?? 0),
    column('Current', (object) => numberAt(statusOf(object), 'replicas') ?? 0),
    column('Ready', (object) => numberAt(statusOf(object), 'readyReplicas') ?? 0),
    ageColumn,
  ],
};

export const disruptionBudgetStrategy: Partial<Strategy> = {
  hasGeneration: true,
  prepareForCreate(object) {
    object.status = {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    };
  },
  validate(object) {
    const spec = specOf(object);
    if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
      return [invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')];
    }
    return [];
  },
  columns: [
    column('Min Available', (object) => String(specOf(object).minAvailable ?? 'N/A')),
    column('Max Unavailable', (object) => String(specOf(object).maxUnavailable ?? 'N/A')),
    column(
      'Allowed Disruptions',
      (object) => numberAt(statusOf(object), 'disruptionsAllowed') ?? 0,
    ),
    ageColumn,
  ],
};

export const storageClassStrategy: Partial<Strategy> = {
  applyDefaults(object) {
    setDefaults(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
  },
  columns: [
    column('Provisioner', (object) => textAt(object, 'provisioner')),
    column('ReclaimPolicy', (object) => textAt(object, 'reclaimPolicy') || 'Delete'),
    column('VolumeBindingMode', (object) => textAt(object, 'volumeBindingMode') || 'Immediate'),
    column('AllowVolumeExpansion', (object) => object.allowVolumeExpansion === true),
    ageColumn,
  ],
};

export const priorityClassStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    setDefaults(object, { preemptionPolicy: 'PreemptLowerPriority' });
  },
  columns: [
    column('Value', (object) => numberAt(object, 'value') ?? 0),
    column('Global-Default', (object) => object.globalDefault === true),
    ageColumn,
    column('PreemptionPolicy', (object) => textAt(object, 'preemptionPolicy')),
  ],
};

export const quotaStrategy: Partial<Strategy> = {
  prepareForCreate(object) {
    object.status = {};
  },
  columns: [
    column('Request', (object) => quotaText(object, false)),
    column('Limit', (object) => quotaText(object, true)),
    ageColumn,
  ],
};

function quotaText(object: Readonly<DynamicObject>, isLimit: boolean): string {
  const hard = objectAt(statusOf(object), 'hard');
  const used = objectAt(statusOf(object), 'used');
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith('limits') === isLimit)
    .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
    .join(', ');
}

export const policyStrategy: Partial<Strategy> = {
  hasGeneration: true,
  allowsUnconditionalUpdate: false,
  applyDefaults(object) {
    const spec = specOf(object);
    if (spec.validations !== undefined || spec.matchConstraints !== undefined) {
      setDefaults(spec, { failurePolicy: 'Fail' });
    }
    for (const match of [objectAt(spec, 'matchConstraints'), objectAt(spec, 'matchResources')]) {
      if (Object.keys(match).length === 0) continue;
      setDefaults(match, { namespaceSelector: {}, objectSelector: {}, matchPolicy: 'Equivalent' });
      for (const rule of listAt(match, 'resourceRules')) setDefaults(rule, { scope: '*' });
    }
  },
};

export const autoscalerStrategy: Partial<Strategy> = {
  applyDefaults(object) {
    setDefaults(specOf(object), { minReplicas: 1 });
  },
  columns: [
    column('Reference', (object) => {
      const target = objectAt(specOf(object), 'scaleTargetRef');
      return `${textAt(target, 'kind')}/${textAt(target, 'name')}`;
    }),
    column('MinPods', (object) => String(numberAt(specOf(object), 'minReplicas') ?? '<unset>')),
    column('MaxPods', (object) => numberAt(specOf(object), 'maxReplicas') ?? 0),
    column('Replicas', (object) => numberAt(statusOf(object), 'currentReplicas') ?? 0),
    ageColumn,
  ],
};
