import { isObject } from '@waygate/text';
import type {
  ListNode,
  MapNode,
  ScalarNode,
  StructNode,
  TypeNode,
} from '../typed-schema/type-node.ts';
import { jsonTypeName } from './go-text.ts';
import { goField } from './go-types.ts';
import { conformScalar, type ScalarMismatch } from './scalar.ts';

/** A value does not have the type of its field. The message is the decoder's own. */
export class DecodeProblem extends Error {
  override readonly name = 'DecodeProblem';
  /**
   * A value does not have the type of its field. The client gets a 400 with the decoder's own
   * message.
   */
  readonly code = 'WG_APISERVER_DECODE';
  /** What is said of it where a document that was read before is given its types: after a strategic merge. */
  readonly restoring: string;

  constructor(message: string, restoring = message) {
    super(message);
    this.restoring = restoring;
  }
}

interface Conformed {
  readonly value: Record<string, unknown>;
  /** The fields that the type does not have, in the order of the document. */
  readonly unknownFields: readonly string[];
}

/**
 * Brings a decoded document into the shape that the typed API gives it: unknown fields go,
 * nulls and empty optional values go, embedded structs are there, scalars are canonical.
 * Throws {@link DecodeProblem} on a value of the wrong type.
 */
export function conform(
  value: Record<string, unknown>,
  node: StructNode,
  isRestored = false,
): Conformed {
  const unknownFields: string[] = [];
  const walker = new Walker(node, unknownFields, isRestored);
  return { value: walker.struct(value, node, '', ''), unknownFields };
}

class Walker {
  readonly #root: StructNode;
  readonly #unknown: string[];
  readonly #isRestored: boolean;

  constructor(root: StructNode, unknown: string[], isRestored: boolean) {
    this.#root = root;
    this.#unknown = unknown;
    this.#isRestored = isRestored;
  }

  /** `path` has list positions and is for people; `goPath` is what the decoder prints. */
  struct(
    source: Record<string, unknown>,
    node: StructNode,
    path: string,
    goPath: string,
  ): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(source)) {
      const field = node.fields.get(key);
      if (field === undefined) {
        this.#unknown.push(join(path, key));
        continue;
      }
      const value = source[key];
      if (value === null || value === undefined) continue;
      const conformed = this.value(value, field.type, join(path, key), join(goPath, key));
      if (conformed === undefined) continue;
      if (field.isZeroLeftOut === true && isZeroScalar(conformed)) continue;
      // One that is never left out is filled in below.
      if (field.default === undefined && isEmpty(conformed, field.type)) continue;
      result[key] = conformed;
    }
    fillEmbedded(result, node);
    return result;
  }

  value(value: unknown, node: TypeNode, path: string, goPath: string): unknown {
    switch (node.kind) {
      case 'any':
        return value;
      case 'struct':
        if (!isObject(value)) throw this.#mismatch(value, goPath, node);
        return this.struct(value, node, path, goPath);
      case 'map':
        return this.#map(value, node, path, goPath);
      case 'list':
        return this.#list(value, node, path, goPath);
      case 'scalar':
        return this.#scalar(value, node, goPath);
    }
  }

  #map(value: unknown, node: MapNode, path: string, goPath: string): unknown {
    if (!isObject(value)) throw this.#mismatch(value, goPath, node);
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(value).sort()) {
      const item = value[key];
      if (item === null) {
        // A null in a map is the zero value of its type, not an absent key.
        const zero = zeroOf(node.values);
        if (zero !== undefined) result[key] = zero;
        continue;
      }
      result[key] = this.value(item, node.values, join(path, key), goPath);
    }
    return result;
  }

  #list(value: unknown, node: ListNode, path: string, goPath: string): unknown {
    if (!Array.isArray(value)) throw this.#mismatch(value, goPath, node);
    return value.map((item, index) =>
      item === null
        ? (zeroOf(node.items) ?? null)
        : this.value(item, node.items, `${path}[${index}]`, goPath),
    );
  }

  #scalar(value: unknown, node: ScalarNode, goPath: string): unknown {
    const result = conformScalar(this.#isRestored ? goneRound(value, node) : value, node);
    if (result.kind === 'value') return result.value;
    if (result.kind === 'failure') throw new DecodeProblem(result.message, result.restoring);
    throw this.#mismatch(value, goPath, node, result);
  }

  #mismatch(
    value: unknown,
    goPath: string,
    node: TypeNode,
    { what = jsonTypeName(value), goType }: ScalarMismatch = { kind: 'mismatch' },
  ): DecodeProblem {
    const field = goField(this.#root, goPath.split('.'), node);
    return new DecodeProblem(
      `json: cannot unmarshal ${what} into Go struct field ${field.place} of type ${goType ?? field.type}`,
      restoringProblem(value, node, field.type),
    );
  }
}

/** Go turns a number that was read before into a smaller type without a look at its size. */
function goneRound(value: unknown, { scalar, goType }: ScalarNode): unknown {
  if (scalar !== 'integer' || goType !== 'int32') return value;
  if (typeof value === 'bigint') return Number(BigInt.asIntN(32, value));
  return Number.isInteger(value) ? (value as number) | 0 : value;
}

function fillEmbedded(result: Record<string, unknown>, node: StructNode): void {
  for (const [name, field] of node.fields) {
    if (result[name] !== undefined) continue;
    if (field.isEmbedded && field.type.kind === 'struct') {
      const embedded: Record<string, unknown> = {};
      fillEmbedded(embedded, field.type);
      result[name] = embedded;
    } else if (isZeroScalar(field.default) && field.isZeroLeftOut !== true) {
      // A scalar without omitempty: printed even when it is zero.
      result[name] = field.default;
    } else if (field.isNullWhenMissing === true) result[name] = null;
  }
}

function isZeroScalar(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function isEmpty(value: unknown, node: TypeNode): boolean {
  if (node.kind === 'list') return Array.isArray(value) && value.length === 0;
  if (node.kind === 'map') return isObject(value) && Object.keys(value).length === 0;
  return false;
}

function zeroOf(node: TypeNode): unknown {
  if (node.kind === 'scalar') {
    if (node.scalar === 'string') return '';
    if (node.scalar === 'bytes') return '';
    if (node.scalar === 'integer' || node.scalar === 'number') return 0;
    if (node.scalar === 'boolean') return false;
    if (node.scalar === 'quantity') return '0';
  }
  if (node.kind === 'struct') {
    const zero: Record<string, unknown> = {};
    fillEmbedded(zero, node);
    return zero;
  }
  return undefined;
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function restoringProblem(value: unknown, node: TypeNode, goType: string): string | undefined {
  const found = goKindOf(value);
  switch (node.kind) {
    case 'struct':
      return `cannot restore struct from: ${found}`;
    case 'map':
      return `cannot restore map from ${found}`;
    case 'list':
      return `cannot restore slice from ${found}`;
    case 'scalar': {
      const made = plainScalars.get(node.scalar);
      if (made === undefined) return undefined;
      return made.includes(found)
        ? `cannot convert ${found} to ${goType}`
        : `unrecognized type: ${node.goType}`;
    }
    case 'any':
      return undefined;
  }
}

/** What Go could make one of, and JSON could not. Those that are not here read themselves from JSON. */
const plainScalars: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['int64']],
  ['boolean', []],
  ['integer', ['float64']],
  ['number', []],
]);

function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (isObject(value)) return 'map';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return jsonTypeName(value);
}
