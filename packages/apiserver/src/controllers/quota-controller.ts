import { type DynamicObject, Quantity } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import { isInScope, usageOf } from '../admission/quota-usage.ts';
import { objectAt } from '../builtins/fields.ts';
import { quantityOf } from '../builtins/resource-rules.ts';
import type { Core } from '../core/core.ts';

import type { Resource } from '../resources/resource.ts';
import { Controller } from './controller.ts';
import { ControllerWriter } from './writer.ts';

const quotas = 'resourcequotas';

/** Says in the status of each quota what its namespace may take and has taken. */
export class QuotaController extends Controller {
  readonly #writer: ControllerWriter;
  readonly #followed = new Set<string>();

  constructor(core: Core) {
    super(core);
    this.#writer = new ControllerWriter(core);
  }

  start(): void {
    for (const entry of this.core.store.collection(quotas).entries()) this.enqueue(entry.namespace);
    this.follow(quotas, (event) => {
      if (event.type !== 'DELETED') this.enqueue(event.entry.namespace);
    });
    this.#followAll();
    this.onStop(this.core.registry.onChange(() => this.#followAll()));
  }

  #followAll(): void {
    for (const resource of this.core.registry.all()) {
      const { collection } = resource;
      const isCounted = resource.isNamespaced && resource.verbs.includes('create');
      if (!isCounted || collection === quotas || collection === 'events') continue;
      if (this.#followed.has(collection)) continue;
      this.#followed.add(collection);
      this.follow(collection, (event) => {
        const { namespace } = event.entry;
        if (this.core.store.collection(quotas).entries(namespace).length > 0)
          this.enqueue(namespace);
      });
    }
  }

  protected async reconcile(namespace: string): Promise<void> {
    const resource = this.#writer.resource('', 'v1', quotas);
    for (const entry of this.core.store.collection(quotas).entries(namespace)) {
      const status = this.#statusOf(entry.object);
      if (equalJson(status, entry.object.status)) continue;
      const write = (current: DynamicObject) => {
        current.status = this.#statusOf(current);
      };
      await this.#writer.update(resource, namespace, entry.name, write, 'status');
    }
  }

  #statusOf(quota: Readonly<DynamicObject>): Record<string, unknown> {
    const hard = objectAt(objectAt(quota, 'spec'), 'hard');
    const sums = new Map<string, Quantity>();
    for (const resource of this.#countedBy(Object.keys(hard))) {
      const entries = this.core.store
        .collection(resource.collection)
        .entries(quota.metadata.namespace);
      for (const { object } of entries) {
        if (!isInScope(quota, object, resource)) continue;
        for (const [name, amount] of usageOf(object, resource))
          sums.set(name, sums.get(name)?.add(amount) ?? amount);
      }
    }
    const names = Object.keys(hard).sort();
    const used = names.map((name) => [name, String(sums.get(name) ?? Quantity.fromNumber(0))]);
    return {
      hard: Object.fromEntries(names.map((name) => [name, quantityOf(hard[name]).toString()])),
      used: Object.fromEntries(used),
    };
  }

  /** The kinds that a quota can be about: those that it names, and those it always knew. */
  #countedBy(names: readonly string[]): Resource[] {
    const seen = new Set<string>();
    return [...this.core.registry.all()].filter((resource) => {
      const { group, plural, collection } = resource;
      const isNamed = names.includes(`count/${group === '' ? plural : `${plural}.${group}`}`);
      const isCounted = resource.isNamespaced && (isNamed || group === '');
      if (!isCounted || seen.has(collection) || !resource.verbs.includes('create')) return false;
      seen.add(collection);
      return collection !== 'events';
    });
  }
}
