import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import {
  containerRule,
  containersThat,
  contextOf,
  forbiddenAdditions,
  hasOwnUsers,
  isUnconfined,
  type JudgedPod,
  named,
  quoted,
  type Rule,
  seccompOf,
  settersOf,
  unmaskedProc,
  type Violation,
} from './judged-pod.ts';

/** What the restricted level has beside the baseline, in the order of the names of its checks. */
export const restrictedRules: readonly Rule[] = [
  privilegeEscalation,
  keptCapabilities,
  unmaskedProc,
  volumeTypes,
  nonRoot,
  rootUser,
  confinedSeccomp,
];

const isWindows = ({ spec }: JudgedPod) => textAt(objectAt(spec, 'os'), 'name') === 'windows';

function privilegeEscalation(pod: JudgedPod): Violation | undefined {
  if (isWindows(pod)) return undefined;
  return containerRule(
    'allowPrivilegeEscalation != false',
    (container) => contextOf(container).allowPrivilegeEscalation !== false,
    'must set securityContext.allowPrivilegeEscalation=false',
  )(pod);
}

function keptCapabilities(pod: JudgedPod): Violation | undefined {
  if (isWindows(pod)) return undefined;
  const dropsAll = (container: Readonly<Fields>) =>
    ((objectAt(contextOf(container), 'capabilities').drop ?? []) as string[]).includes('ALL');
  const names = containersThat(pod, (container) => !dropsAll(container));
  const added = forbiddenAdditions(pod, new Set(['NET_BIND_SERVICE']));
  const details = [
    ...(names.length === 0
      ? []
      : [`${named('container', names)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added === '' ? [] : [added]),
  ];
  if (details.length === 0) return undefined;
  return { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

const allowedVolumes = new Set(
  'configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret'.split(
    ' ',
  ),
);

function volumeTypes({ spec }: JudgedPod): Violation | undefined {
  const typeOf = (volume: Readonly<Fields>) =>
    Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
  const wrong = listAt(spec, 'volumes').filter((volume) => !allowedVolumes.has(typeOf(volume)));
  if (wrong.length === 0) return undefined;
  const types = [...new Set(wrong.map(typeOf))].sort();
  const isOne = wrong.length === 1;
  const list = `restricted volume type${types.length === 1 ? '' : 's'} ${quoted(types)}`;
  const names = named(
    'volume',
    wrong.map((volume) => textAt(volume, 'name')),
  );
  return {
    reason: 'restricted volume types',
    detail: `${names} ${isOne ? 'uses' : 'use'} ${list}`,
  };
}

function nonRoot(pod: JudgedPod): Violation | undefined {
  if (hasOwnUsers(pod)) return undefined;
  const reason = 'runAsNonRoot != true';
  const setters = settersOf(pod, (context) => context.runAsNonRoot === false);
  if (setters !== '')
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const isOpen = contextOf(pod.spec).runAsNonRoot === undefined;
  const open = containersThat(
    pod,
    (container) => isOpen && contextOf(container).runAsNonRoot === undefined,
  );
  if (open.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${named('container', open)} must set securityContext.runAsNonRoot=true`,
  };
}

function rootUser(pod: JudgedPod): Violation | undefined {
  if (hasOwnUsers(pod)) return undefined;
  const setters = settersOf(pod, (context) => context.runAsUser === 0);
  return setters === ''
    ? undefined
    : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
}

function confinedSeccomp(pod: JudgedPod): Violation | undefined {
  if (isWindows(pod)) return undefined;
  const setters = settersOf(pod, isUnconfined);
  if (setters !== '')
    return {
      reason: 'seccompProfile',
      detail: `${setters} must not set securityContext.seccompProfile.type to "Unconfined"`,
    };
  const isOpen = seccompOf(contextOf(pod.spec)) === '';
  const open = containersThat(pod, (container) => isOpen && seccompOf(contextOf(container)) === '');
  if (open.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${named('container', open)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}
