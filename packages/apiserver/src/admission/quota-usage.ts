import { type DynamicObject, Quantity } from '@waygate/schema';
import { type Fields, listAt, numberAt, objectAt, textAt } from '../builtins/fields.ts';
import { podAmounts } from '../builtins/pod-amounts.ts';
import { quantityOf } from '../builtins/resource-rules.ts';
import type { Resource } from '../resources/resource.ts';

export type Usage = ReadonlyMap<string, Quantity>;

const one = Quantity.fromNumber(1);
/** Kinds that quotas counted before they could count every kind. */
const oldNames = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
]);

/** What one object takes from the quotas of its namespace. */
export function usageOf(
  object: Readonly<DynamicObject>,
  resource: Pick<Resource, 'group' | 'plural'>,
): Usage {
  const { group, plural } = resource;
  const usage = new Map<string, Quantity>();
  usage.set(`count/${group === '' ? plural : `${plural}.${group}`}`, one);
  if (group !== '') return usage;
  if (plural === 'pods') addPod(usage, object);
  else if (oldNames.has(plural)) usage.set(plural, one);
  if (plural === 'services') addService(usage, objectAt(object, 'spec'));
  if (plural === 'persistentvolumeclaims') addClaim(usage, objectAt(object, 'spec'));
  return usage;
}

const computed = ['cpu', 'memory', 'ephemeral-storage'];

function addPod(usage: Map<string, Quantity>, pod: Readonly<DynamicObject>): void {
  const phase = textAt(objectAt(pod, 'status'), 'phase');
  if (phase === 'Succeeded' || phase === 'Failed') return;
  const spec = objectAt(pod, 'spec');
  const requests = podAmounts(spec, 'requests');
  const limits = podAmounts(spec, 'limits');
  usage.set('pods', one);
  for (const name of computed) {
    if (requests[name] !== undefined) {
      usage.set(name, quantityOf(requests[name]));
      usage.set(`requests.${name}`, quantityOf(requests[name]));
    }
    if (limits[name] !== undefined) usage.set(`limits.${name}`, quantityOf(limits[name]));
  }
  for (const [name, amount] of Object.entries(requests)) {
    if (name.includes('/') || name.startsWith('hugepages-'))
      usage.set(`requests.${name}`, quantityOf(amount));
  }
}

function addService(usage: Map<string, Quantity>, spec: Fields): void {
  const type = textAt(spec, 'type');
  const ports = Quantity.fromNumber(listAt(spec, 'ports').length);
  const usesPorts =
    type === 'NodePort' ||
    (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
  if (usesPorts) usage.set('services.nodeports', ports);
  if (type === 'LoadBalancer') usage.set('services.loadbalancers', one);
}

function addClaim(usage: Map<string, Quantity>, spec: Fields): void {
  const storage = objectAt(objectAt(spec, 'resources'), 'requests').storage;
  const suffix = '.storageclass.storage.k8s.io/';
  const name = textAt(spec, 'storageClassName');
  if (name !== '') usage.set(`${name}${suffix}persistentvolumeclaims`, one);
  if (storage === undefined) return;
  usage.set('requests.storage', quantityOf(storage));
  if (name !== '') usage.set(`${name}${suffix}requests.storage`, quantityOf(storage));
}

/** Whether a quota speaks of an object: scopes only ever select pods. */
export function isInScope(
  quota: Readonly<DynamicObject>,
  object: Readonly<DynamicObject>,
  resource: Pick<Resource, 'group' | 'plural'>,
): boolean {
  const spec = objectAt(quota, 'spec');
  const terms = [
    ...((spec.scopes ?? []) as string[]).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...listAt(objectAt(spec, 'scopeSelector'), 'matchExpressions'),
  ];
  if (terms.length === 0) return true;
  if (resource.group !== '' || resource.plural !== 'pods') return false;
  const pod = objectAt(object, 'spec');
  return terms.every((term) => matchesScope(pod, term));
}

function matchesScope(pod: Fields, term: Fields): boolean {
  const isTerminating = (numberAt(pod, 'activeDeadlineSeconds') ?? -1) >= 0;
  const isBestEffort =
    Object.keys(podAmounts(pod, 'requests')).length === 0 &&
    Object.keys(podAmounts(pod, 'limits')).length === 0;
  switch (term.scopeName) {
    case 'Terminating':
      return isTerminating;
    case 'NotTerminating':
      return !isTerminating;
    case 'BestEffort':
      return isBestEffort;
    case 'NotBestEffort':
      return !isBestEffort;
    case 'PriorityClass':
      return matchesPriority(textAt(pod, 'priorityClassName'), term);
    default:
      return false;
  }
}

function matchesPriority(name: string, term: Fields): boolean {
  const values = (term.values ?? []) as string[];
  switch (term.operator) {
    case 'In':
      return values.includes(name);
    case 'NotIn':
      return !values.includes(name);
    case 'DoesNotExist':
      return name === '';
    default:
      return name !== '';
  }
}
