import type { DynamicObject } from '@waygate/schema';
import { equalJson, labelValueProblems, qualifiedNameProblems } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { selectorText } from '../selectors/selector-text.ts';
import { type FieldProblem, forbidden } from '../status/field-problem.ts';
import { cidrProblems } from './address-rules.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { podTemplateProblems } from './pod-spec-rules.ts';
import { defaultPodSpec } from './pod-template.ts';
import { oneOf, textProblems } from './rule.ts';
import { immutable } from './workload.ts';

function specOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'spec');
}

function statusOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'status');
}

export const serviceAccountStrategy: Partial<Strategy> = {
  columns: [ageColumn],
};

function addressOf(node: Readonly<DynamicObject>, type: string): string {
  const found = listAt(statusOf(node), 'addresses').find((each) => each.type === type);
  return textAt(found, 'address') || '<none>';
}

function infoOf(node: Readonly<DynamicObject>, field: string): string {
  return textAt(objectAt(statusOf(node), 'nodeInfo'), field) || '<unknown>';
}

export const podTemplateStrategy: Partial<Strategy> = {
  hasGeneration: true,
  applyDefaults(object) {
    defaultPodSpec(objectAt(objectAt(object, 'template'), 'spec'));
  },
  validate: (object) => podTemplateProblems(objectAt(object, 'template'), 'template'),
  columns: [
    column('Containers', (object) => containerText(object, 'name')),
    column('Images', (object) => containerText(object, 'image')),
    column(
      'Pod Labels',
      (object) =>
        selectorText(objectAt(objectAt(objectAt(object, 'template'), 'metadata'), 'labels')) ||
        '<none>',
    ),
  ],
};

function containerText(object: Readonly<DynamicObject>, field: string): string {
  return listAt(objectAt(objectAt(object, 'template'), 'spec'), 'containers')
    .map((each) => each[field])
    .join(',');
}

/** A node that has just come is not ready, and says so to schedulers. */
const notReadyTaint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const nodeStrategy: Partial<Strategy> = {
  applyDefaults(object) {
    const status = statusOf(object);
    if (status.capacity !== undefined && status.allocatable === undefined)
      status.allocatable = { ...objectAt(status, 'capacity') };
    const spec = specOf(object);
    const first = textAt(spec, 'podCIDR');
    // The first of the list is the one that stands alone, which decides.
    if (first !== '' && rangesOf(object)[0] !== first) spec.podCIDRs = [first];
  },
  prepareForCreate(object) {
    const spec = specOf(object);
    const taints = listAt(spec, 'taints');
    const isTainted = taints.some(
      (each) => each.key === notReadyTaint.key && each.effect === notReadyTaint.effect,
    );
    if (!isTainted) object.spec = { ...spec, taints: [...taints, { ...notReadyTaint }] };
  },
  validate: nodeProblems,
  validateUpdate: (object, old) => [
    ...nodeProblems(object),
    // Once they are given, the addresses of its pods are what they are.
    ...(rangesOf(old).length > 0 && !equalJson(rangesOf(old), rangesOf(object))
      ? [forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')]
      : []),
  ],
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
      const labels = object.metadata.labels ?? {};
      const roles = Object.keys(labels)
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length));
      const all = new Set([...roles, labels['kubernetes.io/role'] ?? '']);
      all.delete('');
      return all.size === 0 ? '<none>' : [...all].sort().join(',');
    }),
    ageColumn,
    column('Version', (object) => textAt(objectAt(statusOf(object), 'nodeInfo'), 'kubeletVersion')),
    column('Internal-IP', (object) => addressOf(object, 'InternalIP'), { priority: 1 }),
    column('External-IP', (object) => addressOf(object, 'ExternalIP'), { priority: 1 }),
    column('OS-Image', (object) => infoOf(object, 'osImage'), { priority: 1 }),
    column('Kernel-Version', (object) => infoOf(object, 'kernelVersion'), { priority: 1 }),
    column('Container-Runtime', (object) => infoOf(object, 'containerRuntimeVersion'), {
      priority: 1,
    }),
  ],
};

function rangesOf(node: Readonly<DynamicObject>): readonly string[] {
  return (specOf(node).podCIDRs ?? []) as string[];
}

function nodeProblems(object: Readonly<DynamicObject>): FieldProblem[] {
  const taints = listAt(specOf(object), 'taints');
  return [
    ...listAt(specOf(object), 'taints').flatMap((taint, index) => {
      const at = `metadata.taints[${index}]`;
      return [
        ...textProblems(`${at}.key`, textAt(taint, 'key'), qualifiedNameProblems),
        ...textProblems(`${at}.value`, textAt(taint, 'value'), labelValueProblems),
        ...oneOf(`${at}.effect`, taint.effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
      ];
    }),
    ...((specOf(object).podCIDRs ?? []) as string[]).flatMap((range, index) =>
      cidrProblems(range, `spec.podCIDRs[${index}]`),
    ),
    ...taints.flatMap(({ key, value, effect }, index): FieldProblem[] => {
      const isSame = (other: Fields) => other.key === key && other.effect === effect;
      if (taints.findIndex(isSame) === index) return [];
      const detail = 'taints must be unique by key and effect pair';
      const shown = { Key: key, Value: value ?? '', Effect: effect, TimeAdded: null };
      return [{ type: 'duplicate', field: `metadata.taints[${index}]`, value: shown, detail }];
    }),
  ];
}

const highestPriority = 1_000_000_000;

/** The classes of the system; nobody else may use names like theirs. */
export const systemPriorityValues: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

function systemProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const expected = systemPriorityValues[name];
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export const priorityClassStrategy: Partial<Strategy> = {
  validate(object) {
    const value = numberAt(object, 'value') ?? 0;
    const name = object.metadata.name ?? '';
    const problems: FieldProblem[] = [];
    if (name.startsWith('system-')) {
      const error = systemProblem(name, value, object.globalDefault === true);
      const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${error}`;
      if (error !== undefined) problems.push(forbidden('metadata.name', why));
    } else if (value > highestPriority) {
      const why = `maximum allowed value of a user defined priority is ${highestPriority}`;
      problems.push(forbidden('value', why));
    }
    return [
      ...problems,
      ...oneOf('preemptionPolicy', object.preemptionPolicy, ['PreemptLowerPriority', 'Never']),
    ];
  },
  validateUpdate: (object, old) => [
    ...(object.value === old.value ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...immutable(object, old, ['preemptionPolicy']),
  ],
  // It begins with 1 as others do, and stays there.
  prepareForCreate(object) {
    object.metadata.generation = 1;
  },
  applyDefaults(object) {
    object.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  columns: [
    column('Value', (object) => numberAt(object, 'value') ?? 0, { type: 'integer' }),
    column('Global-Default', (object) => object.globalDefault === true, { type: 'boolean' }),
    ageColumn,
    column('PreemptionPolicy', (object) => textAt(object, 'preemptionPolicy')),
  ],
};
