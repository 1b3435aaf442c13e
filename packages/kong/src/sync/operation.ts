import type { CollectionName } from '../entity/entity-kinds.ts';
import type { StoredEntity } from '../store/entity-collection.ts';
import type { FieldChange } from './entity-equality.ts';

export type OperationKind = 'create' | 'update' | 'delete';

/** One change to make on the server. */
export interface Operation {
  /** Its place in the plan; others refer to it by this. */
  readonly index: number;
  readonly op: OperationKind;
  readonly collection: CollectionName;
  readonly id: string;
  /** What a person calls the entity. */
  readonly label: string;
  /** What the server has, of an update or a delete. */
  readonly before?: StoredEntity;
  /** What the server should have, of a create or an update: what is sent, without defaults. */
  readonly after?: StoredEntity;
  /** What an update changes. */
  readonly changes: readonly FieldChange[];
  /** The operations that must be done before this one. */
  readonly dependsOn: readonly number[];
  /**
   * Set on a step that only frees a unique value that another operation needs: the entity gets a
   * name that nothing else has, or goes away, until its own operation follows.
   */
  readonly isRelease?: boolean;
  /** A delete that others wait for. All other deletes come after everything else. */
  readonly isEarly?: boolean;
}

/**
 * What is to be done. `dependsOn` says what comes first; a plan as it is made stands in such an order, one
 * whose routes were guarded does not.
 */
export interface Plan {
  readonly operations: readonly Operation[];
}

/**
 * How many operations of each kind a plan has; steps on the way are not counted.
 *
 * ```ts
 * countOperations([]); // { create: 0, update: 0, delete: 0 }
 * ```
 */
export function countOperations(
  operations: readonly Operation[],
): Readonly<Record<OperationKind, number>> {
  const counts = { create: 0, update: 0, delete: 0 };
  for (const operation of operations) {
    if (operation.isRelease !== true) counts[operation.op] += 1;
  }
  return counts;
}
