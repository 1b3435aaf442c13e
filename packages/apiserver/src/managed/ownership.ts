import type { TypeNode } from '../typed-schema/type-node.ts';
import { type Comparison, compareTyped, isSame } from './comparison.ts';
import { FieldSet } from './field-set.ts';
import { type Manager, type Managers, managerIdentity } from './managers.ts';
import { mergeTyped, removeFields } from './typed-merge.ts';
import { fieldSetOf } from './typed-value.ts';

/** Fields that somebody else owns with another value. */
export interface OwnershipConflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

interface OwnershipResult {
  readonly managers: Managers;
  readonly object: Record<string, unknown>;
  readonly conflicts: readonly OwnershipConflict[];
  readonly isChanged: boolean;
}

/** Never owned: what the server sets, and what names the object. */
const stripped = FieldSet.of([
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ['f:metadata', 'f:name'],
  ['f:metadata', 'f:namespace'],
  ['f:metadata', 'f:creationTimestamp'],
  ['f:metadata', 'f:selfLink'],
  ['f:metadata', 'f:uid'],
  ['f:metadata', 'f:clusterName'],
  ['f:metadata', 'f:generation'],
  ['f:metadata', 'f:managedFields'],
  ['f:metadata', 'f:resourceVersion'],
]);

/** Fields that the endpoint resets whatever the client sends: nobody owns them through it. */
function withoutReset(set: FieldSet, reset: FieldSet): FieldSet {
  return set.recursiveDifference(reset).difference(stripped);
}

interface OwnershipRequest {
  readonly live: Record<string, unknown>;
  readonly managers: Managers;
  readonly type: TypeNode;
  readonly reset: FieldSet;
  readonly manager: Omit<Manager, 'set' | 'time'>;
  readonly time: string | undefined;
}

/** A write that replaces the object: the writer owns what it changed, others lose that. */
export function updateOwnership(
  request: OwnershipRequest,
  next: Record<string, unknown>,
): OwnershipResult {
  const comparison = filtered(compareTyped(request.live, next, request.type), request.reset);
  const managers = settle(request.managers, comparison, undefined);
  const identity = managerIdentity(request.manager);
  const gained = comparison.added.union(comparison.modified);
  const previous = managers.get(identity);
  if (!gained.isEmpty) {
    managers.set(identity, {
      ...request.manager,
      time: request.time,
      set: previous === undefined ? gained : previous.set.union(gained),
    });
  }
  return { managers, object: next, conflicts: [], isChanged: !isSame(comparison) };
}

/** Server-side apply: the configuration is all that the manager wants, and no more. */
export function applyOwnership(
  request: OwnershipRequest,
  configuration: Record<string, unknown>,
  isForced: boolean,
): OwnershipResult {
  const identity = managerIdentity(request.manager);
  const last = request.managers.get(identity)?.set;
  const set = withoutReset(fieldSetOf(configuration, request.type), request.reset);
  const merged = mergeTyped(request.live, configuration, request.type) as Record<string, unknown>;
  const claimed = new Map(request.managers);
  claimed.set(identity, { ...request.manager, time: request.managers.get(identity)?.time, set });
  // Here the name counts, too: what holds it is never pruned.
  const wanted = fieldSetOf(configuration, request.type).recursiveDifference(request.reset);
  const wishes = [...claimed].map(([each, manager]) => (each === identity ? wanted : manager.set));
  const object = prune(merged, wishes, last, request.type);
  const comparison = filtered(compareTyped(request.live, object, request.type), request.reset);
  const conflicts = isForced ? [] : conflictsOf(claimed, comparison, identity);
  if (conflicts.length > 0) {
    return { managers: request.managers, object, conflicts, isChanged: false };
  }
  const managers = settle(claimed, comparison, identity);
  if (set.isEmpty) managers.delete(identity);
  else if (!isSame(comparison)) {
    // The time says when the object last changed; taking part in ownership does not count.
    managers.set(identity, { ...request.manager, time: request.time, set });
  }
  return { managers, object, conflicts: [], isChanged: !isSame(comparison) };
}

function filtered(comparison: Comparison, reset: FieldSet): Comparison {
  return {
    added: withoutReset(comparison.added, reset),
    modified: withoutReset(comparison.modified, reset),
    removed: withoutReset(comparison.removed, reset),
  };
}

function conflictsOf(
  managers: Managers,
  comparison: Comparison,
  except: string,
): OwnershipConflict[] {
  const touched = comparison.modified.union(comparison.added);
  const conflicts: OwnershipConflict[] = [];
  for (const [identity, manager] of managers) {
    if (identity === except) continue;
    const fields = manager.set.intersection(touched);
    if (!fields.isEmpty) conflicts.push({ manager, fields });
  }
  return conflicts;
}

/** Takes from everybody (but one) what changed hands, and from all what is gone. */
function settle(
  managers: Managers,
  comparison: Comparison,
  except: string | undefined,
): Map<string, Manager> {
  const touched = comparison.modified.union(comparison.added);
  const result = new Map<string, Manager>();
  for (const [identity, manager] of managers) {
    if (identity === except) {
      result.set(identity, manager);
      continue;
    }
    const set = manager.set.difference(touched).difference(comparison.removed);
    if (!set.isEmpty) result.set(identity, set.equals(manager.set) ? manager : { ...manager, set });
  }
  return result;
}

/**
 * Removes from the merged object what the manager applied last time and does not any more,
 * except what somebody else owns too.
 */
function prune(
  merged: Record<string, unknown>,
  wishes: readonly FieldSet[],
  last: FieldSet | undefined,
  type: TypeNode,
): Record<string, unknown> {
  if (last === undefined || last.isEmpty) return merged;
  const lastNamed = withNamedFields(last, type);
  const mergedSet = withNamedFields(fieldSetOf(merged, type), type);
  let pruned = removeFields(merged, lastNamed, type) as Record<string, unknown> | undefined;
  let owned = FieldSet.empty;
  for (const wish of wishes) owned = owned.union(withNamedFields(wish, type));
  const prunedSet = withNamedFields(fieldSetOf(pruned ?? {}, type), type);
  pruned = removeFields(merged, mergedSet.difference(prunedSet.union(owned)), type) as Record<
    string,
    unknown
  >;
  const backSet = withNamedFields(fieldSetOf(pruned ?? {}, type), type);
  const dangling = mergedSet.difference(backSet).intersection(lastNamed);
  return (removeFields(merged, dangling, type) ?? {}) as Record<string, unknown>;
}

/** Counts the struct fields on the way to a member as members. */
function withNamedFields(set: FieldSet, node: TypeNode): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [element, child] of set.children) {
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    let below: TypeNode = { kind: 'any' };
    let isNamed = false;
    if (name !== undefined && node.kind === 'struct') {
      const field = node.fields.get(name);
      isNamed = field !== undefined;
      below = field?.type ?? node.rest ?? below;
    } else if (name !== undefined && node.kind === 'map') below = node.values;
    else if (name === undefined && node.kind === 'list') below = node.items;
    const inner = withNamedFields(child, below);
    children.set(
      element,
      isNamed && child.children.size > 0 ? new FieldSet(true, inner.children) : inner,
    );
  }
  return new FieldSet(set.isMember, children);
}
