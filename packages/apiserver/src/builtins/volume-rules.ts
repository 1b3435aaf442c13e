import { dnsLabelProblems } from '@waygate/text';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { fieldRefProblems, resourceRefProblems } from './environment-rules.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { textProblems } from './rule.ts';

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

/** One volume; `names` collects those that are fine, for the mounts. */
export function volumeProblems(volume: Fields, field: string, names: Set<string>): FieldProblem[] {
  const present = sources.filter((source) => volume[source] !== undefined);
  const [first, ...others] = present;
  const problems: FieldProblem[] =
    first === undefined
      ? [required(field, 'must specify a volume type')]
      : sourceProblems(first, objectAt(volume, first), `${field}.${first}`);
  for (const other of others)
    problems.push(forbidden(`${field}.${other}`, 'may not specify more than 1 volume type'));
  const name = textAt(volume, 'name');
  if (name === '') problems.push(required(`${field}.name`));
  else problems.push(...textProblems(`${field}.name`, name, dnsLabelProblems));
  if (names.has(name)) problems.push(duplicate(`${field}.name`, name));
  if (problems.length === 0) names.add(name);
  return problems;
}

function sourceProblems(source: string, volume: Fields, field: string): FieldProblem[] {
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
      return needed(volume, 'driver', field);
    case 'downwardAPI':
      return [
        ...modeProblems(volume, 'defaultMode', field),
        ...listAt(volume, 'items').flatMap((file) => fileProblems(file, field)),
      ];
    case 'projected':
      return [
        ...modeProblems(volume, 'defaultMode', field),
        ...listAt(volume, 'sources').flatMap((each, index) =>
          projectionProblems(each, field, index),
        ),
      ];
    default:
      return [];
  }
}

function needed(volume: Fields, name: string, field: string): FieldProblem[] {
  return textAt(volume, name) === '' ? [required(`${field}.${name}`)] : [];
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

function backstepProblems(path: string, field: string): FieldProblem[] {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}

/** A path inside of the volume. */
export function descendingPathProblems(path: string, field: string): FieldProblem[] {
  return [
    ...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []),
    ...backstepProblems(path, field),
  ];
}

function unreservedPathProblems(path: string, field: string): FieldProblem[] {
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return [
    ...descendingPathProblems(path, field),
    ...(isReserved ? [invalid(field, path, "must not start with '..'")] : []),
  ];
}

function modeProblems(parent: Fields, name: string, field: string): FieldProblem[] {
  const mode = numberAt(parent, name);
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  const why = 'must be a number between 0 and 0777 (octal), both inclusive';
  return [invalid(`${field}.${name}`, mode, why)];
}

function itemProblems(parent: Fields, field: string): FieldProblem[] {
  return listAt(parent, 'items').flatMap((item, index) => {
    const at = `${field}.items[${index}]`;
    return [
      ...needed(item, 'key', at),
      ...needed(item, 'path', at),
      ...unreservedPathProblems(textAt(item, 'path'), `${at}.path`),
      ...modeProblems(item, 'mode', at),
    ];
  });
}

function fileProblems(file: Fields, field: string): FieldProblem[] {
  const problems = [
    ...needed(file, 'path', field),
    ...unreservedPathProblems(textAt(file, 'path'), `${field}.path`),
  ];
  if (file.fieldRef !== undefined) {
    problems.push(...fieldRefProblems(objectAt(file, 'fieldRef'), `${field}.fieldRef`, 'file'));
    if (file.resourceFieldRef !== undefined) {
      const why = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      problems.push(invalid(field, 'resource', why));
    }
  } else if (file.resourceFieldRef !== undefined) {
    const at = `${field}.resourceFieldRef`;
    problems.push(...resourceRefProblems(objectAt(file, 'resourceFieldRef'), at, true));
  } else problems.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  return [...problems, ...modeProblems(file, 'mode', field)];
}

function projectionProblems(source: Fields, field: string, index: number): FieldProblem[] {
  const at = `${field}.sources[${index}]`;
  const problems: FieldProblem[] = [];
  for (const kind of ['secret', 'configMap']) {
    if (source[kind] === undefined) continue;
    problems.push(...needed(objectAt(source, kind), 'name', `${at}.${kind}`));
    problems.push(...itemProblems(objectAt(source, kind), `${at}.${kind}`));
  }
  if (source.downwardAPI !== undefined) {
    for (const file of listAt(objectAt(source, 'downwardAPI'), 'items'))
      problems.push(...fileProblems(file, `${at}.downwardAPI`));
  }
  if (source.serviceAccountToken !== undefined) {
    const token = objectAt(source, 'serviceAccountToken');
    const seconds = numberAt(token, 'expirationSeconds') ?? 0;
    const path = `${at}.serviceAccountToken.expirationSeconds`;
    if (seconds < 600)
      problems.push(invalid(path, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > 2 ** 32)
      problems.push(invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds'));
    if (textAt(token, 'path') === '') problems.push(required(`${field}.path`));
    else problems.push(...unreservedPathProblems(textAt(token, 'path'), `${field}.path`));
  }
  if (Object.keys(source).length > 1)
    problems.push(forbidden(at, 'may not specify more than 1 volume type per source'));
  return problems;
}
