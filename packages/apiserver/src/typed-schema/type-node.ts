/**
 * The type of a value, in one form for built-in kinds and custom resources. Decoding,
 * defaulting, patching and field ownership all walk an object along its type.
 */
export type TypeNode = StructNode | MapNode | ListNode | ScalarNode | AnyNode;

export interface StructNode {
  readonly kind: 'struct';
  /** The Go name, as error messages print it: `Container`. */
  readonly name: string;
  /** Of a built-in type, the full name of what it is made from: `io.k8s.api.core.v1.Container`. */
  readonly definition?: string;
  readonly fields: ReadonlyMap<string, FieldNode>;
  /** The whole value has one owner. */
  readonly isAtomic: boolean;
  /** Fields that are not listed are kept. */
  readonly isOpen: boolean;
  /** The type of fields that are not listed, for structs that are maps too. */
  readonly rest?: TypeNode;
}

export interface FieldNode {
  readonly type: TypeNode;
  readonly default?: unknown;
  /** A scalar held by value and left out when it is zero: `0`, `false` and `""` say nothing. */
  readonly isZeroLeftOut?: boolean;
  /** A time held by value, or a list or map that is never left out: it is null when it is not set. */
  readonly isNullWhenMissing?: boolean;
  /** A struct held by value: it is always there, `{}` at least. */
  readonly isEmbedded: boolean;
}

export interface MapNode {
  readonly kind: 'map';
  readonly values: TypeNode;
  readonly isAtomic: boolean;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: TypeNode;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly mapKeys: readonly string[];
}

type ScalarName =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'int-or-string'
  | 'quantity'
  | 'time'
  | 'micro-time'
  | 'bytes';

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly scalar: ScalarName;
  /** The Go type, as error messages print it: `int32`. */
  readonly goType: string;
}

/** Anything goes. Ownership is deduced from the value: maps are granular, lists atomic. */
interface AnyNode {
  readonly kind: 'any';
}

export const anyNode: AnyNode = { kind: 'any' };

export const stringNode: ScalarNode = { kind: 'scalar', scalar: 'string', goType: 'string' };

/** The node of a field of a struct, a map or an untyped value. */
export function childNode(node: TypeNode, field: string): TypeNode {
  if (node.kind === 'struct') return node.fields.get(field)?.type ?? node.rest ?? anyNode;
  return node.kind === 'map' ? node.values : anyNode;
}
