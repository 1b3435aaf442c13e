import type { DynamicObject } from '@waygate/schema';
import { type FieldProblem, forbidden, invalid } from '../status/field-problem.ts';
import { type Fields, objectAt, textAt } from './fields.ts';
import { descendingPathProblems } from './path-rules.ts';
import { containersOf } from './windows-rules.ts';

const mirror = 'kubernetes.io/config.mirror';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const podSeccomp = 'seccomp.security.alpha.kubernetes.io/pod';
const containerSeccomp = 'container.seccomp.security.alpha.kubernetes.io/';
const appArmor = 'container.apparmor.security.beta.kubernetes.io/';
const localhost = 'localhost/';

/** Annotations of a pod that decide something, or did before there was a field. */
export function podAnnotationProblems(
  annotations: Fields,
  spec: Fields,
  field: string,
): FieldProblem[] {
  const containers = new Set(containersOf(spec, field).map(([each]) => textAt(each, 'name')));
  return Object.entries(annotations).flatMap(([key, value]) => {
    const at = `${field}[${key}]`;
    const text = String(value);
    if (key === mirror && textAt(spec, 'nodeName') === '')
      return [invalid(at, text, 'must set spec.nodeName if mirror pod annotation is set')];
    if (key === deletionCost && !isCost(text))
      return [invalid(at, text, 'must be a 32bit integer')];
    if (key === podSeccomp || key.startsWith(containerSeccomp))
      return seccompProblems(text, `${field}.${key}`);
    if (!key.startsWith(appArmor)) return [];
    const name = key.slice(appArmor.length);
    const isProfile = /^(?:|runtime\/default|unconfined|localhost\/.*)$/.test(text);
    return [
      ...(containers.has(name) ? [] : [invalid(at, name, 'container not found')]),
      ...(isProfile
        ? []
        : [invalid(at, text, `invalid AppArmor profile name: ${JSON.stringify(text)}`)]),
    ];
  });
}

function isCost(text: string): boolean {
  const isNumber = /^(?:0|-?[1-9][0-9]*)$/.test(text);
  return isNumber && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}

function seccompProblems(profile: string, field: string): FieldProblem[] {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return [];
  return profile.startsWith(localhost)
    ? descendingPathProblems(profile.slice(localhost.length), field)
    : [invalid(field, profile, 'must be a valid seccomp profile')];
}

/** Who sets a profile in an annotation and in a field means the same one. */
export function profileProblems(object: DynamicObject, field: string): FieldProblem[] {
  const spec = objectAt(object, 'spec');
  const annotations = objectAt(objectAt(object, 'metadata'), 'annotations');
  const owners: [owner: Fields, at: string, key: string][] = [
    [spec, field, podSeccomp],
    ...containersOf(spec, field).map(([container, at]): [Fields, string, string] => [
      container,
      at,
      `${containerSeccomp}${textAt(container, 'name')}`,
    ]),
  ];
  return owners.flatMap(([owner, at, key]) => {
    const profile = objectAt(owner, 'securityContext').seccompProfile;
    const annotation = annotations[key];
    if (profile === undefined || annotation === undefined) return [];
    return mismatch(profile as Fields, String(annotation), `${at}.securityContext.seccompProfile`);
  });
}

const annotated: Readonly<Record<string, readonly string[]>> = {
  Unconfined: ['unconfined'],
  RuntimeDefault: ['runtime/default', 'docker/default'],
};

function mismatch(profile: Fields, annotation: string, field: string): FieldProblem[] {
  const type = textAt(profile, 'type');
  const isLocal = type === 'Localhost';
  const isSameType = isLocal
    ? annotation.startsWith(localhost)
    : (annotated[type]?.includes(annotation) ?? true);
  if (!isSameType)
    return [forbidden(`${field}.type`, 'seccomp type in annotation and field must match')];
  return isLocal && annotation.slice(localhost.length) !== textAt(profile, 'localhostProfile')
    ? [forbidden(`${field}.localhostProfile`, 'seccomp profile in annotation and field must match')]
    : [];
}
