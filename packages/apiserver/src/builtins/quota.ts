import { type DynamicObject, Quantity } from '@waygate/schema';
import { qualifiedNameProblems } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  invalid,
  required,
} from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, setDefaults, textAt, textsAt } from './fields.ts';
import {
  amountProblems,
  containerResourceProblems,
  quantityOf,
  quotaResources,
  resourceNameProblems,
} from './resource-rules.ts';
import { textProblems } from './rule.ts';
import { specOf } from './workload.ts';

export const quotaStrategy: Partial<Strategy> = {
  prepareForCreate(object) {
    object.status = {};
  },
  validate: (object) => quotaProblems(specOf(object)),
  columns: [
    column('Request', (object) => quotaText(object, false)),
    column('Limit', (object) => quotaText(object, true)),
    ageColumn,
  ],
};

function quotaText(object: Readonly<DynamicObject>, isLimit: boolean): string {
  const hard = objectAt(objectAt(object, 'status'), 'hard');
  const used = objectAt(objectAt(object, 'status'), 'used');
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith('limits') === isLimit)
    .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
    .join(', ');
}

const scopes = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
];

const computeResources = quotaResources.filter((name) => /cpu|memory|ephemeral|^pods$/.test(name));

function isScopeFor(scope: string, name: string): boolean {
  if (scope === 'BestEffort') return name === 'pods';
  if (scope === 'VolumeAttributesClass')
    return ['persistentvolumeclaims', 'requests.storage'].includes(name);
  return scopes.includes(scope) ? computeResources.includes(name) : true;
}

function quotaProblems(spec: Fields): FieldProblem[] {
  const problems = Object.entries(objectAt(spec, 'hard')).flatMap(([name, value]) => {
    const at = `spec.hard[${name}]`;
    const found = resourceNameProblems(name, at);
    const isHuge = /^(?:requests\.)?hugepages-/.test(name);
    if (!name.includes('/') && !quotaResources.includes(name) && !isHuge)
      found.push(invalid(at, name, 'must be a standard resource for quota'));
    return [...found, ...amountProblems(name, value, at)];
  });
  const given = (spec.scopes ?? []) as string[];
  for (const scope of given) {
    if (!scopes.includes(scope)) problems.push(invalid('spec.scopes', given, 'unsupported scope'));
    for (const name of Object.keys(objectAt(spec, 'hard'))) {
      if (quotaResources.includes(name) && !isScopeFor(scope, name))
        problems.push(invalid('spec.scopes', given, 'unsupported scope applied to resource'));
    }
  }
  for (const [one, other] of [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ] as const) {
    if (given.includes(one) && given.includes(other))
      problems.push(invalid('spec.scopes', given, 'conflicting scopes'));
  }
  return [
    ...problems,
    ...listAt(objectAt(spec, 'scopeSelector'), 'matchExpressions').flatMap(selectedScopeProblems),
  ];
}

const onlyThere = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'CrossNamespacePodAffinity',
];

/** Scopes by what is said of them; the API leaves the position out of these paths. */
function selectedScopeProblems(expression: Fields): FieldProblem[] {
  const field = 'spec.scopeSelector.matchExpressions';
  const scope = textAt(expression, 'scopeName');
  const operator = textAt(expression, 'operator');
  const values = textsAt(expression, 'values');
  const problems: FieldProblem[] = [];
  if (!scopes.includes(scope))
    problems.push(invalid(`${field}.scopeName`, scope, 'unsupported scope'));
  if (onlyThere.includes(scope) && operator !== 'Exists') {
    const why =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    problems.push(invalid(`${field}.operator`, operator, why));
  }
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (values.length === 0) problems.push(required(`${field}.values`, why));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (values.length > 0) problems.push(invalid(`${field}.values`, values, why));
  } else problems.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  return problems;
}

/** Defaults of a container follow from its bounds. */
export const limitRangeStrategy: Partial<Strategy> = {
  allowsCreateOnUpdate: true,
  prepareForCreate({ metadata }) {
    // One without a name gets one that is nowhere else.
    metadata.name ||= metadata.uid as string;
  },
  applyDefaults(object) {
    for (const limit of listAt(specOf(object), 'limits')) {
      if (limit.type !== 'Container') continue;
      const defaults = { ...objectAt(limit, 'default') };
      setDefaults(defaults, objectAt(limit, 'max'));
      const requests = { ...objectAt(limit, 'defaultRequest') };
      setDefaults(requests, defaults);
      setDefaults(requests, objectAt(limit, 'min'));
      if (Object.keys(defaults).length > 0) limit.default = defaults;
      if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
    }
  },
  validate(object) {
    const seen = new Set<string>();
    return listAt(specOf(object), 'limits').flatMap((limit, index) => {
      const at = `spec.limits[${index}]`;
      const type = textAt(limit, 'type');
      const problems = textProblems(`${at}.type`, type, qualifiedNameProblems);
      if (!type.includes('/') && !limitTypes.includes(type) && problems.length === 0) {
        const why = 'must be a standard limit type or fully qualified';
        problems.push(invalid(`${at}.type`, type, why));
      }
      if (seen.has(type)) problems.push(duplicate(`${at}.type`, type));
      seen.add(type);
      return [...problems, ...limitProblems(limit, type, at)];
    });
  },
};

const limitTypes = ['Pod', 'Container', 'PersistentVolumeClaim'];
const amounts = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

function limitProblems(limit: Fields, type: string, at: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  for (const amount of amounts) {
    const isDefault = amount === 'default' || amount === 'defaultRequest';
    if (type === 'Pod' && isDefault) {
      if (Object.keys(objectAt(limit, amount)).length > 0)
        problems.push(forbidden(`${at}.${amount}`, "may not be specified when `type` is 'Pod'"));
      continue;
    }
    for (const name of Object.keys(objectAt(limit, amount))) {
      const nameProblems =
        type === 'Pod' || type === 'Container' ? containerResourceProblems : resourceNameProblems;
      problems.push(...nameProblems(name, `${at}.${amount}[${name}]`));
      names.add(name);
    }
  }
  if (
    type === 'PersistentVolumeClaim' &&
    objectAt(limit, 'min').storage === undefined &&
    objectAt(limit, 'max').storage === undefined
  ) {
    const why = 'either minimum or maximum storage value is required, but neither was provided';
    problems.push(required(`${at}.limits`, why));
  }
  for (const name of names) problems.push(...orderProblems(limit, name, at));
  return problems;
}

function orderProblems(limit: Fields, name: string, at: string): FieldProblem[] {
  const read = (amount: (typeof amounts)[number]) => objectAt(limit, amount)[name];
  const isOver = (left: unknown, right: unknown) =>
    left !== undefined && right !== undefined && quantityOf(left).compare(quantityOf(right)) > 0;
  const [max, min] = [read('max'), read('min')];
  const [preset, request] = [read('default'), read('defaultRequest')];
  const ratio = read('maxLimitRequestRatio');
  const problems: FieldProblem[] = [];
  const say = (amount: string, value: unknown, why: string) =>
    problems.push(invalid(`${at}.${amount}[${name}]`, value, why));
  if (isOver(min, max)) say('min', min, `min value ${min} is greater than max value ${max}`);
  if (isOver(min, request))
    say(
      'defaultRequest',
      request,
      `min value ${min} is greater than default request value ${request}`,
    );
  if (isOver(request, max))
    say(
      'defaultRequest',
      request,
      `default request value ${request} is greater than max value ${max}`,
    );
  if (isOver(request, preset))
    say(
      'defaultRequest',
      request,
      `default request value ${request} is greater than default limit value ${preset}`,
    );
  if (isOver(min, preset))
    say('default', min, `min value ${min} is greater than default value ${preset}`);
  if (isOver(preset, max))
    say('default', max, `default value ${preset} is greater than max value ${max}`);
  if (ratio !== undefined && quantityOf(ratio).compare(Quantity.fromNumber(1)) < 0)
    say('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`);
  if (ratio !== undefined && max !== undefined && min !== undefined) {
    const thousandths = (value: unknown) => Number(quantityOf(value).milliValue());
    const widest = thousandths(max) / thousandths(min);
    const why = `ratio ${ratio} is greater than max/min = ${widest.toFixed(6)}`;
    if (thousandths(ratio) / 1000 > widest) say('maxLimitRequestRatio', ratio, why);
  }
  return problems;
}
