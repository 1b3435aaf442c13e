import { dnsLabelProblems } from '@waygate/text';
import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import { type Fields, numberAt, objectAt, textAt, textsAt } from './fields.ts';
import { descendingPathProblems } from './path-rules.ts';
import { needed, textProblems } from './rule.ts';

type SourceRule = (volume: Fields, field: string) => FieldProblem[];

/** Storage of particular makers, most of it retired; by its field in a volume. */
const rules: Readonly<Record<string, SourceRule>> = {
  gitRepo: (volume, field) => [
    ...needed(volume, 'repository', field),
    ...descendingPathProblems(textAt(volume, 'directory'), `${field}.directory`),
  ],
  gcePersistentDisk: (volume, field) => {
    const at = field.replace(/gcePersistentDisk$/, 'persistentDisk');
    return [...needed(volume, 'pdName', at), ...partitionProblems(volume, at)];
  },
  awsElasticBlockStore: (volume, field) => [
    ...needed(volume, 'volumeID', field),
    ...partitionProblems(volume, field),
  ],
  iscsi: iscsiProblems,
  glusterfs: all('endpoints', 'path'),
  flocker: flockerProblems,
  rbd: (volume, field) => [...monitorProblems(volume, field), ...needed(volume, 'image', field)],
  cephfs: monitorProblems,
  cinder: (volume, field) => [
    ...needed(volume, 'volumeID', field),
    ...(volume.secretRef === undefined
      ? []
      : needed(objectAt(volume, 'secretRef'), 'name', `${field}.secretRef`)),
  ],
  quobyte: quobyteProblems,
  fc: fibreChannelProblems,
  flexVolume: (volume, field) => [
    ...needed(volume, 'driver', field),
    ...Object.keys(objectAt(volume, 'options')).flatMap((key) =>
      /^(?:[^/]*\.)?(?:kubernetes|k8s)\.io\//.test(key)
        ? [
            invalid(
              `${field}.options[${key}]`,
              key,
              'kubernetes.io and k8s.io namespaces are reserved',
            ),
          ]
        : [],
    ),
  ],
  azureFile: all('secretName', 'shareName'),
  vsphereVolume: all('volumePath'),
  photonPersistentDisk: all('pdID'),
  portworxVolume: all('volumeID'),
  azureDisk: azureDiskProblems,
  storageos: (volume, field) => [
    ...labelled(volume, 'volumeName', field, true),
    ...labelled(volume, 'volumeNamespace', field, false),
    ...(volume.secretRef === undefined
      ? []
      : needed(objectAt(volume, 'secretRef'), 'name', `${field}.secretRef`)),
  ],
  scaleIO: all('gateway', 'system', 'volumeName'),
};

export function storageSourceProblems(
  source: string,
  volume: Fields,
  field: string,
): FieldProblem[] {
  return rules[source]?.(volume, field) ?? [];
}

function all(...names: readonly string[]): SourceRule {
  return (volume, field) => names.flatMap((name) => needed(volume, name, field));
}

function labelled(volume: Fields, name: string, field: string, isNeeded: boolean): FieldProblem[] {
  const text = textAt(volume, name);
  if (text === '') return isNeeded ? [required(`${field}.${name}`)] : [];
  return textProblems(`${field}.${name}`, text, dnsLabelProblems);
}

function unitProblems(value: number, field: string): FieldProblem[] {
  return value >= 0 && value <= 255
    ? []
    : [invalid(field, value, `must be between 0 and 255, inclusive`)];
}

/** None is 0. */
function partitionProblems(volume: Fields, field: string): FieldProblem[] {
  const partition = numberAt(volume, 'partition') ?? 0;
  return partition >= 0 && partition <= 255
    ? []
    : [invalid(`${field}.partition`, partition, 'must be between 1 and 255, inclusive')];
}

function monitorProblems(volume: Fields, field: string): FieldProblem[] {
  return textsAt(volume, 'monitors').length === 0 ? [required(`${field}.monitors`)] : [];
}

const targetNames = [
  /^iqn\.\d{4}-\d{2}\.([a-z0-9-]+\.)+[a-z0-9-]+(:[^,;*&$|\s]+)$|^iqn\.\d{4}-\d{2}\.([a-z0-9-.]+)(:[^,;*&$|\s]+)?$/,
  /^eui\.[a-zA-Z0-9]{16}$/,
  /^naa\.[a-zA-Z0-9]{32}$/,
];

function targetNameProblems(name: string, field: string): FieldProblem[] {
  if (!/^(?:iqn|eui|naa)/.test(name))
    return [invalid(field, name, 'must be valid format starting with iqn, eui, or naa')];
  return targetNames.some((form) => form.test(name))
    ? []
    : [invalid(field, name, 'must be valid format')];
}

function iscsiProblems(volume: Fields, field: string): FieldProblem[] {
  const name = textAt(volume, 'iqn');
  const isChecked = volume.chapAuthDiscovery === true || volume.chapAuthSession === true;
  const initiator = volume.initiatorName;
  return [
    ...needed(volume, 'targetPortal', field),
    ...(name === '' ? [required(`${field}.iqn`)] : targetNameProblems(name, `${field}.iqn`)),
    ...unitProblems(numberAt(volume, 'lun') ?? 0, `${field}.lun`),
    ...(isChecked && volume.secretRef === undefined ? [required(`${field}.secretRef`)] : []),
    ...(initiator === undefined
      ? []
      : targetNameProblems(String(initiator), `${field}.initiatorname`)),
  ];
}

function flockerProblems(volume: Fields, field: string): FieldProblem[] {
  const name = textAt(volume, 'datasetName');
  const id = textAt(volume, 'datasetUUID');
  const both = 'datasetName and datasetUUID can not be specified simultaneously';
  return [
    ...(name === '' && id === ''
      ? [required(field, 'one of datasetName and datasetUUID is required')]
      : []),
    ...(name !== '' && id !== '' ? [invalid(field, 'resource', both)] : []),
    ...(name.includes('/') ? [invalid(`${field}.datasetName`, name, "must not contain '/'")] : []),
  ];
}

function quobyteProblems(volume: Fields, field: string): FieldProblem[] {
  const registry = textAt(volume, 'registry');
  const why = 'must be a host:port pair or multiple pairs separated by commas';
  const isPair = (text: string) => /^(?:\[[^\]]*\]|[^:]*):[^:]*$/.test(text);
  return [
    ...(registry === ''
      ? [required(`${field}.registry`, why)]
      : registry
          .split(',')
          .flatMap((each) => (isPair(each) ? [] : [invalid(`${field}.registry`, each, why)]))),
    ...needed(volume, 'volume', field),
  ];
}

function fibreChannelProblems(volume: Fields, field: string): FieldProblem[] {
  const targets = textsAt(volume, 'targetWWNs');
  const ids = textsAt(volume, 'wwids');
  const lun = numberAt(volume, 'lun');
  const at = `${field}.targetWWNs`;
  const problems: FieldProblem[] = [];
  if (targets.length === 0 && ids.length === 0)
    problems.push(required(at, 'must specify either targetWWNs or wwids, but not both'));
  if (targets.length === 0) return problems;
  if (ids.length > 0)
    problems.push(invalid(at, targets, 'targetWWNs and wwids can not be specified simultaneously'));
  return lun === undefined
    ? [...problems, required(`${field}.lun`, 'lun is required if targetWWNs is specified')]
    : [...problems, ...unitProblems(lun, `${field}.lun`)];
}

const diskKinds = ['Dedicated', 'Managed', 'Shared'];
const cachings = ['None', 'ReadOnly', 'ReadWrite'];
const managedAddress =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobAddress = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function azureDiskProblems(volume: Fields, field: string): FieldProblem[] {
  const address = textAt(volume, 'diskURI');
  const isManaged = volume.kind === 'Managed';
  const listed = (name: string, known: readonly string[]) => {
    const value = volume[name];
    return value === undefined || known.includes(String(value))
      ? []
      : [notSupported(`${field}.${name}`, value, known)];
  };
  const isFit = address.startsWith(isManaged ? '/subscriptions' : 'https://');
  return [
    ...needed(volume, 'diskName', field),
    ...needed(volume, 'diskURI', field),
    ...listed('cachingMode', cachings),
    ...listed('kind', diskKinds),
    ...(isFit
      ? []
      : [notSupported(`${field}.diskURI`, address, [isManaged ? managedAddress : blobAddress])]),
  ];
}
