import { type CollectionName, entityKind } from '../entity/entity-kinds.ts';
import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import type { Operation, OperationKind } from './operation.ts';

/** An operation while the plan is made: what it waits for is still being found out. */
export interface PlanStep {
  readonly op: OperationKind;
  readonly collection: CollectionName;
  readonly id: string;
  readonly label: string;
  readonly before: StoredEntity | undefined;
  readonly after: StoredEntity | undefined;
  readonly changes: Operation['changes'];
  /** `waitFor` adds to it; one that is there twice is waited for once. */
  dependsOn: PlanStep[];
  readonly isRelease: boolean;
  isEarly: boolean;
  /** Its place in the plan once it has one, -1 before. */
  index: number;
}

/** Shared by all steps that wait for nothing: most of a large plan. It stays empty. */
const nothing: never[] = [];

/** A step that waits for nothing. */
export function planStep(
  given: Pick<PlanStep, 'op' | 'collection' | 'id' | 'label'> & Partial<PlanStep>,
): PlanStep {
  return {
    op: given.op,
    collection: given.collection,
    id: given.id,
    label: given.label,
    before: given.before,
    after: given.after,
    changes: given.changes ?? nothing,
    dependsOn: nothing,
    isRelease: given.isRelease === true,
    isEarly: given.isEarly === true,
    index: -1,
  };
}

/** Lets a step wait for another. */
export function waitFor(step: PlanStep, earlier: PlanStep): void {
  if (step.dependsOn === nothing) step.dependsOn = [earlier];
  else step.dependsOn.push(earlier);
}

type StepsById = Map<string, PlanStep>;

/** The steps of a plan, by the entity that they are about. */
export class PlanSteps {
  readonly steps: PlanStep[] = [];
  readonly #writes = new Map<CollectionName, StepsById>();
  readonly #deletes = new Map<CollectionName, StepsById>();

  add(step: PlanStep): void {
    this.steps.push(step);
    if (step.isRelease) return;
    const place = step.op === 'delete' ? this.#deletes : this.#writes;
    const known = place.get(step.collection);
    if (known === undefined) place.set(step.collection, new Map([[step.id, step]]));
    else known.set(step.id, step);
  }

  write(collection: CollectionName, id: string): PlanStep | undefined {
    return this.#writes.get(collection)?.get(id);
  }

  delete(collection: CollectionName, id: string): PlanStep | undefined {
    return this.#deletes.get(collection)?.get(id);
  }

  hasDeletes(collection: CollectionName): boolean {
    return this.#deletes.has(collection);
  }
}

/**
 * A certificate is written with the names that it had when it was read. What becomes of a name comes
 * after that, or the certificate would take back a name that has moved, or bring back one that went.
 */
export function waitForLists(step: PlanStep, steps: PlanSteps): void {
  for (const { field, collection, isListed } of entityKind(step.collection).references) {
    if (isListed !== true) continue;
    for (const side of [step.before, step.after]) {
      const id = referenceId(side?.[field]);
      const lister = id === undefined ? undefined : steps.write(collection, id);
      if (lister !== undefined) waitFor(step, lister);
    }
  }
}
