import type { JsonValue } from '../entity/entities.ts';
import { type EntityKind, entityKind, entityKinds, referencesTo } from '../entity/entity-kinds.ts';
import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import { type EqualityOptions, findChanges } from './entity-equality.ts';
import { entityLabel, type NameLookup, nameLookup } from './entity-label.ts';
import type { KongEntities } from './kong-entities.ts';
import type { Operation, Plan } from './operation.ts';
import { type PlanStep, PlanSteps, planStep, waitFor, waitForLists } from './plan-steps.ts';
import { withServerMade } from './server-made.ts';
import { atOnce, StepCounter, type Steps } from './steps.ts';
import { resolveUniqueConflicts } from './unique-conflicts.ts';

function* compareKind(
  kind: EntityKind,
  current: KongEntities,
  target: KongEntities,
  names: NameLookup,
  options: EqualityOptions,
  steps: PlanSteps,
): Steps<void> {
  const { collection } = kind;
  const counter = new StepCounter();
  const label = (subject: StoredEntity) => entityLabel(collection, subject, names);
  for (const wanted of target.values(collection)) {
    if (counter.isDue()) yield;
    const before = current.get(collection, wanted.id);
    if (before === undefined) {
      const { id } = wanted;
      steps.add(planStep({ op: 'create', collection, id, label: label(wanted), after: wanted }));
      continue;
    }
    const after = withServerMade(collection, before, wanted, options);
    const changes = findChanges(collection, before, after, options);
    if (changes.length === 0) continue;
    const common = { collection, id: after.id, label: label(after) };
    steps.add(planStep({ op: 'update', ...common, before, after, changes }));
  }
  for (const before of current.values(collection)) {
    if (counter.isDue()) yield;
    if (target.get(collection, before.id) === undefined) {
      const { id } = before;
      steps.add(planStep({ op: 'delete', collection, id, label: label(before), before }));
    }
  }
}

/** A write waits for what it refers to; a delete for what refers to its entity to go or to move. */
function* addReferenceOrder(current: KongEntities, steps: PlanSteps): Steps<void> {
  const counter = new StepCounter();
  for (const step of steps.steps) {
    if (counter.isDue()) yield;
    waitForLists(step, steps);
    for (const { field, collection } of entityKind(step.collection).references) {
      const id = referenceId(step.after?.[field]);
      const referred = id === undefined ? undefined : steps.write(collection, id);
      if (referred?.op === 'create') waitFor(step, referred);
    }
  }
  yield* addListOrder(current, steps, counter);
  for (const kind of entityKinds) {
    if (!steps.hasDeletes(kind.collection)) continue;
    for (const { kind: holderKind, reference } of referencesTo(kind.collection)) {
      for (const holder of current.values(holderKind.collection)) {
        if (counter.isDue()) yield;
        const id = referenceId(holder[reference.field]);
        const gone = id === undefined ? undefined : steps.delete(kind.collection, id);
        if (gone === undefined) continue;
        const leaving =
          steps.delete(holderKind.collection, holder.id) ??
          steps.write(holderKind.collection, holder.id);
        if (leaving !== undefined) waitFor(gone, leaving);
      }
    }
  }
}

/** The same for lists of ids: what is in one goes after the list has let it go. */
function* addListOrder(current: KongEntities, steps: PlanSteps, counter: StepCounter): Steps<void> {
  for (const { collection: holders, idLists = [] } of entityKinds) {
    for (const list of idLists) {
      for (const step of steps.steps) {
        if (counter.isDue()) yield;
        if (step.collection === holders) waitForListed(step, list, steps);
      }
      if (!steps.hasDeletes(list.collection)) continue;
      for (const holder of current.values(holders)) {
        if (counter.isDue()) yield;
        const leaving = steps.delete(holders, holder.id) ?? steps.write(holders, holder.id);
        if (leaving !== undefined) letGo(holder, list, leaving, steps);
      }
    }
  }
}

type IdList = NonNullable<EntityKind['idLists']>[number];

function waitForListed(step: PlanStep, { field, collection }: IdList, steps: PlanSteps): void {
  for (const id of idsIn(step.after?.[field])) {
    const referred = steps.write(collection, id);
    if (referred?.op === 'create') waitFor(step, referred);
  }
}

function letGo(
  holder: StoredEntity,
  { field, collection }: IdList,
  leaving: PlanStep,
  steps: PlanSteps,
): void {
  for (const id of idsIn(holder[field])) {
    const gone = steps.delete(collection, id);
    if (gone !== undefined) waitFor(gone, leaving);
  }
}

function idsIn(list: JsonValue | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((id) => typeof id === 'string') : [];
}

/** Steps in an order in which each follows what it waits for; late deletes at the end. */
function* inOrder(steps: readonly PlanStep[]): Steps<readonly PlanStep[]> {
  const ordered: PlanStep[] = [];
  const entered = new Set<PlanStep>();
  const put = (step: PlanStep): void => {
    step.index = ordered.length;
    ordered.push(step);
  };
  // No recursion: a thousand services that hand on their names are a chain of a thousand steps.
  const place = (first: PlanStep): void => {
    const path = [{ step: first, next: 0 }];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const earlier = top.step.dependsOn[top.next];
      top.next += 1;
      if (earlier === undefined) {
        put(top.step);
        path.pop();
      } else if (earlier.index === -1 && !entered.has(earlier)) {
        entered.add(earlier);
        path.push({ step: earlier, next: 0 });
      }
    }
  };
  const visit = (step: PlanStep): void => {
    if (step.index !== -1) return;
    if (step.dependsOn.length === 0) put(step);
    else place(step);
  };
  const isLate = (step: PlanStep) => step.op === 'delete' && !step.isEarly;
  const counter = new StepCounter();
  for (const step of steps) {
    if (!isLate(step)) visit(step);
    if (counter.isDue()) yield;
  }
  for (const step of steps) visit(step);
  return ordered;
}

function operationOf(step: PlanStep): Operation {
  const { op, collection, id, label, changes, dependsOn, index } = step;
  const indexes = dependsOn.map((other) => other.index);
  const operation: { -readonly [Field in keyof Operation]: Operation[Field] } = {
    index,
    op,
    collection,
    id,
    label,
    changes,
    dependsOn: indexes.length < 2 ? indexes : [...new Set(indexes)].sort((one, two) => one - two),
  };
  if (step.before !== undefined) operation.before = step.before;
  if (step.after !== undefined) operation.after = step.after;
  if (step.isRelease) operation.isRelease = true;
  if (step.isEarly) operation.isEarly = true;
  return operation;
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
  current: KongEntities,
  target: KongEntities,
  options: EqualityOptions = {},
): Plan {
  return atOnce(createPlanSteps(current, target, options));
}

/**
 * {@link createPlan} in steps, for those who have other things to do meanwhile.
 *
 * ```ts
 * const target = new KongEntities();
 * target.put('services', { id: 'a', name: 'shop', host: 'shop' });
 * (await inTurns(createPlanSteps(new KongEntities(), target))).operations.length; // 1
 * ```
 */
export function* createPlanSteps(
  current: KongEntities,
  target: KongEntities,
  options: EqualityOptions = {},
): Steps<Plan> {
  const steps = new PlanSteps();
  const names = nameLookup(target, current);
  for (const kind of entityKinds) yield* compareKind(kind, current, target, names, options, steps);
  yield* addReferenceOrder(current, steps);
  yield* resolveUniqueConflicts(current, steps);
  const counter = new StepCounter();
  const operations: Operation[] = [];
  for (const step of yield* inOrder(steps.steps)) {
    operations.push(operationOf(step));
    if (counter.isDue()) yield;
  }
  return { operations };
}
