import {
  type FieldProblem,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../status/field-problem.ts';
import { type Fields, numberAt, objectAt, setDefaults, textAt } from './fields.ts';
import { failurePolicyProblems, successPolicyProblems } from './job-policies.ts';
import { podTemplateProblems } from './pod-spec-rules.ts';
import { defaultPodSpec } from './pod-template.ts';
import { nonNegative } from './rule.ts';

const maxInteger = 2 ** 31 - 1;

export function defaultJobSpec(spec: Fields): void {
  setDefaults(spec, {
    completionMode: 'NonIndexed',
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : maxInteger,
    suspend: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  defaultPodSpec(objectAt(objectAt(spec, 'template'), 'spec'));
}

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** The rules of a job and of the job in a CronJob. */
export function jobSpecProblems(spec: Fields, field: string): FieldProblem[] {
  return [
    ...counts.flatMap((name) => nonNegative(`${field}.${name}`, spec[name])),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...managedByProblems(spec, field),
    ...modeProblems(spec, field),
    ...failurePolicyProblems(spec, field),
    ...successPolicyProblems(spec, field),
    ...replacementProblems(spec, field),
    ...podTemplateProblems(objectAt(spec, 'template'), `${field}.template`),
    ...restartProblems(spec, field),
  ];
}

function managedByProblems(spec: Fields, field: string): FieldProblem[] {
  const name = spec.managedBy;
  if (typeof name !== 'string') return [];
  const at = `${field}.managedBy`;
  const problems: FieldProblem[] = [];
  if (!/^[^/]+\/.+$/.test(name)) {
    const why = 'must be a domain-prefixed path (such as "acme.io/foo")';
    problems.push(invalid(at, name, why));
  }
  if (name.length > 63) problems.push(tooLong(at, 63));
  return problems;
}

const modes = ['NonIndexed', 'Indexed'];

function modeProblems(spec: Fields, field: string): FieldProblem[] {
  const mode = textAt(spec, 'completionMode');
  const problems: FieldProblem[] = [];
  if (mode !== '' && !modes.includes(mode))
    problems.push(notSupported(`${field}.completionMode`, mode, modes));
  if (mode === 'Indexed') {
    const completions = numberAt(spec, 'completions');
    const failed = numberAt(spec, 'maxFailedIndexes');
    const parallelism = numberAt(spec, 'parallelism') ?? 0;
    if (completions === undefined)
      problems.push(required(`${field}.completions`, 'when completion mode is Indexed'));
    if (parallelism > 100_000) {
      const why = 'must be less than or equal to 100000 when completion mode is Indexed';
      problems.push(invalid(`${field}.parallelism`, parallelism, why));
    }
    if (completions !== undefined && failed !== undefined && failed > completions) {
      const why = 'must be less than or equal to completions';
      problems.push(invalid(`${field}.maxFailedIndexes`, failed, why));
    }
  }
  if (mode !== 'NonIndexed' && mode !== '') return problems;
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
    if (spec[name] !== undefined)
      problems.push(invalid(`${field}.${name}`, spec[name], 'requires indexed completion mode'));
  }
  return problems;
}

function replacementProblems(spec: Fields, field: string): FieldProblem[] {
  const policy = spec.podReplacementPolicy;
  if (policy === undefined) return [];
  const known =
    spec.podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return known.includes(String(policy))
    ? []
    : [notSupported(`${field}.podReplacementPolicy`, policy, known)];
}

function restartProblems(spec: Fields, field: string): FieldProblem[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  const at = `${field}.template.spec.restartPolicy`;
  if (policy === 'Always' || policy === '')
    return [required(at, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never')
    return [notSupported(at, policy, ['OnFailure', 'Never'])];
  return spec.podFailurePolicy !== undefined && policy !== 'Never'
    ? [invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}
