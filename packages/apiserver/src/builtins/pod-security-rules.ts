import { type FieldProblem, invalid, notSupported, required } from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { descendingPathProblems } from './volume-rules.ts';

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
  for (const [index, setting] of listAt(context, 'sysctls').entries()) {
    if (textAt(setting, 'name') === '') problems.push(required(`${field}.sysctls[${index}].name`));
  }
  const change = context.fsGroupChangePolicy;
  if (change !== undefined && !['Always', 'OnRootMismatch'].includes(String(change))) {
    const known = ['Always', 'OnRootMismatch'];
    problems.push(notSupported(`${field}.fsGroupChangePolicy`, change, known));
  }
  return [...problems, ...seccompProblems(context, field)];
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

/** `securityContext` of a container. */
export function containerSecurityProblems(container: Fields, field: string): FieldProblem[] {
  if (container.securityContext === undefined) return [];
  const context = objectAt(container, 'securityContext');
  const problems: FieldProblem[] = [];
  problems.push(
    ...idProblems(context, 'runAsUser', field),
    ...idProblems(context, 'runAsGroup', field),
    ...seccompProblems(context, field),
  );
  return problems;
}
