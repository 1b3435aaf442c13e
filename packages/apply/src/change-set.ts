import type { DynamicObject, KubeObject } from '@waygate/schema';
import { type InventoryEntry, inventoryEntryOf } from './inventory.ts';
import { type ObjectId, objectIdOf, subjectOf } from './object-id.ts';

/** What was done with an object, or would be in a preview. */
export type ChangeAction =
  | 'created'
  | 'configured'
  | 'unchanged'
  | 'deleted'
  | 'skipped'
  /** To be deleted, and not there. */
  | 'absent'
  | 'unknown';

/** What was done to one object. */
export interface Change {
  readonly id: ObjectId;
  readonly entry: InventoryEntry;
  /** `Kind/namespace/name`. */
  readonly subject: string;
  readonly action: ChangeAction;
  /** Fields that differed from what was wanted, as JSON pointers; only of a `configured` object. */
  readonly paths?: readonly string[];
  /** The object as it was and as it would be; of a preview, or where it was asked for. */
  readonly before?: DynamicObject | undefined;
  readonly after?: DynamicObject | undefined;
}

/** A change of an object, with the paths that differ, if they are known. */
export function changeOf(
  object: KubeObject,
  action: ChangeAction,
  paths?: readonly string[],
): Change {
  const id = objectIdOf(object);
  return {
    id,
    entry: inventoryEntryOf(object),
    subject: subjectOf(id),
    action,
    ...(paths === undefined || paths.length === 0 ? {} : { paths }),
  };
}

/**
 * The changes that people want to hear of, a line each: `Service/shop/web created`.
 *
 * ```ts
 * const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } };
 * printChanges([changeOf(web, 'created'), changeOf(web, 'unchanged')]); // 'Deployment/shop/web created'
 * ```
 */
export function printChanges(
  changes: readonly Change[],
  actions: readonly ChangeAction[] = ['created', 'configured'],
): string {
  return changes
    .filter(({ action }) => actions.includes(action))
    .map(({ subject, action }) => `${subject} ${action}`)
    .join('\n');
}
