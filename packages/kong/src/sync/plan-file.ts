import { findEntityKind } from '../entity/entity-kinds.ts';
import { KongError } from '../kong-error.ts';
import { findChanges } from './entity-equality.ts';
import type { KongEntities } from './kong-entities.ts';
import type { Operation, Plan } from './operation.ts';

/** The version of the form in which plans are saved. */
const planVersion = 1;

/** A plan with the place that it was made for. */
export interface SavedPlan extends Plan {
  readonly workspace?: string;
}

/**
 * A plan as text that can be kept and carried out later. It holds secrets.
 *
 * ```ts
 * const saved = serializePlan({ operations: [] });
 * parsePlan(saved).operations; // []
 * ```
 */
export function serializePlan({ operations, workspace }: SavedPlan): string {
  const place = workspace === undefined ? {} : { workspace };
  return `${JSON.stringify({ version: planVersion, ...place, operations })}\n`;
}

function isOperation(value: unknown, index: number): value is Operation {
  if (value === null || typeof value !== 'object') return false;
  const { op, collection, id, label, changes, dependsOn } = value as Partial<Operation>;
  const isEarlier = (other: unknown) => Number.isInteger(other) && (other as number) < index;
  return (
    (op === 'create' || op === 'update' || op === 'delete') &&
    typeof collection === 'string' &&
    findEntityKind(collection) !== undefined &&
    typeof id === 'string' &&
    typeof label === 'string' &&
    Array.isArray(changes) &&
    Array.isArray(dependsOn) &&
    dependsOn.every(isEarlier) &&
    (value as Operation).index === index
  );
}

/**
 * Reads a plan that was saved.
 *
 * ```ts
 * parsePlan(serializePlan({ operations: [] })).operations; // []
 * ```
 */
export function parsePlan(text: string): SavedPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new KongError('WG_KONG_FILE', 'the plan is not JSON', { cause });
  }
  const { version, operations, workspace } = (value ?? {}) as Record<string, unknown>;
  if (version !== planVersion || !Array.isArray(operations)) {
    throw new KongError('WG_KONG_FILE', `this is no plan of version ${planVersion}`);
  }
  const broken = operations.findIndex((operation, index) => !isOperation(operation, index));
  if (broken !== -1)
    throw new KongError('WG_KONG_FILE', `operation ${broken} of the plan is broken`);
  return {
    operations: operations as readonly Operation[],
    ...(typeof workspace === 'string' ? { workspace } : {}),
  };
}

/**
 * What has changed on the server since a plan was made, in words; empty when it still fits.
 *
 * ```ts
 * const target = new KongEntities();
 * target.put('services', { id: 'a', name: 'shop', host: 'shop' });
 * findDrift(createPlan(new KongEntities(), target), target); // ['services shop is there already']
 * ```
 */
export function findDrift(plan: Plan, current: KongEntities): readonly string[] {
  return plan.operations.flatMap(({ op, collection, id, label, before }) => {
    const now = current.get(collection, id);
    if (op === 'create')
      return now === undefined ? [] : [`${collection} ${label} is there already`];
    if (now === undefined) return [`${collection} ${label} is gone`];
    if (before === undefined) return [];
    const changed = findChanges(collection, now, before, { passwords: 'ignore' });
    return changed.length === 0 ? [] : [`${collection} ${label} was changed`];
  });
}
