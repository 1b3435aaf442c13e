import type { KubeObject } from '@waygate/schema';
import { idOf, idOfReference, type ObjectId } from '../objects/object-id.ts';
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
}

/** Collects faults while a configuration is put together. */
export class FaultList implements Faults {
  readonly incomplete = new Set<string>();
  readonly objects = new Set<ObjectId>();

  addIncomplete(entities: readonly string[]): void {
    for (const entity of entities) this.incomplete.add(entity);
  }

  addObjects(objects: readonly KubeObject[]): void {
    for (const object of objects) {
      const id = idOf(object);
      if (id !== undefined) this.objects.add(id);
    }
  }

  addProblems(problems: readonly Problem[]): void {
    for (const { object } of problems) this.objects.add(idOfReference(object));
  }
}

export const noFaults: Faults = { incomplete: new Set(), objects: new Set() };
