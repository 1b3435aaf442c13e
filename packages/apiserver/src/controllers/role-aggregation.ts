import { equalJson } from '@waygate/text';
import type { Core } from '../core/core.ts';

import { matcherOfObject } from '../selectors/label-selector.ts';
import { Controller } from './controller.ts';
import { ControllerWriter } from './writer.ts';

const collection = 'rbac.authorization.k8s.io/clusterroles';

interface Aggregation {
  readonly clusterRoleSelectors?: readonly { matchLabels?: Record<string, string> }[];
}

/** Fills ClusterRoles that are the sum of others. */
export class RoleAggregationController extends Controller {
  readonly #writer: ControllerWriter;

  constructor(core: Core) {
    super(core);
    this.#writer = new ControllerWriter(core);
  }

  start(): void {
    this.#enqueueAll();
    this.follow(collection, () => this.#enqueueAll());
  }

  #enqueueAll(): void {
    for (const entry of this.core.store.collection(collection).entries()) {
      if (entry.object.aggregationRule !== undefined) this.enqueue(entry.name);
    }
  }

  protected async reconcile(name: string): Promise<void> {
    const entry = this.core.store.get(collection, name);
    const rule = entry?.object.aggregationRule as Aggregation | undefined;
    if (entry === undefined || rule === undefined) return;
    const rules: unknown[] = [];
    for (const selector of rule.clusterRoleSelectors ?? []) {
      const matcher = matcherOfObject(selector);
      for (const other of this.core.store.collection(collection).entries()) {
        if (other.name === name || !matcher.matches(other.object.metadata.labels)) continue;
        for (const each of (other.object.rules ?? []) as unknown[]) {
          if (!rules.some((known) => equalJson(known, each))) rules.push(each);
        }
      }
    }
    if (equalJson(rules, entry.object.rules ?? [])) return;
    const resource = this.#writer.resource('rbac.authorization.k8s.io', 'v1', 'clusterroles');
    await this.#writer.update(resource, '', name, (current) => {
      current.rules = rules;
    });
  }
}
