import { dnsLabelProblems, dnsSubdomainProblems } from '@waygate/text';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../status/field-problem.ts';
import { validateAnnotations, validateLabels } from '../validation/object-meta.ts';
import { claimSpecProblems } from './claim-rules.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';
import { backstepProblems } from './path-rules.ts';
import { fileProblems, itemProblems, modeProblems, projectedProblems } from './projection-rules.ts';
import { needed, oneOf, textProblems } from './rule.ts';
import { storageSourceProblems } from './storage-source-rules.ts';

/** The order in which the API looks at the sources of a volume. */
const sources = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

export interface VolumeOwner {
  /** The sound ones, by name: what mounts and devices refer to. */
  readonly volumes: Map<string, Fields>;
  readonly spec: Fields;
  /** Of the pod; a template has none. */
  readonly metadata: Fields | undefined;
}

/** One volume of a pod. */
export function volumeProblems(volume: Fields, field: string, owner: VolumeOwner): FieldProblem[] {
  const present = sources.filter((source) => volume[source] !== undefined);
  const [first, ...others] = present;
  const name = textAt(volume, 'name');
  const problems: FieldProblem[] =
    first === undefined
      ? [required(field, 'must specify a volume type')]
      : [
          ...sourceProblems(first, objectAt(volume, first), `${field}.${first}`, owner),
          ...initiatorProblems(volume, name, field),
        ];
  for (const other of others) {
    const at = printed[other] ?? other;
    problems.push(forbidden(`${field}.${at}`, 'may not specify more than 1 volume type'));
  }
  if (name === '') problems.push(required(`${field}.name`));
  else problems.push(...textProblems(`${field}.name`, name, dnsLabelProblems));
  if (owner.volumes.has(name)) problems.push(duplicate(`${field}.name`, name));
  if (problems.length === 0) owner.volumes.set(name, volume);
  return [...problems, ...borrowedClaimProblems(volume, field, owner)];
}

/** Fields that the API calls otherwise when they are too many. */
const printed: Readonly<Record<string, string>> = { downwardAPI: 'downwarAPI', cephfs: 'cephFS' };

function initiatorProblems(volume: Fields, name: string, field: string): FieldProblem[] {
  const iscsi = objectAt(volume, 'iscsi');
  const isLong = `${name}:${textAt(iscsi, 'targetPortal')}`.length > 64;
  if (iscsi.initiatorName === undefined || !isLong) return [];
  const why =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  return [invalid(`${field}.name`, name, why)];
}

/** A claim that is made for another volume of the pod goes with that one. */
function borrowedClaimProblems(volume: Fields, field: string, owner: VolumeOwner): FieldProblem[] {
  const pod = textAt(owner.metadata, 'name');
  const claim = textAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName');
  const isMade = listAt(owner.spec, 'volumes').some(
    (each) => each.ephemeral !== undefined && `${pod}-${textAt(each, 'name')}` === claim,
  );
  if (pod === '' || !isMade) return [];
  const why = 'must not reference a PVC that gets created for an ephemeral volume';
  return [invalid(`${field}.persistentVolumeClaim.claimName`, claim, why)];
}

export function sourceProblems(
  source: string,
  volume: Fields,
  field: string,
  owner?: VolumeOwner,
): FieldProblem[] {
  switch (source) {
    case 'emptyDir':
      return String(volume.sizeLimit ?? '').startsWith('-')
        ? [forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
        : [];
    case 'hostPath':
      return hostPathProblems(volume, field);
    case 'secret':
      return [
        ...needed(volume, 'secretName', field),
        ...modeProblems(volume, 'defaultMode', field),
        ...itemProblems(volume, field),
      ];
    case 'configMap':
      return [
        ...needed(volume, 'name', field),
        ...modeProblems(volume, 'defaultMode', field),
        ...itemProblems(volume, field),
      ];
    case 'nfs':
      return [
        ...needed(volume, 'server', field),
        ...needed(volume, 'path', field),
        ...(textAt(volume, 'path').startsWith('/')
          ? []
          : [invalid(`${field}.path`, textAt(volume, 'path'), 'must be an absolute path')]),
      ];
    case 'persistentVolumeClaim':
      return needed(volume, 'claimName', field);
    case 'csi':
      return [...driverProblems(volume, field), ...publishSecretProblems(volume, field)];
    case 'ephemeral':
      return volume.volumeClaimTemplate === undefined
        ? [required(`${field}.volumeClaimTemplate`)]
        : claimTemplateProblems(
            objectAt(volume, 'volumeClaimTemplate'),
            `${field}.volumeClaimTemplate`,
          );
    case 'image':
      return [
        ...(owner?.metadata === undefined ? [] : needed(volume, 'reference', field)),
        ...oneOf(`${field}.pullPolicy`, volume.pullPolicy, ['Always', 'IfNotPresent', 'Never']),
      ];
    case 'downwardAPI':
      return [
        ...modeProblems(volume, 'defaultMode', field),
        ...listAt(volume, 'items').flatMap((file) => fileProblems(file, field)),
      ];
    case 'projected':
      return projectedProblems(volume, field);
    default:
      return storageSourceProblems(source, volume, field);
  }
}

/** The name of the driver of a volume. */
export function driverProblems(volume: Fields, field: string): FieldProblem[] {
  const driver = textAt(volume, 'driver');
  if (driver === '') return [required(`${field}.driver`)];
  return [
    ...(driver.length > 63 ? [tooLong(`${field}.driver`, 63)] : []),
    ...textProblems(`${field}.driver`, driver.toLowerCase(), dnsSubdomainProblems),
  ];
}

function publishSecretProblems(volume: Fields, field: string): FieldProblem[] {
  if (volume.nodePublishSecretRef === undefined) return [];
  const name = textAt(objectAt(volume, 'nodePublishSecretRef'), 'name');
  return name === ''
    ? [required(`${field}.nodePublishSecretRef.name`)]
    : textProblems(`${field}.name`, name, dnsSubdomainProblems);
}

/** What a claim is made of, for as long as its pod lives. */
function claimTemplateProblems(template: Fields, field: string): FieldProblem[] {
  const metadata = objectAt(template, 'metadata');
  const others = Object.keys(metadata).filter((name) => !/^(?:labels|annotations)$/.test(name));
  return [
    ...validateAnnotations(
      objectAt(metadata, 'annotations') as Record<string, string>,
      `${field}.metadata.annotations`,
    ),
    ...validateLabels(
      objectAt(metadata, 'labels') as Record<string, string>,
      `${field}.metadata.labels`,
    ),
    ...others.map((name) => forbidden(`${field}.metadata.${name}`, 'cannot be set')),
    ...claimSpecProblems(objectAt(template, 'spec'), `${field}.spec`),
  ];
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export function hostPathProblems(volume: Fields, field: string): FieldProblem[] {
  const path = textAt(volume, 'path');
  if (path === '') return [required(`${field}.path`)];
  const type = textAt(volume, 'type');
  return [
    ...backstepProblems(path, `${field}.path`),
    ...(hostPathTypes.includes(type) ? [] : [notSupported(`${field}.type`, type, hostPathTypes)]),
  ];
}
