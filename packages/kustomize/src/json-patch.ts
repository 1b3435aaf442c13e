import { KustomizeError } from './kustomize-error.ts';
import { jsonText } from './yaml/json-text.ts';
import type { JsonObject, JsonValue } from './yaml/json-value.ts';

/** One operation of RFC 6902. */
export type JsonPatchOperation = JsonObject;

/** Checks that a document is a list of operations. */
export function asJsonPatch(document: JsonValue): readonly JsonPatchOperation[] {
  if (document === null) return [];
  if (!Array.isArray(document)) {
    throw new KustomizeError(
      `json: cannot unmarshal ${kindOf(document)} into Go value of type jsonpatch.Patch`,
    );
  }
  for (const operation of document) {
    if (!(operation instanceof Map)) {
      throw new KustomizeError(
        `json: cannot unmarshal ${kindOf(operation)} into Go value of type jsonpatch.Operation`,
      );
    }
  }
  return document as JsonObject[];
}

function kindOf(value: JsonValue): string {
  if (value instanceof Map) return 'object';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'number';
}

/**
 * What one patch may copy and move: some copies that double each other fill any memory. No object of
 * Kubernetes can be larger than this, and its API copies no more.
 */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;
const MAX_MOVED_ELEMENTS = 50_000_000;

/** Applies operations in order; the document is changed, and returned as its root may be new. */
export function applyJsonPatch(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
): JsonValue {
  const root = { value: document, bytesLeft: MAX_COPIED_BYTES, movesLeft: MAX_MOVED_ELEMENTS };
  for (const operation of operations) apply(root, operation);
  return root.value;
}

type Container = JsonValue[] | JsonObject;

interface Root {
  value: JsonValue;
  /** Bytes of JSON that copies may still add. */
  bytesLeft: number;
  /** Elements of lists that may still be moved aside for others. */
  movesLeft: number;
}

function spendMoves(root: Root, container: Container): void {
  if (!Array.isArray(container)) return;
  root.movesLeft -= container.length;
  if (root.movesLeft < 0) {
    throw new KustomizeError(
      `the operations of the patch move more than ${MAX_MOVED_ELEMENTS} elements of lists`,
    );
  }
}

function apply(root: Root, operation: JsonPatchOperation): void {
  const kind = textOf(operation, 'op');
  switch (kind) {
    case 'add': {
      const path = pathOf(operation, 'path', kind);
      const { container, key } = demand(
        root,
        path,
        `add operation does not apply: doc is missing path: "${path}"`,
      );
      if (key !== '-') spendMoves(root, container);
      insert(container, key, valueIn(operation), `error in add for path: '${path}'`);
      return;
    }
    case 'remove': {
      const path = pathOf(operation, 'path', kind);
      const { container, key } = demand(
        root,
        path,
        `remove operation does not apply: doc is missing path: "${path}"`,
      );
      spendMoves(root, container);
      removeAt(container, key, `error in remove for path: '${path}'`);
      return;
    }
    case 'replace':
      replace(root, pathOf(operation, 'path', kind), valueIn(operation));
      return;
    case 'move':
      move(root, operation);
      return;
    case 'copy':
      copy(root, operation);
      return;
    case 'test':
      test(root, pathOf(operation, 'path', kind), operation.get('value') ?? null);
      return;
    default:
      throw new KustomizeError(`Unexpected kind: ${kind}`);
  }
}

function textOf(operation: JsonPatchOperation, field: string): string {
  const value = operation.get(field);
  return typeof value === 'string' ? value : 'unknown';
}

function valueIn(operation: JsonPatchOperation): JsonValue {
  return copyOf(operation.get('value') ?? null);
}

function pathOf(operation: JsonPatchOperation, field: string, kind: string): string {
  const value = operation.get(field);
  if (typeof value !== 'string') {
    throw new KustomizeError(`${kind} operation failed to decode ${field}: missing value`);
  }
  return value;
}

/** The container that a path ends in, and its last part; undefined when the way is cut off. */
function find(root: Root, path: string): { container: Container; key: string } | undefined {
  const parts = path.split('/');
  if (parts.length < 2) return undefined;
  const key = unescapePart(parts.at(-1)!);
  let container: JsonValue | undefined = root.value;
  for (const part of parts.slice(1, -1)) {
    if (!isContainer(container)) return undefined;
    container = peek(container, unescapePart(part));
  }
  return isContainer(container) ? { container, key } : undefined;
}

function demand(root: Root, path: string, problem: string): { container: Container; key: string } {
  const found = find(root, path);
  if (found === undefined) throw new KustomizeError(`${problem}: missing value`);
  return found;
}

function isContainer(value: JsonValue | undefined): value is Container {
  return Array.isArray(value) || value instanceof Map;
}

function unescapePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function peek(container: Container, key: string): JsonValue | undefined {
  if (container instanceof Map) return container.get(key);
  if (!INDEX.test(key)) return undefined;
  return container.at(Number(key));
}

const INDEX = /^[-+]?\d+$/;

/** Reads an index; negative ones count from the end. */
function indexOf(key: string, size: number, context: string): number {
  if (!INDEX.test(key)) {
    throw new KustomizeError(
      `${context}: strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`,
    );
  }
  const index = Number(key);
  if (index >= size || index < -size) {
    throw new KustomizeError(
      `${context}: Unable to access invalid index: ${index}: invalid index referenced`,
    );
  }
  return index < 0 ? index + size : index;
}

function insert(container: Container, key: string, value: JsonValue, context: string): void {
  if (container instanceof Map) {
    container.set(key, value);
  } else if (key === '-') {
    container.push(value);
  } else {
    const place = INDEX.test(key)
      ? context
      : `${context}: value was not a proper array index: '${key}'`;
    container.splice(indexOf(key, container.length + 1, place), 0, value);
  }
}

function removeAt(container: Container, key: string, context: string): void {
  if (!(container instanceof Map)) {
    container.splice(indexOf(key, container.length, context), 1);
  } else if (!container.delete(key)) {
    throw new KustomizeError(`${context}: Unable to remove nonexistent key: ${key}: missing value`);
  }
}

/** What is there; an absent field of a map is null. */
function valueAt(container: Container, key: string, context: string): JsonValue {
  if (container instanceof Map) return container.get(key) ?? null;
  return container[indexOf(key, container.length, context)]!;
}

function replace(root: Root, path: string, value: JsonValue): void {
  if (path === '') {
    // A document is a map or a list; anything else is passed over, as the original does.
    if (isContainer(value)) root.value = value;
    return;
  }
  const missing = 'replace operation does not apply: doc is missing';
  const { container, key } = demand(root, path, `${missing} path: ${path}`);
  if (container instanceof Map) {
    // A field that is not there yet is accepted, against the RFC, as the original does.
    container.set(key, value);
    return;
  }
  if (peek(container, key) === undefined) {
    throw new KustomizeError(`${missing} key: ${path}: missing value`);
  }
  container[indexOf(key, container.length, `error in remove for path: '${path}'`)] = value;
}

function move(root: Root, operation: JsonPatchOperation): void {
  const missing = 'move operation does not apply: doc is missing';
  const from = pathOf(operation, 'from', 'move');
  const source = demand(root, from, `${missing} from path: ${from}`);
  const context = `error in move for path: '${source.key}'`;
  const value = valueAt(source.container, source.key, context);
  spendMoves(root, source.container);
  removeAt(source.container, source.key, context);
  const path = pathOf(operation, 'path', 'move');
  const { container, key } = demand(root, path, `${missing} destination path: ${path}`);
  spendMoves(root, container);
  insert(container, key, value, `error in move for path: '${path}'`);
}

function copy(root: Root, operation: JsonPatchOperation): void {
  const missing = 'copy operation does not apply: doc is missing';
  const from = pathOf(operation, 'from', 'copy');
  const source = demand(root, from, `${missing} from path: ${from}`);
  const value = valueAt(source.container, source.key, `error in copy for from: '${from}'`);
  const path = pathOf(operation, 'path', 'copy');
  const { container, key } = demand(root, path, `${missing} destination path: ${path}`);
  root.bytesLeft -= sizeOf(value, root.bytesLeft);
  if (root.bytesLeft < 0) {
    throw new KustomizeError(
      `the copies of the patch, up to that of '${from}', are larger than ${MAX_COPIED_BYTES} bytes`,
    );
  }
  if (key !== '-') spendMoves(root, container);
  insert(container, key, copyOf(value), 'error while adding value during copy');
}

function test(root: Root, path: string, expected: JsonValue): void {
  let actual: JsonValue = root.value;
  if (path !== '') {
    const problem = `test operation does not apply: is missing path: ${path}`;
    const { container, key } = demand(root, path, problem);
    actual = valueAt(container, key, `error in test for path: '${path}'`);
  }
  if (jsonText(actual) !== jsonText(expected)) {
    throw new KustomizeError(`testing value ${path} failed: test failed`);
  }
}

/** About the bytes of a value as JSON; counting ends when they are more than a limit. */
function sizeOf(value: JsonValue, limit: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (!isContainer(value)) return 8;
  let size = 2;
  for (const [key, item] of value.entries()) {
    size += sizeOf(item, limit - size) + (typeof key === 'string' ? key.length + 4 : 1);
    if (size > limit) break;
  }
  return size;
}

function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Map) {
    return new Map([...value].map(([key, item]) => [key, copyOf(item)]));
  }
  return value;
}
