import { isObject } from '@waygate/text';
import {
  childNode,
  type ListNode,
  type StructNode,
  type TypeNode,
} from '../typed-schema/type-node.ts';
import {
  type FieldSet,
  FieldSetBuilder,
  fieldElement,
  keyElement,
  valueElement,
} from './field-set.ts';

/** The object cannot be understood by its schema: a list item without its key, say. */
export class TypedProblem extends Error {
  override readonly name = 'TypedProblem';
  /**
   * An object cannot be understood by its schema: a list item without its key, say. The client gets
   * a Status that names the field.
   */
  readonly code = 'WG_APISERVER_TYPED';
}

/** Whether a value is owned as a whole. */
function isLeaf(node: TypeNode, value: unknown): boolean {
  if (Array.isArray(value)) return node.kind !== 'list' || node.listType === 'atomic';
  if (isObject(value)) return isAtomicMap(node);
  return true;
}

export function isAtomicMap(node: TypeNode): boolean {
  if (node.kind === 'struct' || node.kind === 'map') return node.isAtomic;
  // Raw JSON has no structure for the API; preserved unknown fields are granular.
  return node.kind !== 'any';
}

/** The path element of an item of a set or map list. */
export function itemElement(node: ListNode, item: unknown, index: number): string {
  if (node.listType === 'set') {
    const why = notInSet(item);
    if (why !== undefined) throw new TypedProblem(`[${index}]: ${why}`);
    return valueElement(item);
  }
  if (!isObject(item)) {
    const what = item === null ? 'a null element' : 'non-map elements';
    throw new TypedProblem(`[${index}]: associative list with keys may not have ${what}`);
  }
  const keys: Record<string, unknown> = {};
  let found = 0;
  for (const key of node.mapKeys) {
    const value = item[key] ?? keyDefault(node.items, key);
    if (value === undefined || value === null) continue;
    keys[key] = value;
    found++;
  }
  if (found === 0) {
    throw new TypedProblem(
      `[${index}]: associative list with keys has an element that omits key field "${node.mapKeys[0]}"`,
    );
  }
  return keyElement(keys);
}

function notInSet(item: unknown): string | undefined {
  const owner = "associative list without keys has an element that's";
  if (item === null) return `${owner} an explicit null`;
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  return isObject(item) ? `${owner} a map type` : undefined;
}

function keyDefault(node: TypeNode, key: string): unknown {
  return node.kind === 'struct' ? (node as StructNode).fields.get(key)?.default : undefined;
}

/** All paths that an applied configuration claims. */
export function fieldSetOf(value: unknown, node: TypeNode): FieldSet {
  const builder = new FieldSetBuilder();
  collect(value, node, [], builder);
  return builder.build();
}

function collect(
  value: unknown,
  node: TypeNode,
  path: readonly string[],
  builder: FieldSetBuilder,
): void {
  if (isLeaf(node, value)) {
    if (path.length > 0) builder.add(path);
    return;
  }
  if (Array.isArray(value)) {
    const list = node as ListNode;
    for (const [index, item] of value.entries()) {
      const itemPath = [...path, itemElement(list, item, index)];
      collect(item, list.items, itemPath, builder);
      builder.add(itemPath);
    }
    return;
  }
  const map = value as Record<string, unknown>;
  for (const [key, item] of Object.entries(map)) {
    const itemPath = [...path, fieldElement(key)];
    collect(item, childNode(node, key), itemPath, builder);
    const isNamed = node.kind === 'struct' && node.fields.has(key);
    if (item === null || (isObject(item) && Object.keys(item).length === 0) || !isNamed) {
      builder.add(itemPath);
    }
  }
}
