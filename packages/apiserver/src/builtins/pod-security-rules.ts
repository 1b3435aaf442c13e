import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { internalForm } from './internal-form.ts';
import { descendingPathProblems } from './path-rules.ts';
import { windowsOptionProblems } from './windows-rules.ts';

const maxId = 2 ** 31 - 1;

function idProblems(context: Fields, name: string, field: string): FieldProblem[] {
  const id = numberAt(context, name);
  return id === undefined ? [] : rangeProblems(id, `${field}.${name}`);
}

function rangeProblems(id: number, field: string): FieldProblem[] {
  return id >= 0 && id <= maxId
    ? []
    : [invalid(field, id, `must be between 0 and ${maxId}, inclusive`)];
}

/** `securityContext` of a pod. */
export function podSecurityProblems(spec: Fields, specField: string): FieldProblem[] {
  const context = objectAt(spec, 'securityContext');
  const field = `${specField}.securityContext`;
  const problems = [
    ...idProblems(context, 'fsGroup', field),
    ...idProblems(context, 'runAsUser', field),
    ...idProblems(context, 'runAsGroup', field),
    ...((context.supplementalGroups ?? []) as number[]).flatMap((id, index) =>
      rangeProblems(id, `${field}.supplementalGroups[${index}]`),
    ),
  ];
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled';
    problems.push(invalid(`${field}.shareProcessNamespace`, true, why));
  }
  problems.push(...kernelSettingProblems(listAt(context, 'sysctls'), `${field}.sysctls`, spec));
  problems.push(
    ...listedProblems(context, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch'], field),
  );
  return [
    ...problems,
    ...seccompProblems(context, field),
    ...windowsOptionProblems(context, field),
    ...appArmorProblems(context, field),
    ...listedProblems(context, 'supplementalGroupsPolicy', ['Merge', 'Strict'], field),
    ...listedProblems(context, 'seLinuxChangePolicy', ['Recursive'], field),
  ];
}

const settingName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const settingRule = String.raw`must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;

function kernelSettingProblems(
  settings: readonly Fields[],
  field: string,
  spec: Fields,
): FieldProblem[] {
  const names = settings.map((setting) => textAt(setting, 'name'));
  return names.flatMap((name, index) => {
    const at = `${field}[${index}].name`;
    const others = hostSettingProblems(name, spec, at);
    if (name === '') return [required(at), ...others];
    if (name.length > 253 || !settingName.test(name))
      return [invalid(at, name, settingRule), ...others];
    return names.indexOf(name) < index ? [duplicate(at, name), ...others] : others;
  });
}

const networkSetting = /^net[./]/;
const sharedMemorySetting = /^(?:kernel[./](?:sem$|shm|msg)|fs[./]mqueue[./])/;

/** What is the host's is not set by a pod that shares it. */
function hostSettingProblems(name: string, spec: Fields, at: string): FieldProblem[] {
  const not = (field: string) => [
    invalid(at, name, `may not be specified when '${field}' is true`),
  ];
  if (spec.hostNetwork === true && networkSetting.test(name)) return not('hostNetwork');
  return spec.hostIPC === true && sharedMemorySetting.test(name) ? not('hostIPC') : [];
}

const seccompTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function seccompProblems(context: Fields, parent: string): FieldProblem[] {
  if (context.seccompProfile === undefined) return [];
  const profile = objectAt(context, 'seccompProfile');
  const field = `${parent}.seccompProfile`;
  const type = textAt(profile, 'type');
  const path = profile.localhostProfile;
  const problems: FieldProblem[] = [];
  if (type === '')
    problems.push(required(`${field}.type`, 'type is required when seccompProfile is set'));
  else if (!seccompTypes.includes(type))
    problems.push(notSupported(`${field}.type`, type, seccompTypes));
  if (type === 'Localhost') {
    if (path === undefined) {
      const why = 'must be set when seccomp type is Localhost';
      problems.push(required(`${field}.localhostProfile`, why));
    } else problems.push(...descendingPathProblems(String(path), `${field}.localhostProfile`));
  } else if (path !== undefined) {
    const shown = { Type: type, LocalhostProfile: path };
    const why = 'can only be set when seccomp type is Localhost';
    problems.push(invalid(`${field}.localhostProfile`, shown, why));
  }
  return problems;
}

function listedProblems(
  context: Fields,
  name: string,
  known: readonly string[],
  field: string,
): FieldProblem[] {
  const value = context[name];
  return value === undefined || known.includes(String(value))
    ? []
    : [notSupported(`${field}.${name}`, value, known)];
}

const maxProfileBytes = 4095;

function appArmorProblems(context: Fields, parent: string): FieldProblem[] {
  if (context.appArmorProfile === undefined) return [];
  const profile = objectAt(context, 'appArmorProfile');
  const field = `${parent}.appArmorProfile`;
  const at = `${field}.localhostProfile`;
  const type = textAt(profile, 'type');
  const name = profile.localhostProfile;
  if (type === '')
    return [required(`${field}.type`, 'type is required when appArmorProfile is set')];
  if (!seccompTypes.includes(type)) return [notSupported(`${field}.type`, type, seccompTypes)];
  if (type !== 'Localhost')
    return name === undefined
      ? []
      : [invalid(at, name, 'can only be set when AppArmor type is Localhost')];
  const text = String(name ?? '');
  const isPadded = text.trim() !== text;
  return [
    ...(isPadded ? [invalid(at, text, 'must not be padded with whitespace')] : []),
    ...(text === '' ? [required(at, 'must be set when AppArmor type is Localhost')] : []),
    ...(text.length > maxProfileBytes ? [tooLong(at, maxProfileBytes)] : []),
  ];
}

/** `securityContext` of a container; its pod may share the users of its host. */
export function containerSecurityProblems(
  container: Fields,
  field: string,
  hasHostUsers: boolean,
): FieldProblem[] {
  if (container.securityContext === undefined) return [];
  const context = objectAt(container, 'securityContext');
  const unmasked = '`hostUsers` must be false to use `Unmasked`';
  return [
    ...idProblems(context, 'runAsUser', field),
    ...idProblems(context, 'runAsGroup', field),
    ...listedProblems(context, 'procMount', ['Default', 'Unmasked'], field),
    ...(hasHostUsers && context.procMount === 'Unmasked'
      ? [invalid(`${field}.procMount`, 'Unmasked', unmasked)]
      : []),
    ...seccompProblems(context, field),
    ...escalationProblems(context, field),
    ...windowsOptionProblems(context, field),
    ...appArmorProblems(context, field),
  ];
}

/** Who has all rights already has nothing to be kept from. */
function escalationProblems(context: Fields, field: string): FieldProblem[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const added = objectAt(context, 'capabilities').add;
  const reasons = [
    ...(context.privileged === true ? ['`privileged` to true'] : []),
    ...(Array.isArray(added) && added.includes('CAP_SYS_ADMIN')
      ? ['`capabilities.Add` CAP_SYS_ADMIN']
      : []),
  ];
  return reasons.map((reason) =>
    invalid(
      field,
      internalForm('SecurityContext', context),
      `cannot set \`allowPrivilegeEscalation\` to false and ${reason}`,
    ),
  );
}
