import { isObject } from '@waygate/text';
import { childNode, type ListNode, type TypeNode } from '../typed-schema/type-node.ts';
import type { FieldSet } from './field-set.ts';
import { fieldElement } from './field-set.ts';
import { isAtomicMap, itemElement } from './typed-value.ts';

/** The live object with an applied configuration on top. Items keep the order of both as well as can be. */
export function mergeTyped(live: unknown, applied: unknown, node: TypeNode): unknown {
  if (applied === undefined) return live;
  if (live === undefined || live === null) return applied;
  // Null claims the field and nothing in it: what others have there stays.
  if (applied === null && hasParts(live, node)) return live;
  if (isObject(applied) && isObject(live) && !isAtomicMap(node)) {
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(live)) {
      result[key] = mergeTyped(live[key], applied[key], childNode(node, key));
    }
    for (const key of Object.keys(applied)) {
      if (!Object.hasOwn(live, key)) result[key] = applied[key];
    }
    return result;
  }
  if (Array.isArray(applied) && Array.isArray(live)) {
    if (node.kind === 'list' && node.listType !== 'atomic') return mergeLists(live, applied, node);
  }
  return applied;
}

/** Whether a value has items of its own, each with an owner. */
function hasParts(value: unknown, node: TypeNode): boolean {
  if (Array.isArray(value)) {
    return node.kind === 'list' && node.listType !== 'atomic' && value.length > 0;
  }
  return isObject(value) && !isAtomicMap(node) && Object.keys(value).length > 0;
}

function mergeLists(live: unknown[], applied: unknown[], node: ListNode): unknown[] {
  const left = live.map((item, index) => ({ element: itemElement(node, item, index), item }));
  const right = applied.map((item, index) => ({ element: itemElement(node, item, index), item }));
  const leftByElement = new Map(left.map((each) => [each.element, each.item]));
  const rightByElement = new Map(right.map((each) => [each.element, each.item]));
  const shared = right.filter((each) => leftByElement.has(each.element));
  const merged: unknown[] = [];
  let i = 0;
  let j = 0;
  let nextShared = 0;
  while (i < left.length || j < right.length) {
    const mine = left[i];
    const theirs = right[j];
    if (mine !== undefined && theirs !== undefined) {
      if (mine.element === theirs.element) {
        merged.push(mergeTyped(mine.item, theirs.item, node.items));
        i++;
        j++;
        nextShared++;
        continue;
      }
      // A shared item that is not the next one in the applied order is placed later.
      if (rightByElement.has(mine.element) && shared[nextShared]?.element !== mine.element) {
        i++;
        continue;
      }
    }
    if (mine !== undefined && !rightByElement.has(mine.element)) {
      merged.push(mine.item);
      i++;
      continue;
    }
    if (theirs !== undefined) {
      const old = leftByElement.get(theirs.element);
      merged.push(old === undefined ? theirs.item : mergeTyped(old, theirs.item, node.items));
      if (shared[nextShared]?.element === theirs.element) nextShared++;
      j++;
      continue;
    }
    i++;
  }
  return merged;
}

/** The value without the paths of the set. What becomes empty that way becomes null. */
export function removeFields(value: unknown, set: FieldSet, node: TypeNode): unknown {
  if (set.children.size === 0) return value;
  if (Array.isArray(value)) {
    if (node.kind !== 'list' || node.listType === 'atomic') return value;
    const kept: unknown[] = [];
    for (const [index, item] of value.entries()) {
      const below = set.child(itemElement(node, item, index));
      if (below?.isMember) continue;
      kept.push(below === undefined ? item : removeFields(item, below, node.items));
    }
    return kept.length === 0 ? null : kept;
  }
  if (!isObject(value) || isAtomicMap(node)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const below = set.child(fieldElement(key));
    if (below?.isMember) continue;
    const rest = below === undefined ? item : removeFields(item, below, childNode(node, key));
    kept[key] = rest;
  }
  return Object.keys(kept).length === 0 ? null : kept;
}
