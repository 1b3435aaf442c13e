import {
  type CollectionName,
  type EntityKind,
  entityKind,
  entityKinds,
  referencesTo,
} from '../entity/entity-kinds.ts';
import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import { type EqualityOptions, findChanges } from './entity-equality.ts';
import { entityLabel, type NameLookup, nameLookup } from './entity-label.ts';
import type { KongState } from './kong-state.ts';
import type { Operation, OperationKind, Plan } from './operation.ts';
import { withServerMade } from './server-made.ts';
import { resolveUniqueConflicts } from './unique-conflicts.ts';

/** An operation while the plan is made: what it waits for is still being found out. */
export interface PlanStep {
  op: OperationKind;
  collection: CollectionName;
  id: string;
  label: string;
  before?: StoredEntity;
  after?: StoredEntity;
  changes: Operation['changes'];
  readonly dependsOn: Set<PlanStep>;
  isRelease?: boolean;
  isEarly?: boolean;
}

function key(collection: CollectionName, id: string): string {
  return `${collection}/${id}`;
}

/** The steps of a plan, by the entity that they are about. */
export class PlanSteps {
  readonly steps: PlanStep[] = [];
  readonly #writes = new Map<string, PlanStep>();
  readonly #deletes = new Map<string, PlanStep>();

  add(step: PlanStep): void {
    this.steps.push(step);
    if (step.isRelease === true) return;
    const place = step.op === 'delete' ? this.#deletes : this.#writes;
    place.set(key(step.collection, step.id), step);
  }

  write(collection: CollectionName, id: string): PlanStep | undefined {
    return this.#writes.get(key(collection, id));
  }

  delete(collection: CollectionName, id: string): PlanStep | undefined {
    return this.#deletes.get(key(collection, id));
  }
}

function compareKind(
  kind: EntityKind,
  current: KongState,
  target: KongState,
  names: NameLookup,
  options: EqualityOptions,
  steps: PlanSteps,
): void {
  const { collection } = kind;
  const step = (op: OperationKind, id: string, subject: StoredEntity): PlanStep => ({
    op,
    collection,
    id,
    label: entityLabel(collection, subject, names),
    changes: [],
    dependsOn: new Set(),
  });
  for (const wanted of target.values(collection)) {
    const before = current.get(collection, wanted.id);
    if (before === undefined) {
      steps.add({ ...step('create', wanted.id, wanted), after: wanted });
      continue;
    }
    const after = withServerMade(collection, before, wanted, options);
    const changes = findChanges(collection, before, after, options);
    if (changes.length > 0)
      steps.add({ ...step('update', after.id, after), before, after, changes });
  }
  for (const before of current.values(collection)) {
    if (target.get(collection, before.id) === undefined) {
      steps.add({ ...step('delete', before.id, before), before });
    }
  }
}

/** A write waits for what it refers to; a delete for what refers to its entity to go or to move. */
function addReferenceOrder(current: KongState, steps: PlanSteps): void {
  for (const step of steps.steps) {
    if (step.op === 'delete') continue;
    for (const { field, collection } of entityKind(step.collection).references) {
      const id = referenceId(step.after?.[field]);
      const referred = id === undefined ? undefined : steps.write(collection, id);
      if (referred?.op === 'create') step.dependsOn.add(referred);
    }
  }
  for (const kind of entityKinds) {
    if (referencesTo(kind.collection).length === 0) continue;
    for (const { kind: holderKind, reference } of referencesTo(kind.collection)) {
      for (const holder of current.values(holderKind.collection)) {
        const id = referenceId(holder[reference.field]);
        const gone = id === undefined ? undefined : steps.delete(kind.collection, id);
        if (gone === undefined) continue;
        const leaving =
          steps.delete(holderKind.collection, holder.id) ??
          steps.write(holderKind.collection, holder.id);
        if (leaving !== undefined) gone.dependsOn.add(leaving);
      }
    }
  }
}

/** Steps in an order in which each follows what it waits for; late deletes at the end. */
function inOrder(steps: readonly PlanStep[]): readonly PlanStep[] {
  const ordered: PlanStep[] = [];
  const placed = new Set<PlanStep>();
  const place = (step: PlanStep): void => {
    if (placed.has(step)) return;
    placed.add(step);
    for (const earlier of step.dependsOn) place(earlier);
    ordered.push(step);
  };
  const isLate = (step: PlanStep) => step.op === 'delete' && step.isEarly !== true;
  for (const step of steps) if (!isLate(step)) place(step);
  for (const step of steps) place(step);
  return ordered;
}

/**
 * Compares what a Kong has with what it should have, and says what to do: pure, and in an order that
 * never breaks a reference or a unique value. Creates and updates come before deletes, so that
 * nothing is missing in between, except where a delete must make room first.
 *
 * @example
 * const plan = createPlan(current, target);
 * for (const { op, collection, label } of plan.operations) console.log(op, collection, label);
 */
export function createPlan(
  current: KongState,
  target: KongState,
  options: EqualityOptions = {},
): Plan {
  const steps = new PlanSteps();
  const names = nameLookup(target, current);
  for (const kind of entityKinds) compareKind(kind, current, target, names, options, steps);
  addReferenceOrder(current, steps);
  resolveUniqueConflicts(current, steps);
  const ordered = inOrder(steps.steps);
  const indexes = new Map(ordered.map((step, index) => [step, index]));
  return {
    operations: ordered.map(({ dependsOn, ...step }, index) => ({
      ...step,
      index,
      dependsOn: [...dependsOn].map((other) => indexes.get(other) as number).sort((a, b) => a - b),
    })),
  };
}
