import { TextError } from './error.ts';
import { cloneJson, encodeJson, equalJson, getOwn, isObject, setOwn } from './json.ts';
import { parseJsonPointer } from './json-pointer.ts';
import { checkPatchDepth, maxPatchDepth } from './patch-depth.ts';

/** One step of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string };

/** How a JSON patch is applied. */
export interface JsonPatchOptions {
  /** Operations in one patch; Kubernetes takes 10,000. */
  readonly maxOperations?: number | undefined;
  /** A `replace` of a key that an object does not have sets it, as in the Kubernetes API. */
  readonly replacesMissing?: boolean | undefined;
  /** How deep the document may nest after each operation; {@link maxPatchDepth} unless it says. */
  readonly maxDepth?: number | undefined;
  /** Bytes of JSON that `copy` may add in sum, against patches that double a document; 3 MiB, as in Kubernetes. */
  readonly maxCopyBytes?: number | undefined;
}

/**
 * Applies a JSON patch (RFC 6902), with negative array indices as the Kubernetes API takes them.
 * The document is not changed; either all operations apply or none.
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
  if (!Array.isArray(operations)) throw wrong('a JSON patch is an array of operations');
  const maxOperations = options.maxOperations ?? 10_000;
  if (operations.length > maxOperations) {
    throw wrong(`the patch has ${operations.length} operations, more than ${maxOperations}`);
  }
  checkPatchDepth(document);
  const patch = new Patching(cloneJson(document), options);
  operations.forEach((operation, index) => {
    patch.apply(operation, index);
  });
  return patch.root;
}

const MAX_MOVED_ELEMENTS = 50_000_000;

function wrong(problem: string): TextError {
  return new TextError('WG_TEXT_PATCH', problem);
}

class Patching {
  root: unknown;
  #copyBytesLeft: number;
  readonly #maxCopyBytes: number;
  /** Elements of arrays that may still be moved aside for others. */
  #movesLeft = MAX_MOVED_ELEMENTS;
  readonly #replacesMissing: boolean;
  readonly #maxDepth: number;

  constructor(root: unknown, options: JsonPatchOptions) {
    this.root = root;
    this.#maxCopyBytes = options.maxCopyBytes ?? 3 * 1024 * 1024;
    this.#copyBytesLeft = this.#maxCopyBytes;
    this.#replacesMissing = options.replacesMissing === true;
    this.#maxDepth = options.maxDepth ?? maxPatchDepth;
  }

  apply(operation: JsonPatchOperation, index: number): void {
    if (!isObject(operation) || typeof operation.path !== 'string') {
      throw wrong(`operation ${index}: needs "op" and "path"`);
    }
    try {
      this.#apply(operation);
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      throw new TextError(
        error.code,
        `operation ${index} (${String(operation.op).slice(0, 20)} ${operation.path.slice(0, 200)}): ${error.message}`,
        { cause: error },
      );
    }
  }

  #apply(operation: JsonPatchOperation): void {
    const path = parseJsonPointer(operation.path);
    switch (operation.op) {
      case 'add':
        this.#add(path, this.#operandOf(operation, path));
        return;
      case 'replace':
        this.#replace(path, this.#operandOf(operation, path));
        return;
      case 'test':
        if (!equalJson(this.#find(path) ?? null, operation.value ?? null)) {
          throw wrong('the value is not as tested');
        }
        return;
      case 'remove':
        this.#remove(path);
        return;
      case 'move':
        this.#move(operation, path);
        return;
      case 'copy':
        this.#add(path, this.#copyOf(operation, path));
        return;
      default:
        throw wrong(`unknown operation; expected add, remove, replace, move, copy or test`);
    }
  }

  #move(operation: { from: string }, path: string[]): void {
    const from = fromOf(operation);
    if (from.length < path.length && from.every((key, at) => key === path[at])) {
      throw wrong('a value cannot be moved into itself');
    }
    const value = this.#get(from);
    if (path.length > from.length) {
      // Looking through it costs what it holds, and there may be ten thousand of these.
      this.#spendMoves(encodeJson(value).length);
      this.#checkDepth(value, path);
    }
    if (from.length > 0) this.#remove(from);
    this.#add(path, value);
  }

  #copyOf(operation: { from: string }, path: readonly string[]): unknown {
    const value = this.#get(fromOf(operation));
    this.#copyBytesLeft -= encodeJson(value).length;
    if (this.#copyBytesLeft < 0) {
      throw wrong(`the copies of this patch are larger than ${this.#maxCopyBytes} bytes`);
    }
    this.#checkDepth(value, path);
    return cloneJson(value);
  }

  #operandOf(operation: { value: unknown }, path: readonly string[]): unknown {
    if (operation.value === undefined) throw wrong('needs a "value"');
    this.#checkDepth(operation.value, path);
    return cloneJson(operation.value);
  }

  /** Ten thousand operations, each of which nests a little, would nest without end. */
  #checkDepth(value: unknown, path: readonly string[]): void {
    checkPatchDepth(value, this.#maxDepth, path.length);
  }

  #add(path: string[], value: unknown): void {
    if (path.length === 0) {
      this.root = value;
      return;
    }
    const key = path.at(-1) as string;
    const parent = this.#get(path.slice(0, -1));
    if (Array.isArray(parent)) {
      const at = key === '-' ? parent.length : arrayIndex(key, parent.length, true);
      this.#spendMoves(parent.length - at);
      parent.splice(at, 0, value);
    } else if (isObject(parent)) setOwn(parent, key, value);
    else throw wrong('the parent is neither an object nor an array');
  }

  #replace(path: string[], value: unknown): void {
    if (path.length === 0) {
      this.root = value;
      return;
    }
    const key = path.at(-1) as string;
    const parent = this.#get(path.slice(0, -1));
    if (!this.#replacesMissing || !isObject(parent)) this.#get(path);
    if (Array.isArray(parent)) parent[arrayIndex(key, parent.length, false)] = value;
    else setOwn(parent as object, key, value);
  }

  #remove(path: string[]): void {
    this.#get(path);
    if (path.length === 0) throw wrong('the whole document cannot be removed');
    const key = path.at(-1) as string;
    const parent = this.#get(path.slice(0, -1));
    if (Array.isArray(parent)) {
      const at = arrayIndex(key, parent.length, false);
      this.#spendMoves(parent.length - at);
      parent.splice(at, 1);
    } else delete (parent as Record<string, unknown>)[key];
  }

  /** Ten thousand insertions at the front of a list of a million would hold everyone up. */
  #spendMoves(elements: number): void {
    this.#movesLeft -= elements;
    if (this.#movesLeft < 0) {
      throw wrong(`the patch moves more than ${MAX_MOVED_ELEMENTS} elements of arrays`);
    }
  }

  #get(path: readonly string[]): unknown {
    const value = this.#find(path);
    if (value === undefined) throw wrong('the path does not exist');
    return value;
  }

  #find(path: readonly string[]): unknown {
    let value = this.root;
    for (const key of path) {
      if (Array.isArray(value)) {
        const at = indexOrUndefined(key, value.length);
        value = at === undefined ? undefined : value[at];
      } else value = isObject(value) ? getOwn(value, key) : undefined;
      if (value === undefined) return undefined;
    }
    return value;
  }
}

function fromOf(operation: { from: string }): string[] {
  if (typeof operation.from !== 'string') throw wrong('needs "from"');
  return parseJsonPointer(operation.from);
}

function indexOrUndefined(key: string, length: number): number | undefined {
  if (!/^(?:0|-?[1-9]\d{0,8})$/.test(key)) return undefined;
  const at = Number(key) < 0 ? Number(key) + length : Number(key);
  return at < 0 || at > length ? undefined : at;
}

function arrayIndex(key: string, length: number, mayAppend: boolean): number {
  // A negative index counts from the end of the array as it is after the addition.
  const at = indexOrUndefined(key, mayAppend && key.startsWith('-') ? length + 1 : length);
  if (at === undefined || (at === length && !mayAppend)) {
    throw wrong(`"${key.slice(0, 40)}" is not an index of an array of ${length}`);
  }
  return at;
}
