import { Quantity } from '@waygate/schema';
import { qualifiedNameProblems } from '@waygate/text';
import { type FieldProblem, forbidden, invalid, required } from '../status/field-problem.ts';
import { type Fields, objectAt } from './fields.ts';
import { textProblems } from './rule.ts';

const containerResources = ['cpu', 'memory', 'ephemeral-storage'];

/** Resources that count things. */
const wholeResources = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];

export const quotaResources = [
  ...containerResources,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...wholeResources,
];

const standardResources = [...quotaResources, 'storage'];

export function quantityOf(value: unknown): Quantity {
  return Quantity.parse(String(value));
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith('requests.')) return false;
  return qualifiedNameProblems(`requests.${name}`).length === 0;
}

/** The name of any resource, in containers, quotas and limits. */
export function resourceNameProblems(name: string, field: string): FieldProblem[] {
  const problems = textProblems(field, name, qualifiedNameProblems);
  if (problems.length > 0 || name.includes('/')) return problems;
  const isStandard =
    standardResources.includes(name) || /^(?:requests\.|limits\.)?hugepages-/.test(name);
  return isStandard
    ? []
    : [invalid(field, name, 'must be a standard resource type or fully qualified')];
}

/** The name of a resource that containers have. */
export function containerResourceProblems(name: string, field: string): FieldProblem[] {
  const problems = resourceNameProblems(name, field);
  if (!name.includes('/')) {
    const isStandard = containerResources.includes(name) || name.startsWith('hugepages-');
    if (!isStandard)
      problems.push(invalid(field, name, 'must be a standard resource for containers'));
  } else if (!isNative(name) && !isExtended(name)) {
    problems.push(invalid(field, name, "doesn't follow extended resource name standard"));
  }
  return problems;
}

export function amountProblems(name: string, value: unknown, field: string): FieldProblem[] {
  const quantity = quantityOf(value);
  const problems: FieldProblem[] = [];
  if (quantity.compare(Quantity.fromNumber(0)) < 0)
    problems.push(invalid(field, String(value), 'must be greater than or equal to 0'));
  const isWhole = wholeResources.includes(name) || isExtended(name);
  if (isWhole && quantity.milliValue() % 1000n !== 0n)
    problems.push(invalid(field, String(value), 'must be an integer'));
  return problems;
}

/** Whether more may be asked for than there is: what is native and no huge page. */
function mayOvercommit(name: string): boolean {
  return isNative(name) && !name.startsWith('hugepages-');
}

/** Whole pages only; the size of one is in the name. */
function hugePageProblems(name: string, value: unknown, field: string): FieldProblem[] {
  if (!name.startsWith('hugepages-')) return [];
  const size = /^hugepages-(\d+[KMGTPE]i?)$/.exec(name)?.[1];
  const bytes = quantityOf(value).milliValue();
  if (size !== undefined && bytes > 0n && bytes % quantityOf(size).milliValue() === 0n) return [];
  return [invalid(field, String(value), `${value} is not positive integer multiple of ${name}`)];
}

/** What a container asks for and how far it may go. */
export function resourceProblems(
  resources: Fields,
  field: string,
  nameProblems = containerResourceProblems,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const limits = objectAt(resources, 'limits');
  for (const [name, value] of Object.entries(limits)) {
    const at = `${field}.limits[${name}]`;
    problems.push(
      ...nameProblems(name, at),
      ...amountProblems(name, value, at),
      ...hugePageProblems(name, value, at),
    );
  }
  for (const [name, value] of Object.entries(objectAt(resources, 'requests'))) {
    const at = `${field}.requests[${name}]`;
    problems.push(
      ...nameProblems(name, at),
      ...amountProblems(name, value, at),
      ...hugePageProblems(name, value, at),
    );
    const limit = limits[name];
    if (limit === undefined) {
      if (!mayOvercommit(name)) {
        const why = 'Limit must be set for non overcommitable resources';
        problems.push(required(`${field}.limits`, why));
      }
      continue;
    }
    const order = quantityOf(value).compare(quantityOf(limit));
    if (order !== 0 && !mayOvercommit(name)) {
      const why = `must be equal to ${name} limit of ${limit}`;
      problems.push(invalid(`${field}.requests`, String(value), why));
    } else if (order > 0) {
      const why = `must be less than or equal to ${name} limit of ${limit}`;
      problems.push(invalid(`${field}.requests`, String(value), why));
    }
  }
  const names = [...Object.keys(limits), ...Object.keys(objectAt(resources, 'requests'))];
  const isBacked = names.some((name) => name === 'cpu' || name === 'memory');
  if (!isBacked && names.some((name) => name.startsWith('hugepages-')))
    problems.push(forbidden(field, 'HugePages require cpu or memory'));
  return problems;
}
