import type { DynamicObject } from '@waygate/schema';
import { Quantity } from '@waygate/schema';
import { dnsSubdomainProblems, equalJson, goJson } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import {
  accessModeProblems,
  claimSpecProblems,
  settleDataSource,
  volumeModes,
} from './claim-rules.ts';
import { type Fields, listAt, objectAt, setDefaults, textAt, textsAt } from './fields.ts';
import { internalForm } from './internal-form.ts';
import { nodeSelectorProblems } from './pod-scheduling-rules.ts';
import { nodeTermWarnings } from './pod-warnings.ts';
import { quantityOf } from './resource-rules.ts';
import { textProblems } from './rule.ts';
import { unifiedDiff } from './unified-diff.ts';
import { mountOptionProblems, volumeSourceProblems } from './volume-source-rules.ts';
import { specOf } from './workload.ts';

function statusOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'status');
}

const modeNames: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

function claimWarnings(object: DynamicObject): string[] {
  const storage = objectAt(objectAt(specOf(object), 'resources'), 'requests').storage;
  return [
    ...(object.metadata.annotations?.[classAnnotation] === undefined
      ? []
      : [
          `metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
        ]),
    ...(storage !== undefined && quantityOf(storage).milliValue() % 1000n !== 0n
      ? [
          `spec.resources.requests[storage]: fractional byte value ${JSON.stringify(storage)} is invalid, must be an integer`,
        ]
      : []),
  ];
}

function modesText(modes: unknown): string {
  return ((modes ?? []) as string[]).map((mode) => modeNames[mode] ?? mode).join(',');
}

function protect(object: DynamicObject, finalizer: string): void {
  object.metadata.finalizers = [...new Set([...(object.metadata.finalizers ?? []), finalizer])];
}

export const claimStrategy: Partial<Strategy> = {
  applyDefaults(object) {
    // An empty one is one that is wrong.
    specOf(object).volumeMode ??= 'Filesystem';
    object.status = { phase: 'Pending', ...objectAt(object, 'status') };
  },
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
    settleDataSource(specOf(object));
    protect(object, 'kubernetes.io/pvc-protection');
  },
  validate: (object) => claimSpecProblems(specOf(object), 'spec'),
  warnings: claimWarnings,
  validateUpdate: (object, old) => [
    ...claimSpecProblems(specOf(object), 'spec'),
    ...claimChangeProblems(object, old),
  ],
  columns: [
    column('Status', (object) =>
      object.metadata.deletionTimestamp === undefined
        ? textAt(statusOf(object), 'phase')
        : 'Terminating',
    ),
    column('Volume', (object) => textAt(specOf(object), 'volumeName')),
    column('Capacity', (object) => textAt(objectAt(statusOf(object), 'capacity'), 'storage')),
    column('Access Modes', (object) => modesText(statusOf(object).accessModes)),
    column('StorageClass', (object) => textAt(specOf(object), 'storageClassName')),
    column(
      'VolumeAttributesClass',
      (object) => textAt(specOf(object), 'volumeAttributesClassName') || '<unset>',
    ),
    ageColumn,
    column('VolumeMode', (object) => textAt(specOf(object), 'volumeMode'), { priority: 1 }),
  ],
};

/** A claim is what it was; only a bound one may ask for more. */
function claimChangeProblems(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[] {
  const next = structuredClone(specOf(object));
  const before = structuredClone(specOf(old));
  const isBound = textAt(statusOf(object), 'phase') === 'Bound';
  if (textAt(before, 'volumeName') === '' && next.volumeName !== undefined)
    before.volumeName = next.volumeName;
  if (before.storageClassName === undefined && next.storageClassName !== undefined)
    before.storageClassName = next.storageClassName;
  const storageOf = (spec: Fields) => objectAt(objectAt(spec, 'resources'), 'requests').storage;
  const [nextSize, oldSize] = [storageOf(next), storageOf(before)];
  if (isBound) {
    objectAt(objectAt(next, 'resources'), 'requests').storage = oldSize;
    next.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  const problems: FieldProblem[] = [];
  if (!equalJson(clean(next), clean(before))) {
    const print = (spec: Fields) =>
      goJson(internalForm('PersistentVolumeClaimSpec', spec), { indent: 1 });
    const why =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    problems.push(forbidden('spec', `${why}\n${unifiedDiff(print(before), print(next))}`));
  }
  const isSmaller = quantityOf(nextSize ?? 0).compare(quantityOf(oldSize ?? 0)) < 0;
  const capacity = objectAt(statusOf(old), 'capacity').storage ?? 0;
  if (isSmaller && quantityOf(nextSize ?? 0).compare(quantityOf(capacity)) <= 0) {
    const why = 'field can not be less than status.capacity';
    problems.push(forbidden('spec.resources.requests.storage', why));
  }
  if (specOf(object).volumeMode !== specOf(old).volumeMode)
    problems.push(invalid('volumeMode', specOf(object).volumeMode, 'field is immutable'));
  return problems;
}

function clean(spec: Fields): Fields {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}

export const volumeStrategy: Partial<Strategy> = {
  applyDefaults(object) {
    setDefaults(specOf(object), {
      persistentVolumeReclaimPolicy: 'Retain',
    });
    specOf(object).volumeMode ??= 'Filesystem';
    object.status = { phase: 'Pending', ...objectAt(object, 'status') };
    const path = objectAt(specOf(object), 'hostPath');
    if (Object.keys(path).length > 0) path.type ??= '';
  },
  prepareForCreate(object, { now }) {
    const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
    object.status = { phase: 'Pending', lastPhaseTransitionTime: time };
    protect(object, 'kubernetes.io/pv-protection');
  },
  validate: (object) => [
    ...volumeProblems(specOf(object)),
    ...mountOptionProblems(object.metadata.annotations ?? {}, specOf(object)),
  ],
  warnings: (object) =>
    nodeTermWarnings(
      listAt(objectAt(objectAt(specOf(object), 'nodeAffinity'), 'required'), 'nodeSelectorTerms'),
      'spec.nodeAffinity.required.nodeSelectorTerms',
    ),
  validateUpdate: (object, old) => [
    ...volumeProblems(specOf(object)),
    ...sourceChangeProblems(specOf(object), specOf(old)),
    ...(specOf(object).volumeMode === specOf(old).volumeMode
      ? []
      : [invalid('spec.volumeMode', specOf(object).volumeMode, 'field is immutable')]),
  ],
  columns: [
    column('Capacity', (object) => textAt(objectAt(specOf(object), 'capacity'), 'storage')),
    column('Access Modes', (object) => modesText(specOf(object).accessModes)),
    column('Reclaim Policy', (object) => textAt(specOf(object), 'persistentVolumeReclaimPolicy')),
    column('Status', (object) =>
      object.metadata.deletionTimestamp === undefined
        ? textAt(statusOf(object), 'phase')
        : 'Terminating',
    ),
    column('Claim', (object) => {
      const claim = objectAt(specOf(object), 'claimRef');
      return textAt(claim, 'name') === ''
        ? ''
        : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
    }),
    column('StorageClass', (object) => textAt(specOf(object), 'storageClassName')),
    column(
      'VolumeAttributesClass',
      (object) => textAt(specOf(object), 'volumeAttributesClassName') || '<unset>',
    ),
    column('Reason', (object) => textAt(statusOf(object), 'reason')),
    ageColumn,
    column('VolumeMode', (object) => textAt(specOf(object), 'volumeMode'), { priority: 1 }),
  ],
};

const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];
const otherFields = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);

function sourceOf(spec: Fields): Fields {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !otherFields.has(name)));
}

/** Where the data is stays as it was written. */
function sourceChangeProblems(spec: Fields, old: Fields): FieldProblem[] {
  const [next, before] = [sourceOf(spec), sourceOf(old)];
  if (equalJson(next, before)) return [];
  const why = 'spec.persistentvolumesource is immutable after creation';
  return [forbidden('spec.persistentvolumesource', why)];
}

function volumeProblems(spec: Fields): FieldProblem[] {
  const capacity = objectAt(spec, 'capacity');
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  const sources = Object.keys(spec).filter((name) => !otherFields.has(name));
  const names = Object.keys(capacity);
  return [
    ...(textsAt(spec, 'accessModes').length === 0 ? [required('spec.accessModes')] : []),
    ...accessModeProblems(spec, 'spec'),
    ...(names.length === 0 ? [required('spec.capacity')] : []),
    ...(capacity.storage === undefined || names.length > 1
      ? [notSupported('spec.capacity', spec.capacity ?? null, ['storage'])]
      : []),
    ...names.flatMap((name) => {
      const order = quantityOf(capacity[name]).compare(Quantity.fromNumber(0));
      const at = `spec.capacity[${name}]`;
      const why = 'must be greater than zero';
      return [
        ...(order < 0
          ? [invalid(at, Number(capacity[name]), 'must be a valid resource quantity')]
          : []),
        ...(order > 0 ? [] : [invalid(at, String(capacity[name]), why)]),
      ];
    }),
    ...(reclaimPolicies.includes(policy)
      ? []
      : [notSupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies)]),
    ...volumeNodeProblems(spec),
    ...sources.flatMap((name, index) =>
      index === 0
        ? volumeSourceProblems(name, objectAt(spec, name), `spec.${name}`)
        : [forbidden(`spec.${name}`, 'may not specify more than 1 volume type')],
    ),
    ...(sources.length === 0 ? [required('spec', 'must specify a volume type')] : []),
    ...sourceCompanyProblems(spec),
    ...volumeClassProblems(spec),
  ];
}

/** From which nodes the volume can be reached. */
function volumeNodeProblems(spec: Fields): FieldProblem[] {
  if (spec.nodeAffinity === undefined) return [];
  const affinity = objectAt(spec, 'nodeAffinity');
  const field = 'spec.nodeAffinity.required';
  return affinity.required === undefined
    ? [required(field, 'must specify required node constraints')]
    : nodeSelectorProblems(objectAt(affinity, 'required'), field);
}

/** What goes together with a source, or does not. */
function sourceCompanyProblems(spec: Fields): FieldProblem[] {
  const isWhole = textAt(objectAt(spec, 'hostPath'), 'path') === '/';
  const why = "may not be 'recycle' for a hostPath mount of '/'";
  return [
    ...(spec.local !== undefined && spec.nodeAffinity === undefined
      ? [required('spec.nodeAffinity', 'Local volume requires node affinity')]
      : []),
    ...(isWhole && spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [forbidden('spec.persistentVolumeReclaimPolicy', why)]
      : []),
  ];
}

function volumeClassProblems(spec: Fields): FieldProblem[] {
  const { volumeMode: mode, volumeAttributesClassName: attributes } = spec;
  const named = (name: string) => {
    const text = textAt(spec, name);
    return text === '' ? [] : textProblems(`spec.${name}`, text, dnsSubdomainProblems);
  };
  return [
    ...named('storageClassName'),
    ...(mode === undefined || volumeModes.includes(String(mode))
      ? []
      : [notSupported('spec.volumeMode', mode, volumeModes)]),
    ...named('volumeAttributesClassName'),
    ...(attributes !== undefined && spec.csi === undefined
      ? [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]
      : []),
  ];
}
