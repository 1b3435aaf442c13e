import { type DynamicObject, Quantity } from '@waygate/schema';
import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import { quantityOf } from '../builtins/resource-rules.ts';
import type { Admission, AdmissionAttributes } from '../core/admission.ts';
import { forbiddenError } from '../status/api-error.ts';
import type { Entry } from '../storage/entry.ts';
import { type Store, StoreConflict } from '../storage/store.ts';
import { isInScope, type Usage, usageOf } from './quota-usage.ts';

const collection = 'resourcequotas';

/** Lets nothing in that would take more than the quotas of its namespace have left. */
export class QuotaAdmission implements Admission {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async mutate(): Promise<void> {}

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { operation, namespace, object, subresource, resource } = attributes;
    if (object === undefined || namespace === '' || subresource !== '') return;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return;
    if (resource.group === '' && resource.plural === 'events') return;
    for (const entry of this.#store.collection(collection).entries(namespace))
      await this.#charge(attributes, object, entry.key);
  }

  /** Takes from one quota; another request may take from it at the same time. */
  async #charge(
    attributes: AdmissionAttributes,
    object: Readonly<DynamicObject>,
    key: string,
  ): Promise<void> {
    for (;;) {
      const entry = this.#store.getHead(collection, key);
      if (entry === undefined) return;
      const next = chargedQuota(attributes, object, entry);
      if (next === undefined || attributes.isDryRun) return;
      try {
        await this.#store.write({ collection, key, expected: entry, object: next });
        return;
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
      }
    }
  }
}

/** The quota with the object's share taken; undefined when it takes nothing. */
function chargedQuota(
  attributes: AdmissionAttributes,
  object: Readonly<DynamicObject>,
  entry: Entry,
): DynamicObject | undefined {
  const { resource, oldObject } = attributes;
  const quota = entry.copy();
  const status = objectAt(quota, 'status');
  const hard = objectAt(status, 'hard');
  if (!isInScope(quota, object, resource)) return undefined;
  const usage = usageOf(object, resource);
  const concerned = Object.keys(hard).filter((name) => isCounted(name, usage, attributes));
  if (concerned.length === 0) return undefined;
  if (attributes.operation === 'CREATE') checkStated(attributes, object, quota, concerned);
  const before =
    oldObject !== undefined && isInScope(quota, oldObject, resource)
      ? usageOf(oldObject, resource)
      : new Map<string, Quantity>();
  const used = { ...objectAt(status, 'used') };
  const taken = new Map<string, Quantity>();
  for (const name of concerned) {
    const amount = (usage.get(name) ?? zero).subtract(before.get(name) ?? zero);
    if (amount.compare(zero) > 0) taken.set(name, amount);
  }
  if (taken.size === 0) return undefined;
  const exceeded = [...taken].filter(
    ([name, amount]) =>
      quantityOf(used[name] ?? 0)
        .add(amount)
        .compare(quantityOf(hard[name])) > 0,
  );
  if (exceeded.length > 0) {
    const names = exceeded.map(([name]) => name).sort();
    const show = (read: (name: string) => unknown) =>
      names.map((name) => `${name}=${read(name)}`).join(',');
    refuse(
      attributes,
      object,
      `exceeded quota: ${quota.metadata.name}, requested: ${show((name) => taken.get(name))}, used: ${show((name) => used[name] ?? 0)}, limited: ${show((name) => hard[name])}`,
    );
  }
  for (const [name, amount] of taken)
    used[name] = quantityOf(used[name] ?? 0)
      .add(amount)
      .toString();
  quota.status = { ...status, used };
  return quota;
}

const zero = Quantity.fromNumber(0);
const stated = /^(?:(?:requests|limits)\.)?(?:cpu|memory)$/;

function isCounted(name: string, usage: Usage, { resource }: AdmissionAttributes): boolean {
  const isPod = resource.group === '' && resource.plural === 'pods';
  return usage.has(name) || (isPod && stated.test(name));
}

/** Where a quota counts cpu or memory, every container has to say how much it takes. */
function checkStated(
  attributes: AdmissionAttributes,
  object: Readonly<DynamicObject>,
  quota: DynamicObject,
  names: readonly string[],
): void {
  const { resource } = attributes;
  if (resource.group !== '' || resource.plural !== 'pods') return;
  const spec = objectAt(object, 'spec');
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')];
  const missing = names
    .filter((name) => stated.test(name))
    .sort()
    .flatMap((name) => {
      const lacking = containers.filter((container) => !states(container, name));
      const list = lacking.map((container) => textAt(container, 'name')).sort();
      return list.length === 0 ? [] : [`${name} for: ${list.join(',')}`];
    });
  if (missing.length === 0) return;
  const why = `failed quota: ${quota.metadata.name}: must specify ${missing.join('; ')}`;
  refuse(attributes, object, why);
}

function states(container: Fields, name: string): boolean {
  const field = name.startsWith('limits.') ? 'limits' : 'requests';
  const amounts = objectAt(objectAt(container, 'resources'), field);
  return amounts[name.slice(name.indexOf('.') + 1)] !== undefined;
}

function refuse(
  { resource, name }: AdmissionAttributes,
  object: Readonly<DynamicObject>,
  why: string,
): never {
  const shown = name || (object.metadata.generateName ?? object.metadata.name ?? '');
  throw forbiddenError({ group: resource.group, resource: resource.plural }, shown, why);
}
