import { Quantity } from '@waygate/schema';
import { dnsLabelProblems, pathSegmentProblems } from '@waygate/text';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../status/field-problem.ts';
import { type Fields, listAt, numberAt, objectAt, textAt } from './fields.ts';
import { quantityOf } from './resource-rules.ts';
import { textProblems } from './rule.ts';

/** By the field that holds it: what a source of a metric may be. Only the first that is there is looked into. */
const sources: Readonly<Record<string, (source: Fields, at: string) => FieldProblem[]>> = {
  object: objectProblems,
  external: externalProblems,
  pods: podsProblems,
  resource: (source, at) => [
    ...resourceNameProblems(source, at),
    ...utilizationProblems(objectAt(source, 'target'), `${at}.target`),
  ],
  containerResource: (source, at) => [
    ...resourceNameProblems(source, at),
    ...containerProblems(source, at),
    ...utilizationProblems(objectAt(source, 'target'), `${at}.target`),
  ],
};
const sourceTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

export function metricProblems(metric: Fields, at: string): FieldProblem[] {
  const type = textAt(metric, 'type');
  const isKnown = sourceTypes.includes(type);
  const unknown = isKnown ? [] : [notSupported(`${at}.type`, type, sourceTypes)];
  const expected = isKnown ? type.slice(0, 1).toLowerCase() + type.slice(1) : '';
  const present = Object.keys(sources).filter((source) => metric[source] !== undefined);
  const [first] = present;
  const why = 'must populate information for the given metric source';
  const others = present.length === 1 ? [] : present.filter((source) => source !== expected);
  return [
    ...(type === '' ? [required(`${at}.type`, 'must specify a metric source type')] : []),
    ...unknown,
    ...(first === undefined
      ? []
      : (sources[first]?.(objectAt(metric, first), `${at}.${first}`) ?? [])),
    ...(isKnown && metric[expected] === undefined ? [required(`${at}.${expected}`, why)] : []),
    ...unknown,
    ...others.map((source) =>
      forbidden(`${at}.${source}`, 'must populate the given metric source only'),
    ),
  ];
}

function objectProblems(source: Fields, at: string): FieldProblem[] {
  const target = objectAt(source, 'target');
  const hasNone = target.value === undefined && target.averageValue === undefined;
  return [
    ...referenceProblems(objectAt(source, 'describedObject'), `${at}.describedObject`),
    ...metricNameProblems(source, at),
    ...targetProblems(target, `${at}.target`),
    ...(hasNone
      ? [required(`${at}.target.averageValue`, 'must set either a target value or averageValue')]
      : []),
  ];
}

function externalProblems(source: Fields, at: string): FieldProblem[] {
  const target = objectAt(source, 'target');
  const why = 'must set either a target value for metric or a per-pod target';
  const both = 'may not set both a target value for metric and a per-pod target';
  const isBoth = target.value !== undefined && target.averageValue !== undefined;
  const hasNone = target.value === undefined && target.averageValue === undefined;
  return [
    ...metricNameProblems(source, at),
    ...targetProblems(target, `${at}.target`),
    ...(hasNone ? [required(`${at}.target.averageValue`, why)] : []),
    ...(isBoth ? [forbidden(`${at}.target.value`, both)] : []),
  ];
}

function podsProblems(source: Fields, at: string): FieldProblem[] {
  const target = objectAt(source, 'target');
  const average = target.averageValue;
  const why = 'must specify a positive target averageValue';
  return [
    ...metricNameProblems(source, at),
    ...targetProblems(target, `${at}.target`),
    ...(average === undefined ? [required(`${at}.target.averageValue`, why)] : []),
  ];
}

function metricNameProblems(source: Fields, at: string): FieldProblem[] {
  const name = textAt(objectAt(source, 'metric'), 'name');
  return name === ''
    ? [required(`${at}.metric.name`, 'must specify a metric name')]
    : textProblems(`${at}.metric.name`, name, pathSegmentProblems);
}

function resourceNameProblems(source: Fields, at: string): FieldProblem[] {
  return textAt(source, 'name') === ''
    ? [required(`${at}.name`, 'must specify a resource name')]
    : [];
}

function containerProblems(source: Fields, at: string): FieldProblem[] {
  const name = textAt(source, 'container');
  return name === ''
    ? [required(`${at}.container`, 'must specify a container')]
    : textProblems(`${at}.container`, name, dnsLabelProblems);
}

/** What an autoscaler points to by kind and name. */
export function referenceProblems(reference: Fields, at: string): FieldProblem[] {
  return ['kind', 'name'].flatMap((name) => {
    const value = textAt(reference, name);
    return value === ''
      ? [required(`${at}.${name}`)]
      : textProblems(`${at}.${name}`, value, pathSegmentProblems);
  });
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function targetProblems(target: Fields, at: string): FieldProblem[] {
  const type = textAt(target, 'type');
  const utilization = numberAt(target, 'averageUtilization');
  const wrong = 'must be either Utilization, Value, or AverageValue';
  return [
    ...(type === '' ? [required(`${at}.type`, 'must specify a metric target type')] : []),
    ...(targetTypes.includes(type) ? [] : [invalid(`${at}.type`, type, wrong)]),
    ...['value', 'averageValue'].flatMap((name) => positiveProblems(target[name], `${at}.${name}`)),
    ...(utilization !== undefined && utilization < 1
      ? [invalid(`${at}.averageUtilization`, utilization, 'must be greater than 0')]
      : []),
  ];
}

function positiveProblems(value: unknown, at: string): FieldProblem[] {
  const isPositive = value === undefined || quantityOf(value).compare(Quantity.fromNumber(0)) > 0;
  return isPositive ? [] : [invalid(at, String(value), 'must be positive')];
}

/** A share of what is asked for, or an amount, and one of both. */
function utilizationProblems(target: Fields, at: string): FieldProblem[] {
  const { averageUtilization: share, averageValue: amount } = target;
  const none = 'must set either a target raw value or a target utilization';
  const both = 'may not set both a target raw value and a target utilization';
  return [
    ...targetProblems(target, at),
    ...(share === undefined && amount === undefined
      ? [required(`${at}.averageUtilization`, none)]
      : []),
    ...(share !== undefined && amount !== undefined ? [forbidden(`${at}.averageValue`, both)] : []),
  ];
}

const maxWindowSeconds = 3600;
const maxPeriodSeconds = 1800;
const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];

/** How quickly it may scale, upwards and downwards. */
export function behaviorProblems(behavior: Fields, at: string): FieldProblem[] {
  return ['scaleUp', 'scaleDown'].flatMap((way) =>
    behavior[way] === undefined ? [] : scalingProblems(objectAt(behavior, way), `${at}.${way}`),
  );
}

function scalingProblems(rules: Fields, at: string): FieldProblem[] {
  const window = numberAt(rules, 'stabilizationWindowSeconds');
  const select = textAt(rules, 'selectPolicy');
  const policies = listAt(rules, 'policies');
  const field = `${at}.stabilizationWindowSeconds`;
  return [
    ...(window === undefined ? [] : secondsProblems(window, field, maxWindowSeconds)),
    ...(selectPolicies.includes(select)
      ? []
      : [notSupported(`${at}.selectPolicy`, select, selectPolicies)]),
    ...(policies.length === 0
      ? [required(`${at}.policies`, 'must specify at least one Policy')]
      : []),
    ...policies.flatMap((policy, index) => policyProblems(policy, `${at}.policies[${index}]`)),
    ...(rules.tolerance !== undefined &&
    quantityOf(rules.tolerance).compare(Quantity.fromNumber(0)) < 0
      ? [invalid(`${at}.tolerance`, String(rules.tolerance), 'must be greater than or equal to 0')]
      : []),
  ];
}

function secondsProblems(seconds: number, at: string, most: number): FieldProblem[] {
  if (seconds < 0) return [invalid(at, seconds, 'must be greater than or equal to zero')];
  return seconds > most ? [invalid(at, seconds, `must be less than or equal to ${most}`)] : [];
}

function policyProblems(policy: Fields, at: string): FieldProblem[] {
  const type = textAt(policy, 'type');
  const value = numberAt(policy, 'value') ?? 0;
  const seconds = numberAt(policy, 'periodSeconds') ?? 0;
  const positive = 'must be greater than zero';
  return [
    ...(policyTypes.includes(type) ? [] : [notSupported(`${at}.type`, type, policyTypes)]),
    ...(value > 0 ? [] : [invalid(`${at}.value`, value, positive)]),
    ...(seconds > 0 ? [] : [invalid(`${at}.periodSeconds`, seconds, positive)]),
    ...(seconds > maxPeriodSeconds
      ? [
          invalid(
            `${at}.periodSeconds`,
            seconds,
            `must be less than or equal to ${maxPeriodSeconds}`,
          ),
        ]
      : []),
  ];
}
