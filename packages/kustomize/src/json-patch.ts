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

/** Applies operations in order; the document is changed, and returned as its root may be new. */
export function applyJsonPatch(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
): JsonValue {
  const root = { value: document };
  for (const operation of operations) apply(root, operation);
  return root.value;
}

type Container = JsonValue[] | JsonObject;

interface Root {
  value: JsonValue;
}

function apply(root: Root, operation: JsonPatchOperation): void {
  const kind = textOf(operation, 'op');
  const path = pathOf(operation, 'path', kind);
  switch (kind) {
    case 'add':
      add(root, path, copyOf(operation.get('value') ?? null), 'add');
      return;
    case 'remove':
      remove(root, path);
      return;
    case 'replace':
      replace(root, path, copyOf(operation.get('value') ?? null));
      return;
    case 'move': {
      const from = pathOf(operation, 'from', kind);
      const value = read(root, from, 'move');
      remove(root, from);
      add(root, path, value, 'move');
      return;
    }
    case 'copy':
      add(root, path, copyOf(read(root, pathOf(operation, 'from', kind), 'copy')), 'copy');
      return;
    case 'test':
      test(root, path, operation.get('value') ?? null);
      return;
    default:
      throw new KustomizeError(`Unexpected kind: ${kind}`);
  }
}

function textOf(operation: JsonPatchOperation, field: string): string {
  const value = operation.get(field);
  return typeof value === 'string' ? value : 'unknown';
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

function isContainer(value: JsonValue | undefined): value is Container {
  return Array.isArray(value) || value instanceof Map;
}

function unescapePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function peek(container: Container, key: string): JsonValue | undefined {
  if (container instanceof Map) return container.get(key);
  if (!/^-?\d+$/.test(key)) return undefined;
  return container.at(Number(key));
}

function missing(kind: string, what: string, path: string): KustomizeError {
  return new KustomizeError(
    `${kind} operation does not apply: doc is missing ${what}: ${path}: missing value`,
  );
}

function add(root: Root, path: string, value: JsonValue, kind: string): void {
  if (path === '') {
    root.value = value;
    return;
  }
  const found = find(root, path);
  if (found === undefined) {
    throw missing(kind, kind === 'add' ? 'path' : 'destination path', JSON.stringify(path));
  }
  const { container, key } = found;
  if (container instanceof Map) {
    container.set(key, value);
  } else if (key === '-') {
    container.push(value);
  } else {
    const index = indexOf(key, container.length + 1, `error in ${kind} for path: '${path}'`);
    container.splice(index, 0, value);
  }
}

/** Reads an index; negative ones count from the end. */
function indexOf(key: string, size: number, context: string): number {
  if (!/^[-+]?\d+$/.test(key)) {
    throw new KustomizeError(
      `${context}: value was not a proper array index: '${key}': strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`,
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

function remove(root: Root, path: string): void {
  const found = find(root, path);
  if (found === undefined) throw missing('remove', 'path', JSON.stringify(path));
  const { container, key } = found;
  const context = `error in remove for path: '${path}'`;
  if (container instanceof Map) {
    if (!container.delete(key)) {
      throw new KustomizeError(
        `${context}: Unable to remove nonexistent key: ${key}: missing value`,
      );
    }
  } else {
    container.splice(indexOf(key, container.length, context), 1);
  }
}

function replace(root: Root, path: string, value: JsonValue): void {
  if (path === '') {
    root.value = value;
    return;
  }
  const found = find(root, path);
  if (found === undefined) throw missing('replace', 'path', path);
  const { container, key } = found;
  if (container instanceof Map) {
    // A field that is not there yet is accepted, against the RFC, as the original does.
    container.set(key, value);
    return;
  }
  if (peek(container, key) === undefined) throw missing('replace', 'key', path);
  container[indexOf(key, container.length, `error in replace for path: '${path}'`)] = value;
}

function read(root: Root, from: string, kind: string): JsonValue {
  if (from === '') return root.value;
  const found = find(root, from);
  if (found === undefined) throw missing(kind, 'from path', from);
  const { container, key } = found;
  const context = `error in ${kind} for path: '${key}'`;
  if (container instanceof Map) {
    return container.get(key) ?? null;
  }
  return container[indexOf(key, container.length, context)]!;
}

function test(root: Root, path: string, expected: JsonValue): void {
  let actual: JsonValue = root.value;
  if (path !== '') {
    const found = find(root, path);
    if (found === undefined) throw missing('test', 'path', path);
    const value = peek(found.container, found.key);
    if (value === undefined && expected !== null) {
      throw new KustomizeError(
        `error in test for path: '${path}': unable to get nonexistent key: ${found.key}: missing value`,
      );
    }
    actual = value ?? null;
  }
  if (jsonText(actual) !== jsonText(expected)) {
    throw new KustomizeError(`testing value ${path} failed: test failed`);
  }
}

function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Map) {
    return new Map([...value].map(([key, item]) => [key, copyOf(item)]));
  }
  return value;
}
