import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';
import { oneOf } from './rule.ts';

/** Whether a container has to start again when its resources change. */
export function resizePolicyProblems(container: Fields, at: string, spec: Fields): FieldProblem[] {
  const field = `${at}.resizePolicy`;
  const seen = new Set<string>();
  return listAt(container, 'resizePolicy').flatMap((policy, index) => {
    const name = textAt(policy, 'resourceName');
    const restart = textAt(policy, 'restartPolicy');
    const isRepeated = seen.has(name);
    seen.add(name);
    const why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
    return [
      ...(isRepeated ? [duplicate(`${field}[${index}]`, name)] : []),
      // The API leaves the position out of these paths.
      ...oneOf(field, name, ['cpu', 'memory']),
      ...oneOf(field, restart, ['NotRequired', 'RestartContainer']),
      ...(spec.restartPolicy === 'Never' && restart !== 'NotRequired'
        ? [invalid(field, restart, why)]
        : []),
    ];
  });
}

/** Containers that only prepare a pod run once: a resize cannot start them again. */
export function preparingResizeProblems(container: Fields, at: string): FieldProblem[] {
  const why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
  return listAt(container, 'resizePolicy').flatMap(({ restartPolicy }, index) =>
    restartPolicy === 'RestartContainer'
      ? [invalid(`${at}.resizePolicy[${index}].restartPolicy`, restartPolicy, why)]
      : [],
  );
}

const restartPolicies = ['Always', 'Never', 'OnFailure'];
const maxRules = 20;
const maxExitCodes = 255;

/** When a container starts again, unlike the others of its pod. */
export function restartProblems(container: Fields, at: string): FieldProblem[] {
  const rules = listAt(container, 'restartPolicyRules');
  const policy = container.restartPolicy;
  const problems: FieldProblem[] = [];
  if (policy === undefined) {
    const why = 'must specify restartPolicy when restart rules are used';
    if (rules.length > 0) problems.push(required(`${at}.restartPolicy`, why));
  } else if (!restartPolicies.includes(String(policy)))
    problems.push(notSupported(`${at}.restartPolicy`, policy, restartPolicies));
  if (rules.length > maxRules)
    problems.push(tooMany(`${at}.restartPolicyRules`, rules.length, maxRules));
  return [
    ...problems,
    ...rules.flatMap((rule, index) => ruleProblems(rule, `${at}.restartPolicyRules[${index}]`)),
  ];
}

const actions = ['Restart', 'RestartAllContainers'];
const operators = ['In', 'NotIn'];

function ruleProblems(rule: Fields, at: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const listed = (field: string, value: string, known: readonly string[]) => {
    if (!known.includes(value)) problems.push(notSupported(`${at}.${field}`, value, known));
  };
  listed('action', textAt(rule, 'action'), actions);
  if (rule.exitCodes === undefined)
    return [...problems, required(`${at}.exitCodes`, 'must be specified')];
  const codes = objectAt(rule, 'exitCodes');
  listed('exitCodes.operator', textAt(codes, 'operator'), operators);
  const count = listAt(codes, 'values').length;
  if (count > maxExitCodes) problems.push(tooMany(`${at}.exitCodes.values`, count, maxExitCodes));
  return problems;
}
