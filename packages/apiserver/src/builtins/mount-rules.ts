import {
  type FieldProblem,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';
import { backstepProblems, descendingPathProblems } from './path-rules.ts';

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const readOnlyModes = ['Disabled', 'Enabled', 'IfPossible'];

/** Where a container finds the volumes; `volumes` has those of the pod that are sound. */
export function mountProblems(
  container: Fields,
  field: string,
  volumes: ReadonlyMap<string, Fields>,
): FieldProblem[] {
  const places = new Set<string>();
  const list = `${field}.volumeMounts`;
  return listAt(container, 'volumeMounts').flatMap((mount, index) => {
    const at = `${list}[${index}]`;
    const name = textAt(mount, 'name');
    const place = textAt(mount, 'mountPath');
    const problems: FieldProblem[] = [];
    if (name === '') problems.push(required(`${at}.name`));
    if (!volumes.has(name)) problems.push(notFoundValue(`${at}.name`, name));
    if (place === '') problems.push(required(`${at}.mountPath`));
    if (places.has(place)) problems.push(invalid(`${at}.mountPath`, place, 'must be unique'));
    places.add(place);
    const devices = listAt(container, 'volumeDevices');
    if (devices.some((each) => textAt(each, 'name') === name))
      problems.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'));
    if (devices.some((each) => textAt(each, 'devicePath') === place)) {
      const why = 'must not already exist as a path in volumeDevices';
      problems.push(invalid(`${at}.mountPath`, place, why));
    }
    return [
      ...problems,
      ...partProblems(mount, list, at),
      ...propagationProblems(mount, container, list),
      ...readOnlyProblems(mount, `${list}.recursiveReadOnly`),
    ];
  });
}

/** A part of the volume instead of the whole; the API leaves the position out of these paths. */
function partProblems(mount: Fields, list: string, at: string): FieldProblem[] {
  return ['subPath', 'subPathExpr'].flatMap((part) => {
    const path = textAt(mount, part);
    if (path === '') return [];
    const isSecond = part === 'subPathExpr' && textAt(mount, 'subPath') !== '';
    const why = 'subPathExpr and subPath are mutually exclusive';
    return [
      ...(isSecond ? [invalid(`${at}.${part}`, path, why)] : []),
      ...descendingPathProblems(path, `${list}.${part}`),
    ];
  });
}

function propagationProblems(mount: Fields, container: Fields, list: string): FieldProblem[] {
  const propagation = mount.mountPropagation;
  if (propagation === undefined) return [];
  const at = `${list}.mountPropagation`;
  if (!propagations.includes(String(propagation)))
    return [notSupported(at, propagation, propagations)];
  const isPrivileged = objectAt(container, 'securityContext').privileged === true;
  const why = 'Bidirectional mount propagation is available only to privileged containers';
  return propagation === 'Bidirectional' && !isPrivileged ? [forbidden(at, why)] : [];
}

function readOnlyProblems(mount: Fields, at: string): FieldProblem[] {
  const mode = mount.recursiveReadOnly;
  if (mode === undefined || mode === 'Disabled') return [];
  if (!readOnlyModes.includes(String(mode))) return [notSupported(at, mode, readOnlyModes)];
  const why = 'may only be specified when mountPropagation is None or not specified';
  return [
    ...(mount.readOnly === true
      ? []
      : [forbidden(at, 'may only be specified when readOnly is true')]),
    ...((mount.mountPropagation ?? 'None') === 'None' ? [] : [forbidden(at, why)]),
  ];
}

/** Volumes that a container gets as block devices: claims only, each name and path once. */
export function deviceProblems(
  container: Fields,
  field: string,
  volumes: ReadonlyMap<string, Fields>,
): FieldProblem[] {
  const places = new Set<string>();
  const names = new Set<string>();
  const mounts = listAt(container, 'volumeMounts');
  return listAt(container, 'volumeDevices').flatMap((device, index) => {
    const at = `${field}.volumeDevices[${index}]`;
    const name = textAt(device, 'name');
    const place = textAt(device, 'devicePath');
    const volume = volumes.get(name);
    const problems: FieldProblem[] = [];
    const wrongName = (why: string) => problems.push(invalid(`${at}.name`, name, why));
    const wrongPlace = (why: string) => problems.push(invalid(`${at}.devicePath`, place, why));
    if (name === '') problems.push(required(`${at}.name`));
    if (names.has(name)) wrongName('must be unique');
    if (volume === undefined) problems.push(notFoundValue(`${at}.name`, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined)
      wrongName(
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      );
    if (place === '') problems.push(required(`${at}.devicePath`));
    if (places.has(place)) wrongPlace('must be unique');
    if (backstepProblems(place, at).length > 0) wrongPlace("can not contain backsteps ('..')");
    else places.add(place);
    if (mounts.some((each) => textAt(each, 'name') === name))
      wrongName('must not already exist in volumeMounts');
    if (mounts.some((each) => textAt(each, 'mountPath') === place))
      wrongPlace('must not already exist as a path in volumeMounts');
    if (name !== '') names.add(name);
    return problems;
  });
}
