import { dnsLabelProblems, dnsSubdomainProblems } from '@waygate/text';
import { type FieldProblem, forbidden, invalid, required } from '../status/field-problem.ts';
import { type Fields, objectAt, textAt } from './fields.ts';
import { backstepProblems } from './path-rules.ts';
import { needed, textProblems } from './rule.ts';
import { storageSourceProblems } from './storage-source-rules.ts';
import { driverProblems, hostPathProblems, sourceProblems } from './volume-rules.ts';

/** Where the data of a PersistentVolume is. */
export function volumeSourceProblems(
  source: string,
  volume: Fields,
  field: string,
): FieldProblem[] {
  switch (source) {
    case 'hostPath':
      return hostPathProblems(volume, field);
    case 'nfs':
      return sourceProblems('nfs', volume, field);
    case 'local':
      return textAt(volume, 'path') === ''
        ? needed(volume, 'path', field)
        : backstepProblems(textAt(volume, 'path'), `${field}.path`);
    case 'csi':
      return [
        ...driverProblems(volume, field),
        ...needed(volume, 'volumeHandle', field),
        ...secretRoles.flatMap((role) => secretProblems(volume, role, field)),
      ];
    default:
      return [
        ...storageSourceProblems(source, volume, field),
        ...namespaceProblems(source, volume, field),
      ];
  }
}

/** Some say where their secret or their addresses are, as a volume is in no namespace. */
function namespaceProblems(source: string, volume: Fields, field: string): FieldProblem[] {
  if (source === 'azureFile' && volume.secretNamespace === '')
    return [required(`${field}.secretNamespace`)];
  const why = 'if the endpointnamespace is set, it must be a valid namespace name';
  return source === 'glusterfs' && volume.endpointsNamespace === ''
    ? [invalid(`${field}.endpointsNamespace`, '', why)]
    : [];
}

const secretRoles = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

function secretProblems(volume: Fields, role: string, field: string): FieldProblem[] {
  if (volume[role] === undefined) return [];
  const secret = objectAt(volume, role);
  const at = `${field}.${role}`;
  const named = (name: string, rule: (text: string) => string[]) => {
    const text = textAt(secret, name);
    return text === '' ? [required(`${at}.${name}`)] : textProblems(`${at}.${name}`, text, rule);
  };
  return [...named('name', dnsSubdomainProblems), ...named('namespace', dnsLabelProblems)];
}

const mountOptions = 'volume.beta.kubernetes.io/mount-options';
const withoutMountOptions = ['hostPath', 'fc', 'flexVolume', 'flocker', 'local', 'scaleIO'];

/** Options in the older place, which not all sources take. */
export function mountOptionProblems(annotations: Fields, spec: Fields): FieldProblem[] {
  const isRefused = withoutMountOptions.some((source) => spec[source] !== undefined);
  if (annotations[mountOptions] === undefined || !isRefused) return [];
  const why = 'may not specify mount options for this volume type';
  return [forbidden(`metadata.annotations.${mountOptions}`, why)];
}
