import { equalJson, isObject } from '@waygate/text';
import { childNode, type ListNode, type TypeNode } from '../typed-schema/type-node.ts';

import { type FieldSet, FieldSetBuilder, fieldElement } from './field-set.ts';
import { isAtomicMap, itemElement } from './typed-value.ts';

/** Which fields differ between two states of an object. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function isSame(comparison: Comparison): boolean {
  return comparison.added.isEmpty && comparison.modified.isEmpty && comparison.removed.isEmpty;
}

/** Absent is undefined; null is a value. */
export function compareTyped(before: unknown, after: unknown, node: TypeNode): Comparison {
  const walk = new ComparisonWalk();
  walk.visit(before, after, node, []);
  return walk.result();
}

class ComparisonWalk {
  readonly #added = new FieldSetBuilder();
  readonly #modified = new FieldSetBuilder();
  readonly #removed = new FieldSetBuilder();

  result(): Comparison {
    return {
      added: this.#added.build(),
      modified: this.#modified.build(),
      removed: this.#removed.build(),
    };
  }

  visit(before: unknown, after: unknown, node: TypeNode, path: readonly string[]): void {
    if (before === undefined && after === undefined) return;
    const shape = shapeOf(after ?? before, node);
    const other = shapeOf(before ?? after, node);
    if (shape !== other && before !== null && after !== null) {
      this.#leaf(before, after, path);
      return;
    }
    if (shape === 'leaf' || isBothEmpty(before, after)) {
      this.#leaf(before, after, path);
      return;
    }
    if (shape === 'list') this.#list(before, after, node as ListNode, path);
    else this.#map(before, after, node, path);
    if (path.length === 0) return;
    if (before === undefined) this.#added.add(path);
    else if (after === undefined) this.#removed.add(path);
  }

  #leaf(before: unknown, after: unknown, path: readonly string[]): void {
    if (before === undefined) this.#added.add(path);
    else if (after === undefined) this.#removed.add(path);
    else if (!equalJson(before, after)) this.#modified.add(path);
  }

  #map(before: unknown, after: unknown, node: TypeNode, path: readonly string[]): void {
    const left = isObject(before) ? before : {};
    const right = isObject(after) ? after : {};
    for (const key of Object.keys(left)) {
      this.visit(left[key], right[key], childNode(node, key), [...path, fieldElement(key)]);
    }
    for (const key of Object.keys(right)) {
      if (left[key] !== undefined) continue;
      this.visit(undefined, right[key], childNode(node, key), [...path, fieldElement(key)]);
    }
  }

  #list(before: unknown, after: unknown, node: ListNode, path: readonly string[]): void {
    const left = indexed(before, node);
    const right = indexed(after, node);
    for (const [element, items] of left) {
      const others = right.get(element);
      // Items that share a key (which a past version let in) are compared as one value.
      if (items.length > 1 || (others?.length ?? 0) > 1) {
        this.#leaf(items, others, [...path, element]);
      } else {
        this.visit(items[0], others?.[0], node.items, [...path, element]);
        if (others !== undefined) continue;
        this.#removed.add([...path, element]);
      }
    }
    for (const [element, items] of right) {
      if (left.has(element)) continue;
      if (items.length === 1) this.visit(undefined, items[0], node.items, [...path, element]);
      this.#added.add([...path, element]);
    }
  }
}

function indexed(value: unknown, node: ListNode): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>();
  if (!Array.isArray(value)) return items;
  for (const [index, item] of value.entries()) {
    const element = itemElement(node, item, index);
    const same = items.get(element);
    if (same === undefined) items.set(element, [item]);
    else same.push(item);
  }
  return items;
}

function shapeOf(value: unknown, node: TypeNode): 'leaf' | 'list' | 'map' {
  if (value === null) {
    if (node.kind === 'list') return node.listType === 'atomic' ? 'leaf' : 'list';
    return node.kind === 'scalar' || isAtomicMap(node) ? 'leaf' : 'map';
  }
  if (Array.isArray(value)) {
    return node.kind === 'list' && node.listType !== 'atomic' ? 'list' : 'leaf';
  }
  if (isObject(value)) return isAtomicMap(node) ? 'leaf' : 'map';
  return 'leaf';
}

function isBothEmpty(before: unknown, after: unknown): boolean {
  return isEmptyValue(before) && isEmptyValue(after);
}

function isEmptyValue(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
