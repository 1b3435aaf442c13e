import type { JsonObject } from '../entity/entities.ts';
import { type CollectionName, entityKinds } from '../entity/entity-kinds.ts';
import { findSchema } from '../schema/schema-catalog.ts';
import { referenceId, type StoredEntity } from '../store/entity-collection.ts';
import type { PlanStep, PlanSteps } from './create-plan.ts';
import type { KongState } from './kong-state.ts';

/** The field sets of a kind that no two entities share. */
function uniqueSets(collection: CollectionName): readonly (readonly string[])[] {
  const fields = [...(findSchema(collection)?.fields ?? [])];
  const single = fields
    .filter(([name, field]) => field.unique === true && name !== 'cert_digest')
    .map(([name]) => [name]);
  const kind = entityKinds.find((candidate) => candidate.collection === collection);
  return [...single, ...(kind?.uniqueTogether ?? [])];
}

function uniqueKey(entity: JsonObject, fields: readonly string[]): string | undefined {
  const parts = fields.map((field) => {
    const value = entity[field] ?? null;
    return value !== null && typeof value === 'object' ? (referenceId(value) ?? null) : value;
  });
  if (fields.length === 1 && (parts[0] === null || parts[0] === '')) return undefined;
  return JSON.stringify(parts);
}

/** Whether a step is reached from another by following what it waits for. */
function waitsFor(step: PlanStep, other: PlanStep, seen = new Set<PlanStep>()): boolean {
  if (step === other) return true;
  if (seen.has(step)) return false;
  seen.add(step);
  for (const earlier of step.dependsOn) if (waitsFor(earlier, other, seen)) return true;
  return false;
}

/** Deletes that others wait for cannot wait for everything else, nor can what they wait for. */
function markEarly(step: PlanStep): void {
  if (step.op !== 'delete' || step.isEarly === true) return;
  step.isEarly = true;
  for (const earlier of step.dependsOn) markEarly(earlier);
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
  const common = {
    collection: holder.collection,
    id: before.id,
    label: holder.label,
    before,
    dependsOn: new Set<PlanStep>(),
    isRelease: true,
  };
  const step: PlanStep =
    fields.length > 1
      ? { ...common, op: 'delete', changes: [], isEarly: true }
      : {
          ...common,
          op: 'update',
          after: { ...before, [field]: value },
          changes: [{ path: [field], before: before[field] ?? null, after: value }],
        };
  steps.add(step);
  holder.dependsOn.add(step);
  return step;
}

/** Orders writes after the operations that free the unique values that they need. */
export function resolveUniqueConflicts(current: KongState, steps: PlanSteps): void {
  const writes = steps.steps.filter((step) => step.op !== 'delete');
  const collections = new Set(writes.map((step) => step.collection));
  for (const collection of collections) {
    for (const fields of uniqueSets(collection)) {
      const holders = new Map<string, StoredEntity>();
      for (const entity of current.values(collection)) {
        const key = uniqueKey(entity, fields);
        if (key !== undefined) holders.set(key, entity);
      }
      const released = new Map<string, PlanStep>();
      for (const step of writes) {
        if (step.collection !== collection || step.after === undefined) continue;
        const key = uniqueKey(step.after, fields);
        const holder = key === undefined ? undefined : holders.get(key);
        if (key === undefined || holder === undefined || holder.id === step.id) continue;
        const freeing = steps.delete(collection, holder.id) ?? steps.write(collection, holder.id);
        if (freeing === undefined) continue;
        if (!waitsFor(freeing, step)) {
          step.dependsOn.add(freeing);
          markEarly(freeing);
          continue;
        }
        const known = released.get(key) ?? release(freeing, holder, fields, steps);
        released.set(key, known);
        step.dependsOn.add(known);
      }
    }
  }
}
