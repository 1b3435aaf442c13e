import { qualifiedNameProblems } from '@waygate/text';
import {
  duplicate,
  type FieldProblem,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { textProblems } from './rule.ts';

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** What is to be done with pods that fail, by how they failed. */
export function failurePolicyProblems(spec: Fields, field: string): FieldProblem[] {
  if (spec.podFailurePolicy === undefined) return [];
  const template = objectAt(objectAt(spec, 'template'), 'spec');
  const containers = ['initContainers', 'containers'].flatMap((list) =>
    listAt(template, list).map((container) => textAt(container, 'name')),
  );
  return listAt(objectAt(spec, 'podFailurePolicy'), 'rules').flatMap((rule, index) => {
    const at = `${field}.podFailurePolicy.rules[${index}]`;
    return [
      ...actionProblems(rule, spec, `${at}.action`),
      ...(rule.onExitCodes === undefined
        ? []
        : exitCodeProblems(objectAt(rule, 'onExitCodes'), `${at}.onExitCodes`, containers)),
      ...listAt(rule, 'onPodConditions').flatMap((condition, place) =>
        conditionProblems(condition, `${at}.onPodConditions[${place}]`),
      ),
      ...oneOfBothProblems(rule, at),
    ];
  });
}

function actionProblems(rule: Fields, spec: Fields, at: string): FieldProblem[] {
  const action = textAt(rule, 'action');
  if (action === '') {
    const known = actions.map((each) => `"${each}"`).join(' ');
    return [required(at, `valid values: [${known}]`)];
  }
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined)
    return [invalid(at, action, 'requires the backoffLimitPerIndex to be set')];
  return actions.includes(action) ? [] : [notSupported(at, action, actions)];
}

function oneOfBothProblems(rule: Fields, at: string): FieldProblem[] {
  const [codes, conditions] = [rule.onExitCodes, rule.onPodConditions].map(
    (each) => each !== undefined,
  );
  if (codes !== conditions) return [];
  const why = codes
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required';
  return [{ type: 'invalidWithoutValue', field: at, detail: why }];
}

function exitCodeProblems(
  codes: Fields,
  at: string,
  containers: readonly string[],
): FieldProblem[] {
  const operator = textAt(codes, 'operator');
  const values = (codes.values ?? []) as number[];
  const container = codes.containerName;
  const place = 'must be one of the container or initContainer names in the pod template';
  const isOrdered = values.every(
    (value, index) => index === 0 || (values[index - 1] ?? 0) <= value,
  );
  return [
    ...(operators.includes(operator) ? [] : [notSupported(`${at}.operator`, operator, operators)]),
    ...(container === undefined || containers.includes(String(container))
      ? []
      : [invalid(`${at}.containerName`, container, place)]),
    ...(values.length === 0
      ? [invalid(`${at}.values`, values, 'at least one value is required')]
      : []),
    ...values.flatMap((value, index) => {
      if (values.indexOf(value) < index) return [duplicate(`${at}.values[${index}]`, value)];
      const isZero = value === 0 && operator === 'In';
      return isZero
        ? [invalid(`${at}.values[${index}]`, 0, 'must not be 0 for the In operator')]
        : [];
    }),
    ...(isOrdered ? [] : [invalid(`${at}.values`, values, 'must be ordered')]),
  ];
}

function conditionProblems(condition: Fields, at: string): FieldProblem[] {
  const status = textAt(condition, 'status');
  return [
    ...textProblems(`${at}.type`, textAt(condition, 'type'), qualifiedNameProblems),
    ...(status === '' || statuses.includes(status)
      ? []
      : [notSupported(`${at}.status`, status, statuses)]),
  ];
}

function shownRule({ succeededIndexes, succeededCount }: Fields): Fields {
  return { SucceededIndexes: succeededIndexes ?? null, SucceededCount: succeededCount ?? null };
}

/** When enough of an indexed job has succeeded for all of it to have. */
export function successPolicyProblems(spec: Fields, field: string): FieldProblem[] {
  if (spec.successPolicy === undefined) return [];
  const at = `${field}.successPolicy`;
  const rules = listAt(objectAt(spec, 'successPolicy'), 'rules');
  if (textAt(spec, 'completionMode') !== 'Indexed')
    return [invalid(at, { Rules: rules.map(shownRule) }, 'requires indexed completion mode')];
  if (rules.length === 0) {
    const why = 'at least one rules must be specified when the successPolicy is specified';
    return [required(`${at}.rules`, why)];
  }
  const completions = numberAt(spec, 'completions') ?? 0;
  return rules.flatMap((rule, index) =>
    successRuleProblems(rule, `${at}.rules[${index}]`, completions),
  );
}

function successRuleProblems(rule: Fields, at: string, completions: number): FieldProblem[] {
  const { succeededIndexes: indexes, succeededCount: count } = rule;
  if (indexes === undefined && count === undefined) {
    const why = 'at least one of succeededCount or succeededIndexes must be specified';
    return [required(at, why)];
  }
  const read = indexes === undefined ? undefined : countIndexes(String(indexes), completions);
  if (typeof read === 'string') {
    const why = `error parsing succeededIndexes: ${read}`;
    return [invalid(`${at}.succeededIndexes`, indexes, why)];
  }
  if (typeof count !== 'number') return [];
  const field = `${at}.succeededCount`;
  if (count < 0) return [invalid(field, count, 'must be greater than or equal to 0')];
  const least = 'must be less than or equal to';
  if (count > completions)
    return [invalid(field, count, `${least} ${completions} (the number of specified completions)`)];
  const which = 'the number of indexes in the specified succeededIndexes field';
  return read !== undefined && count > read
    ? [invalid(field, count, `${least} ${read} (${which})`)]
    : [];
}

/** How many there are in a list such as `1,3-5`, or what is wrong with it. */
function countIndexes(text: string, completions: number): number | string {
  let total = 0;
  let previous: number | undefined;
  for (const interval of text.split(',')) {
    const limits = interval.split('-');
    if (limits.length > 2)
      return `the fragment "${interval}" violates the requirement that an index interval can have at most two parts separated by '-'`;
    for (const limit of limits) {
      if (!/^[+-]?\d+$/.test(limit))
        return `cannot convert string to integer for index: "${limit}"`;
      const index = Number(limit);
      if (index >= completions) return `too large index: "${limit}"`;
      if (previous !== undefined && previous >= index)
        return `non-increasing order, previous: ${previous}, current: ${index}`;
      previous = index;
    }
    total += limits.length === 2 ? Number(limits[1]) - Number(limits[0]) + 1 : 1;
  }
  return total;
}
