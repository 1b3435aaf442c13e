import { TextError } from './error.ts';
import { cloneJson, encodeJson, equalJson, getOwn, isObject, setOwn } from './json.ts';
import { checkPatchDepth, maxPatchDepth } from './patch-depth.ts';

/** One step of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string };

/** Bounds of a JSON patch. */
export interface JsonPatchOptions {
  /** Operations in one patch; Kubernetes takes 10,000. */
  readonly maxOperations?: number | undefined;
  /** How deep the document may nest after each operation; {@link maxPatchDepth} unless it says. */
  readonly maxDepth?: number | undefined;
  /** Bytes of JSON that `copy` may add in sum, against patches that double a document; 3 MiB, as in Kubernetes. */
  readonly maxCopyBytes?: number | undefined;
}

/** How objects are held in a document: as plain ones, or as Maps where the order of keys and every number matter. */
export interface JsonPatchValues {
  isMap(value: unknown): value is object;
  /** undefined when the key is not there. */
  get(map: object, key: string): unknown;
  set(map: object, key: string, value: unknown): void;
  delete(map: object, key: string): void;
  clone(value: unknown): unknown;
  /** As JSON text, in which equal values are the same; its length is what a copy of the value costs. */
  text(value: unknown): string;
  isEqual(left: unknown, right: unknown): boolean;
}

const plainValues: JsonPatchValues = {
  isMap: isObject,
  get: (map, key) => getOwn(map as Record<string, unknown>, key),
  set: setOwn,
  delete: (map, key) => {
    delete (map as Record<string, unknown>)[key];
  },
  clone: cloneJson,
  text: encodeJson,
  isEqual: equalJson,
};

/**
 * Applies a JSON patch (RFC 6902) as the API server, its webhooks and kustomize do, in their words when it
 * fails: `replace` sets a key that is not there, negative indices count from the end, `test` takes a
 * missing key for null. The document is not changed; either all operations apply or none.
 *
 * ```ts
 * applyJsonPatch({ list: [1, 2] }, [{ op: 'add', path: '/list/-', value: 3 }]); // { list: [1, 2, 3] }
 * ```
 *
 * @throws TextError `WG_TEXT_PATCH`
 */
export function applyJsonPatch(
  document: unknown,
  operations: readonly JsonPatchOperation[],
  options: JsonPatchOptions = {},
): unknown {
  checkPatchDepth(document);
  return patchInPlace(cloneJson(document), operations, plainValues, options);
}

/**
 * Applies a JSON patch to a document of any shape, in place, and returns its root, which may be another
 * one. What fails in the middle leaves the document half changed.
 *
 * ```ts
 * declare const mapValues: JsonPatchValues;
 * const document = new Map([['replicas', 1n]]);
 * patchInPlace(document, [new Map([['op', 'remove'], ['path', '/replicas']])], mapValues);
 * ```
 *
 * @throws TextError `WG_TEXT_PATCH`
 */
export function patchInPlace(
  document: unknown,
  operations: unknown,
  values: JsonPatchValues,
  options: JsonPatchOptions = {},
): unknown {
  const steps = readJsonPatch(operations, values);
  const maxOperations = options.maxOperations ?? 10_000;
  if (steps.length > maxOperations) {
    throw wrong(`the patch has ${steps.length} operations, more than ${maxOperations}`);
  }
  const patch = new Patching(document, values, options);
  for (const step of steps) patch.apply(step);
  return patch.root;
}

/**
 * A document as a list of operations; null among them is one without fields, as Go reads it.
 *
 * ```ts
 * readJsonPatch([{ op: 'remove', path: '/spec' }, null]); // [{ op: 'remove', path: '/spec' }, {}]
 * ```
 *
 * @throws TextError `WG_TEXT_PATCH`
 */
export function readJsonPatch(
  document: unknown,
  values: JsonPatchValues = plainValues,
): readonly object[] {
  if (document === null) return [];
  if (!Array.isArray(document)) throw cannotUnmarshal(document, 'jsonpatch.Patch');
  return document.map((operation: unknown) => {
    if (operation === null) return {};
    if (!values.isMap(operation)) throw cannotUnmarshal(operation, 'jsonpatch.Operation');
    return operation;
  });
}

function cannotUnmarshal(value: unknown, type: string): TextError {
  const kinds: Record<string, string> = { boolean: 'bool', string: 'string', object: 'object' };
  const kind = Array.isArray(value) ? 'array' : (kinds[typeof value] ?? 'number');
  return wrong(`json: cannot unmarshal ${kind} into Go value of type ${type}`);
}

const maxMovedElements = 50_000_000;
const indexForm = /^[-+]?\d+$/;
const largestIndex = 2n ** 63n;

function wrong(problem: string): TextError {
  return new TextError('WG_TEXT_PATCH', problem);
}

/** A list or an object, and the key or index in it that a path ends with. */
interface Place {
  readonly container: unknown[] | object;
  readonly key: string;
}

class Patching {
  root: unknown;
  readonly #values: JsonPatchValues;
  readonly #maxCopyBytes: number;
  /** Never below zero: the copy that would take it there is refused before it is made. */
  #copyBytesLeft: number;
  /** Elements of lists that may still be moved aside for others. */
  #movesLeft = maxMovedElements;
  readonly #maxDepth: number;

  constructor(root: unknown, values: JsonPatchValues, options: JsonPatchOptions) {
    this.root = root;
    this.#values = values;
    this.#maxCopyBytes = options.maxCopyBytes ?? 3 * 1024 * 1024;
    this.#copyBytesLeft = this.#maxCopyBytes;
    this.#maxDepth = options.maxDepth ?? maxPatchDepth;
  }

  apply(step: object): void {
    const kind = this.#field(step, 'op');
    const path = () => this.#pointer(step, 'path', String(kind));
    switch (kind) {
      case 'add':
        this.#add(path(), this.#operand(step, path()));
        break;
      case 'remove':
        this.#remove(path());
        break;
      case 'replace':
        this.#replace(path(), this.#operand(step, path()));
        break;
      case 'move':
        this.#move(this.#pointer(step, 'from', kind), path);
        break;
      case 'copy':
        this.#copy(this.#pointer(step, 'from', kind), path);
        break;
      case 'test':
        this.#test(path(), this.#field(step, 'value') ?? null);
        break;
      default:
        throw wrong(
          `Unexpected kind: ${typeof kind === 'string' ? kind.slice(0, 200) : 'unknown'}`,
        );
    }
  }

  #field(step: object, name: string): unknown {
    return this.#values.isMap(step) ? this.#values.get(step, name) : undefined;
  }

  #pointer(step: object, name: 'path' | 'from', kind: string): string {
    const pointer = this.#field(step, name);
    if (typeof pointer === 'string') return pointer;
    // Three of the operations leave out in their words what was missing.
    const isBrief = name === 'path' && ['add', 'remove', 'copy'].includes(kind);
    const comma = name === 'from' ? ',' : '';
    const detail = isBrief ? '' : ` operation${comma} missing ${name} field:`;
    throw wrong(`${kind} operation failed to decode ${name}:${detail} missing value`);
  }

  #operand(step: object, path: string): unknown {
    const value = this.#field(step, 'value') ?? null;
    this.#checkDepth(value, path);
    return this.#values.clone(value);
  }

  /** Ten thousand operations, each of which nests a little, would nest without end. */
  #checkDepth(value: unknown, path: string): void {
    checkPatchDepth(value, this.#maxDepth, path.split('/').length - 1);
  }

  #add(path: string, value: unknown): void {
    const missing = `add operation does not apply: doc is missing path: "${path}"`;
    this.#insert(this.#demand(path, missing), value, `error in add for path: '${path}'`);
  }

  #remove(path: string): void {
    const missing = `remove operation does not apply: doc is missing path: "${path}"`;
    this.#take(this.#demand(path, missing), `error in remove for path: '${path}'`);
  }

  #replace(path: string, value: unknown): void {
    if (path === '') {
      if (!this.#isContainer(value)) throw wrong('replace operation value must be object or array');
      this.root = value;
      return;
    }
    const missing = 'replace operation does not apply: doc is missing';
    const { container, key } = this.#demand(path, `${missing} path: ${path}`);
    if (!Array.isArray(container)) {
      this.#values.set(container, key, value);
      return;
    }
    if (this.#peek(container, key) === undefined)
      throw wrong(`${missing} key: ${path}: missing value`);
    container[indexOf(key, container.length, `error in remove for path: '${path}'`)] = value;
  }

  #move(from: string, pathOf: () => string): void {
    const missing = 'move operation does not apply: doc is missing';
    const source = this.#demand(from, `${missing} from path: ${from}`);
    const value = this.#take(source, `error in move for path: '${source.key}'`);
    const path = pathOf();
    const target = this.#demand(path, `${missing} destination path: ${path}`);
    if (path.length > from.length && this.#isContainer(value)) {
      // Looking through it costs what it holds, and there may be ten thousand of these.
      this.#spendMoves(this.#values.text(value).length);
      this.#checkDepth(value, path);
    }
    this.#insert(target, value, `error in move for path: '${path}'`);
  }

  #copy(from: string, pathOf: () => string): void {
    const missing = 'copy operation does not apply: doc is missing';
    const { container, key } = this.#demand(from, `${missing} from path: ${from}`);
    const value = this.#valueAt(container, key, `error in copy for from: '${from}'`);
    const path = pathOf();
    const target = this.#demand(path, `${missing} destination path: ${path}`);
    this.#copyBytesLeft -= this.#values.text(value).length;
    if (this.#copyBytesLeft < 0) {
      throw wrong(`the copies of this patch are larger than ${this.#maxCopyBytes} bytes`);
    }
    this.#checkDepth(value, path);
    this.#insert(target, this.#values.clone(value), 'error while adding value during copy');
  }

  #test(path: string, expected: unknown): void {
    let actual = this.root;
    if (path !== '') {
      const missing = `test operation does not apply: is missing path: ${path}`;
      const { container, key } = this.#demand(path, missing);
      actual = this.#valueAt(container, key, `error in test for path: '${path}'`);
    }
    if (!this.#values.isEqual(actual, expected)) {
      throw wrong(`testing value ${path} failed: test failed`);
    }
  }

  /** Where a path ends; the whole document stands in nothing. */
  #demand(path: string, problem: string): Place {
    const keys = path.split('/').slice(1).map(unescapeKey);
    const key = keys.pop();
    let container: unknown = this.root;
    for (const each of keys) container = this.#peek(container, each);
    if (key !== undefined && this.#isContainer(container)) return { container, key };
    throw wrong(`${problem}: missing value`);
  }

  #isContainer(value: unknown): value is unknown[] | object {
    return Array.isArray(value) || this.#values.isMap(value);
  }

  #peek(container: unknown, key: string): unknown {
    if (Array.isArray(container))
      return indexForm.test(key) ? container.at(Number(key)) : undefined;
    return this.#values.isMap(container) ? this.#values.get(container, key) : undefined;
  }

  /** What is there; a missing key of an object is null. */
  #valueAt(container: unknown[] | object, key: string, context: string): unknown {
    if (Array.isArray(container)) return container[indexOf(key, container.length, context)];
    return this.#values.get(container, key) ?? null;
  }

  #insert({ container, key }: Place, value: unknown, context: string): void {
    if (!Array.isArray(container)) {
      this.#values.set(container, key, value);
    } else if (key === '-') {
      container.push(value);
    } else {
      const place = isInteger(key)
        ? context
        : `${context}: value was not a proper array index: '${key}'`;
      const at = indexOf(key, container.length + 1, place);
      this.#spendMoves(container.length - at);
      container.splice(at, 0, value);
    }
  }

  #take({ container, key }: Place, context: string): unknown {
    if (Array.isArray(container)) {
      const at = indexOf(key, container.length, context);
      this.#spendMoves(container.length - at);
      return container.splice(at, 1)[0];
    }
    const value = this.#values.get(container, key);
    if (value === undefined) {
      throw wrong(`${context}: Unable to remove nonexistent key: ${key}: missing value`);
    }
    this.#values.delete(container, key);
    return value;
  }

  /** Ten thousand insertions at the front of a list of a million would hold everyone up. */
  #spendMoves(elements: number): void {
    this.#movesLeft -= elements;
    if (this.#movesLeft < 0) {
      throw wrong(`the patch moves more than ${maxMovedElements} elements of lists`);
    }
  }
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function isInteger(key: string): boolean {
  return indexForm.test(key) && inRange(key);
}

function inRange(key: string): boolean {
  if (key.length < 18) return true;
  const index = BigInt(key.replace('+', ''));
  return index < largestIndex && index >= -largestIndex;
}

/** Reads an index of a list with so many elements; negative ones count from the end. */
function indexOf(key: string, size: number, context: string): number {
  if (!isInteger(key)) {
    const why = indexForm.test(key) ? 'value out of range' : 'invalid syntax';
    throw wrong(`${context}: strconv.Atoi: parsing ${JSON.stringify(key)}: ${why}`);
  }
  const index = Number(key);
  if (index >= size || index < -size) {
    const number = BigInt(key.replace('+', ''));
    throw wrong(`${context}: Unable to access invalid index: ${number}: invalid index referenced`);
  }
  return index < 0 ? index + size : index;
}
