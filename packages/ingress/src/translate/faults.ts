import type { KubeObject } from '@waygate/schema';
import { idOf, idOfReference, type ObjectId } from '../objects/object-id.ts';
import { entryOf } from '../store/entry-of.ts';
import type { BrokenRule } from './broken-rule.ts';
import type { Problem } from './problem.ts';

/**
 * What of a configuration must not go live as it is: a route never serves without a plugin that its
 * author asked for, and what could not be translated is not the same as what was taken away.
 */
export interface Faults {
  /** Entities that lack a plugin that was asked for: `route NAME`, `service NAME`, … */
  readonly incomplete: ReadonlySet<string>;
  /** Objects that are not in the configuration, or not with all of their rules. */
  readonly objects: ReadonlySet<ObjectId>;
  /** Of those with whom single rules are at fault: these. Of the others nothing was taken away, as far as is known. */
  readonly rules: ReadonlyMap<ObjectId, readonly BrokenRule[]>;
}

/** Collects faults while a configuration is put together. */
export class FaultList implements Faults {
  readonly incomplete = new Set<string>();
  readonly objects = new Set<ObjectId>();
  readonly rules = new Map<ObjectId, BrokenRule[]>();

  addIncomplete(entities: readonly string[]): void {
    for (const entity of entities) this.incomplete.add(entity);
  }

  addObjects(objects: readonly KubeObject[]): void {
    for (const object of objects) {
      const id = idOf(object);
      if (id !== undefined) this.#addObject(id);
    }
  }

  addProblems(problems: readonly Problem[]): void {
    for (const { object, rule } of problems) this.#addObject(idOfReference(object), rule);
  }

  #addObject(id: ObjectId, rule?: BrokenRule): void {
    const isWhole = this.objects.has(id) && !this.rules.has(id);
    this.objects.add(id);
    if (rule === undefined) this.rules.delete(id);
    else if (!isWhole) entryOf(this.rules, id, () => []).push(rule);
  }
}

export const noFaults: Faults = {
  incomplete: new Set(),
  objects: new Set(),
  rules: new Map(),
};
