import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { type CollectionName, entityKinds } from '../entity/entity-kinds.ts';
import { findSchema } from '../schema/schema-catalog.ts';
import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import type { KongEntities } from './kong-entities.ts';
import { type PlanStep, type PlanSteps, planStep, waitFor, waitForLists } from './plan-steps.ts';
import { StepCounter, type Steps } from './steps.ts';

/** The field sets of a kind that no two entities share. */
function uniqueSets(collection: CollectionName): readonly (readonly string[])[] {
  const fields = [...(findSchema(collection)?.fields ?? [])];
  const single = fields
    .filter(([name, field]) => field.unique === true && name !== 'cert_digest')
    .map(([name]) => [name]);
  const kind = entityKinds.find((candidate) => candidate.collection === collection);
  return [...single, ...(kind?.uniqueTogether ?? [])];
}

/** The value of a set as a key, or undefined when there is none that others could have too. */
function uniqueKey(entity: JsonObject, fields: readonly string[]): string | undefined {
  if (fields.length === 1) {
    const value = keyPart(entity, fields[0] as string);
    return value === null || value === '' ? undefined : `${typeof value} ${String(value)}`;
  }
  return JSON.stringify(fields.map((field) => keyPart(entity, field)));
}

function keyPart(entity: JsonObject, field: string): JsonValue {
  const value = entity[field] ?? null;
  return value !== null && typeof value === 'object' ? (referenceId(value) ?? null) : value;
}

/** Whether a step is reached from another by following what it waits for. */
function isReached(step: PlanStep, from: PlanStep): boolean {
  const seen = new Set([from]);
  for (const one of seen) {
    if (one === step) return true;
    for (const earlier of one.dependsOn) seen.add(earlier);
  }
  return false;
}

/** Deletes that others wait for cannot wait for everything else, nor can what they wait for. */
function markEarly(step: PlanStep): void {
  const marked = [step];
  for (let one = marked.pop(); one !== undefined; one = marked.pop()) {
    if (one.op !== 'delete' || one.isEarly) continue;
    one.isEarly = true;
    marked.push(...one.dependsOn);
  }
}

/**
 * Frees a value where waiting for its holder would be waiting in a circle: two services that swap
 * names, or a service that gets a new id while its routes move over. The holder gets another name
 * first; where the value is a combination of references, the holder goes and comes back.
 */
function release(
  holder: PlanStep,
  before: StoredEntity,
  fields: readonly string[],
  steps: PlanSteps,
): PlanStep {
  const [field = 'name'] = fields;
  const value = `${String(before[field])}-moving-${before.id.slice(0, 8)}`;
  const { collection, label } = holder;
  const common = { collection, id: before.id, label, before, isRelease: true };
  const step =
    fields.length > 1
      ? planStep({ ...common, op: 'delete', isEarly: true })
      : planStep({
          ...common,
          op: 'update',
          after: { ...before, [field]: value },
          changes: [{ path: [field], before: before[field] ?? null, after: value }],
        });
  steps.add(step);
  waitForLists(step, steps);
  waitFor(holder, step);
  return step;
}

/** Orders writes after the operations that free the unique values that they need. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: it gives its turn away in the innermost loop, so that parts of it would be generators that hand the counter on.
export function* resolveUniqueConflicts(current: KongEntities, steps: PlanSteps): Steps<void> {
  const counter = new StepCounter();
  const writes = steps.steps.filter((step) => step.op !== 'delete');
  const collections = new Set(writes.map((step) => step.collection));
  for (const collection of collections) {
    if (current.count(collection) === 0) continue;
    for (const fields of uniqueSets(collection)) {
      const holders = new Map<string, StoredEntity>();
      for (const entity of current.values(collection)) {
        const key = uniqueKey(entity, fields);
        if (key !== undefined) holders.set(key, entity);
        if (counter.isDue()) yield;
      }
      const released = new Map<string, PlanStep>();
      for (const step of writes) {
        if (counter.isDue()) yield;
        if (step.collection !== collection || step.after === undefined) continue;
        const key = uniqueKey(step.after, fields);
        const holder = key === undefined ? undefined : holders.get(key);
        if (key === undefined || holder === undefined || holder.id === step.id) continue;
        const freeing = steps.delete(collection, holder.id) ?? steps.write(collection, holder.id);
        if (freeing === undefined) continue;
        if (!isReached(step, freeing)) {
          waitFor(step, freeing);
          markEarly(freeing);
          continue;
        }
        const known = released.get(key) ?? release(freeing, holder, fields, steps);
        released.set(key, known);
        waitFor(step, known);
      }
    }
  }
}
