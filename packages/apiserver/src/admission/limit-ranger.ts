import { type DynamicObject, Quantity } from '@waygate/schema';
import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import { podAmounts } from '../builtins/pod-amounts.ts';
import { quantityOf } from '../builtins/resource-rules.ts';
import type { Admission, AdmissionAttributes } from '../core/admission.ts';
import { forbiddenError } from '../status/api-error.ts';
import type { Store } from '../storage/store.ts';

const annotation = 'kubernetes.io/limit-ranger';

/** Fills in what containers leave open, and holds pods and claims to the limits of their namespace. */
export class LimitRanger implements Admission {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    const { object } = attributes;
    if (object === undefined || !concerns(attributes, 'pods')) return;
    if (attributes.operation !== 'CREATE') return;
    for (const range of this.#ranges(attributes)) fillContainers(object, range);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { object } = attributes;
    if (object === undefined) return;
    for (const range of this.#ranges(attributes)) {
      const found = concerns(attributes, 'pods')
        ? attributes.operation === 'CREATE'
          ? podProblems(object, range)
          : []
        : concerns(attributes, 'persistentvolumeclaims')
          ? claimProblems(object, range)
          : [];
      if (found.length === 0) continue;
      const { group, plural } = attributes.resource;
      // What several containers do wrong is said once.
      const problems = [...new Set(found)];
      const why = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
      throw forbiddenError({ group, resource: plural }, object.metadata.name ?? '', why as string);
    }
  }

  #ranges({ resource, namespace }: AdmissionAttributes): readonly Readonly<DynamicObject>[] {
    if (resource.group !== '' || namespace === '') return [];
    return this.#store
      .collection('limitranges')
      .entries(namespace)
      .map((entry) => entry.object);
  }
}

function concerns({ resource, subresource }: AdmissionAttributes, plural: string): boolean {
  return resource.group === '' && resource.plural === plural && subresource === '';
}

function limitsOf(range: Readonly<DynamicObject>): Fields[] {
  return listAt(objectAt(range, 'spec'), 'limits');
}

function fillContainers(pod: DynamicObject, range: Readonly<DynamicObject>): void {
  const notes: string[] = [];
  const limits: Fields = {};
  const requests: Fields = {};
  for (const limit of limitsOf(range).filter((each) => each.type === 'Container')) {
    Object.assign(limits, objectAt(limit, 'default'));
    Object.assign(requests, objectAt(limit, 'defaultRequest'));
  }
  for (const [kind, name] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    for (const container of listAt(objectAt(pod, 'spec'), kind)) {
      const resources = { ...objectAt(container, 'resources') };
      for (const [field, word, defaults] of [
        ['requests', 'request', requests],
        ['limits', 'limit', limits],
      ] as const) {
        const given = objectAt(resources, field);
        const missing = Object.keys(defaults).filter((each) => given[each] === undefined);
        if (missing.length === 0) continue;
        resources[field] = { ...pick(defaults, missing), ...given };
        notes.push(`${missing.sort().join(', ')} ${word} for ${name} ${textAt(container, 'name')}`);
      }
      container.resources = resources;
    }
  }
  if (notes.length === 0) return;
  const text = `LimitRanger plugin set: ${notes.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: text };
}

function pick(from: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

function podProblems(pod: Readonly<DynamicObject>, range: Readonly<DynamicObject>): string[] {
  const spec = objectAt(pod, 'spec');
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')];
  return limitsOf(range).flatMap((limit) => {
    const type = textAt(limit, 'type');
    if (type === 'Container') {
      return containers.flatMap((container) => {
        const resources = objectAt(container, 'resources');
        return bounds(limit, objectAt(resources, 'requests'), objectAt(resources, 'limits'));
      });
    }
    if (type !== 'Pod') return [];
    return bounds(limit, podAmounts(spec, 'requests'), podAmounts(spec, 'limits'));
  });
}

/** What a limit says of one resource, and what is asked for and allowed of it. */
interface Usage {
  readonly type: string;
  readonly name: string;
  readonly bound: unknown;
  readonly request: unknown;
  readonly limit: unknown;
}

const rules: readonly (readonly [field: string, rule: (usage: Usage) => string[]])[] = [
  ['min', minimum],
  ['max', maximum],
  ['maxLimitRequestRatio', ratio],
];

function bounds(limit: Fields, requests: Fields, limits: Fields): string[] {
  const type = textAt(limit, 'type');
  return rules.flatMap(([field, rule]) =>
    Object.entries(objectAt(limit, field)).flatMap(([name, bound]) =>
      rule({ type, name, bound, request: requests[name], limit: limits[name] }),
    ),
  );
}

function compare(left: unknown, right: unknown): number {
  return quantityOf(left).compare(quantityOf(right));
}

function minimum({ type, name, bound, request, limit }: Usage): string[] {
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return [`${rule}.  No request is specified`];
  if (compare(request, bound) < 0) return [`${rule}, but request is ${request}`];
  if (limit !== undefined && compare(limit, bound) < 0) return [`${rule}, but limit is ${limit}`];
  return [];
}

function maximum({ type, name, bound, request, limit }: Usage): string[] {
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return [`${rule}.  No limit is specified`];
  if (compare(limit, bound) > 0) return [`${rule}, but limit is ${limit}`];
  if (request !== undefined && compare(request, bound) > 0)
    return [`${rule}, but request is ${request}`];
  return [];
}

function ratio({ type, name, bound, request, limit }: Usage): string[] {
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  const isZero = (value: unknown) => value === undefined || compare(value, '0') === 0;
  if (isZero(request)) return [`${rule}, but no request is specified or request is 0`];
  if (isZero(limit)) return [`${rule}, but no limit is specified or limit is 0`];
  const observed = quantityOf(limit).toNumber() / quantityOf(request).toNumber();
  return observed > Quantity.parse(String(bound)).toNumber()
    ? [`${rule}, but provided ratio is ${observed.toFixed(6)}`]
    : [];
}

function claimProblems(claim: Readonly<DynamicObject>, range: Readonly<DynamicObject>): string[] {
  const requests = objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests');
  return limitsOf(range)
    .filter((limit) => limit.type === 'PersistentVolumeClaim')
    .flatMap((limit) => [
      ...Object.entries(objectAt(limit, 'min')).flatMap(([name, bound]) =>
        minimum({
          type: 'PersistentVolumeClaim',
          name,
          bound,
          request: requests[name],
          limit: undefined,
        }),
      ),
      ...Object.entries(objectAt(limit, 'max')).flatMap(([name, bound]) => {
        const rule = `maximum ${name} usage per PersistentVolumeClaim is ${bound}`;
        if (requests[name] === undefined) return [`${rule}.  No request is specified`];
        return compare(requests[name], bound) > 0
          ? [`${rule}, but request is ${requests[name]}`]
          : [];
      }),
    ]);
}
