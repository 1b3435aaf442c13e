import { checkPatchDepth, cloneJson, getOwn, isObject, setOwn, TextError } from '@waygate/text';
import { identityOf, orderElements, partitionByPresence } from './element-order.ts';

/** How the lists and maps under one object are patched. `open-api.ts` gives it for built-in kinds. */
export interface PatchSchema {
  /** A field of the object, or any key of a map. Undefined: lists replace, maps merge. */
  field(name: string): PatchField | undefined;
}

/** A field of a strategic merge patch, and how it is merged. */
export interface PatchField {
  /** `merge`, `replace` and `retainKeys`; empty is the default of the value's type. */
  readonly strategies: readonly string[];
  /** The field that tells the items of a merged list apart. */
  readonly mergeKey?: string | undefined;
  /** Of the object itself, or of the items when the field is a list. */
  readonly schema?: PatchSchema | undefined;
}

type Fields = Record<string, unknown>;

const patchDirective = '$patch';
const keysDirective = '$retainKeys';
const deleteFromList = '$deleteFromPrimitiveList/';
const setElementOrder = '$setElementOrder/';

/** Deeper than any Kubernetes object; keeps a hostile patch off the stack's end. */
const maxDepth = 200;

/**
 * Applies a strategic merge patch as the Kubernetes API does, with the directives `$patch`
 * (`replace`, `delete`), `$retainKeys`, `$deleteFromPrimitiveList/…` and `$setElementOrder/…`.
 * Neither argument is changed.
 *
 * ```ts
 * const schema = patchSchemaOf({ group: '', version: 'v1', kind: 'Pod' });
 * const live = { spec: { containers: [{ name: 'a' }, { name: 'b' }] } };
 * const patch = { spec: { containers: [{ name: 'a', $patch: 'delete' }] } };
 * applyStrategicMergePatch(live, patch, schema); // { spec: { containers: [{ name: 'b' }] } }
 * ```
 *
 * @throws TextError `WG_TEXT_PATCH`
 */
export function applyStrategicMergePatch(
  original: unknown,
  patch: unknown,
  schema: PatchSchema | undefined,
): unknown {
  if (!isObject(patch)) throw wrong('', 'a strategic merge patch is an object');
  checkPatchDepth(patch);
  checkPatchDepth(original);
  const target = isObject(original) ? cloneJson(original) : {};
  return mergeMap(target, cloneJson(patch), schema, '', 0);
}

function wrong(path: string, problem: string): TextError {
  return new TextError('WG_TEXT_PATCH', path === '' ? problem : `${path}: ${problem}`);
}

function mergeMap(
  original: Fields,
  patch: Fields,
  schema: PatchSchema | undefined,
  path: string,
  depth: number,
): Fields {
  if (depth > maxDepth) throw wrong(path, `nested deeper than ${maxDepth}`);
  const directive = getOwn(patch, patchDirective);
  if (directive !== undefined) {
    if (directive === 'delete') return {};
    if (directive !== 'replace') {
      throw wrong(path, `unknown $patch directive "${String(directive)}"`);
    }
    delete patch[patchDirective];
    return patch;
  }
  retainKeys(original, patch, path);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(setElementOrder)) {
      mergeOrderedList(original, patch, key, schema, path, depth);
    }
  }
  for (const key of Object.keys(patch)) mergeField(original, patch, key, schema, path, depth);
  return original;
}

function mergeField(
  original: Fields,
  patch: Fields,
  key: string,
  schema: PatchSchema | undefined,
  path: string,
  depth: number,
): void {
  const value = patch[key];
  if (value === undefined) return;
  if (key.startsWith(deleteFromList)) {
    const name = key.slice(deleteFromList.length);
    const list = getOwn(original, name);
    if (!Array.isArray(value)) throw wrong(`${path}.${key}`, 'must be a list');
    if (Array.isArray(list)) {
      const [, kept] = partitionByPresence(list, value, undefined);
      setOwn(original, name, kept);
    }
    return;
  }
  if (value === null) {
    delete original[key];
    return;
  }
  const before = getOwn(original, key);
  const field = schema?.field(key);
  const replaces = field?.strategies.includes('replace') === true;
  const at = path === '' ? key : `${path}.${key}`;
  if (isObject(value) && isObject(before)) {
    setOwn(original, key, replaces ? value : mergeMap(before, value, field?.schema, at, depth + 1));
  } else if (Array.isArray(value) && Array.isArray(before)) {
    setOwn(original, key, mergeList(before, value, field, at, depth + 1));
  } else {
    setOwn(original, key, withoutDirectives(value, depth));
  }
}

/** Drops what the patch does not want kept of a union, such as the other volume sources. */
function retainKeys(original: Fields, patch: Fields, path: string): void {
  const kept = getOwn(patch, keysDirective);
  if (kept === undefined) return;
  delete patch[keysDirective];
  if (!Array.isArray(kept)) throw wrong(path, '$retainKeys must be a list');
  const names = new Set<unknown>(kept);
  for (const key of Object.keys(patch)) {
    const isDirective = key.startsWith(deleteFromList) || key.startsWith(setElementOrder);
    if (patch[key] !== null && !isDirective && !names.has(key)) {
      throw wrong(path, `$retainKeys does not name "${key}", which the patch sets`);
    }
  }
  for (const key of Object.keys(original)) {
    if (!names.has(key)) delete original[key];
  }
}

function mergeOrderedList(
  original: Fields,
  patch: Fields,
  directive: string,
  schema: PatchSchema | undefined,
  path: string,
  depth: number,
): void {
  const order = patch[directive];
  delete patch[directive];
  const name = directive.slice(setElementOrder.length);
  const at = path === '' ? name : `${path}.${name}`;
  if (!Array.isArray(order)) throw wrong(at, '$setElementOrder must be a list');
  const field = schema?.field(name);
  const before = getOwn(original, name);
  const change = getOwn(patch, name);
  if (before === undefined && change === undefined) return;
  if (before !== undefined && before !== null && !Array.isArray(before)) {
    throw wrong(at, '$setElementOrder names a field that is no list');
  }
  if (change === null) return;
  if (change !== undefined && !Array.isArray(change)) throw wrong(at, 'must be a list');
  delete patch[name];
  const originals = before ?? [];
  let merged: unknown[];
  if (change === undefined) merged = originals;
  else if (before === undefined || before === null) {
    merged = withoutDirectives(change, depth) as unknown[];
  } else merged = mergeList(originals, change, field, at, depth + 1);
  const mergeKey = field?.mergeKey;
  const [inPatch, serverOnly] = partitionByPresence(merged, order, mergeKey);
  setOwn(original, name, orderElements(inPatch, serverOnly, order, originals, mergeKey));
}

function mergeList(
  original: unknown[],
  patch: unknown[],
  field: PatchField | undefined,
  path: string,
  depth: number,
): unknown[] {
  if (field?.strategies.includes('merge') !== true) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  if (![...original, ...patch].some(isObject)) {
    const byIdentity = new Map<string, unknown>();
    for (const item of [...original, ...patch]) {
      const identity = identityOf(item, undefined);
      if (!byIdentity.has(identity)) byIdentity.set(identity, item);
    }
    const merged = [...byIdentity.values()];
    const [inPatch, serverOnly] = partitionByPresence(merged, patch, undefined);
    return orderElements(inPatch, serverOnly, patch, original, undefined);
  }
  const { mergeKey } = field;
  if (mergeKey === undefined) throw wrong(path, 'lists of objects need a merge key to be merged');
  const { kept, changes } = applyItemDirectives(original, patch, mergeKey, path);
  const merged = mergeItems(kept, changes, mergeKey, field.schema, path, depth);
  const [inPatch, serverOnly] = partitionByPresence(merged, changes, mergeKey);
  return orderElements(inPatch, serverOnly, changes, kept, mergeKey);
}

/** Items with `$patch: delete` take theirs away; one with `$patch: replace` replaces the list. */
function applyItemDirectives(
  original: unknown[],
  patch: unknown[],
  mergeKey: string,
  path: string,
): { kept: unknown[]; changes: unknown[] } {
  let replace = false;
  const deleted: unknown[] = [];
  const changes: unknown[] = [];
  for (const item of patch) {
    if (!isObject(item)) throw wrong(path, 'a list cannot mix objects and other values');
    const directive = getOwn(item, patchDirective);
    if (directive === undefined) changes.push(item);
    else if (directive === 'replace') replace = true;
    else if (directive === 'delete') {
      if (getOwn(item, mergeKey) === undefined)
        throw wrong(path, `an item to delete has no "${mergeKey}"`);
      deleted.push(item);
    } else throw wrong(path, `unknown $patch directive "${String(directive)}" in a list`);
  }
  if (replace) return { kept: changes, changes: [] };
  const [, kept] = partitionByPresence(original, deleted, mergeKey);
  return { kept, changes };
}

function mergeItems(
  original: unknown[],
  changes: unknown[],
  mergeKey: string,
  schema: PatchSchema | undefined,
  path: string,
  depth: number,
): unknown[] {
  const merged = [...original];
  const positions = new Map<unknown, number>();
  merged.forEach((item, at) => {
    const value = isObject(item) ? getOwn(item, mergeKey) : undefined;
    if (!positions.has(value)) positions.set(value, at);
  });
  for (const change of changes as Fields[]) {
    const value = getOwn(change, mergeKey);
    if (value === undefined) throw wrong(path, `an item has no merge key "${mergeKey}"`);
    const at = positions.get(value);
    if (at === undefined) {
      positions.set(value, merged.length);
      merged.push(withoutDirectives(change, depth));
    } else {
      merged[at] = mergeMap(
        merged[at] as Fields,
        change,
        schema,
        `${path}[${String(value)}]`,
        depth + 1,
      );
    }
  }
  return merged;
}

/** What of a new value is data: directives, nulls and deleted items are left out. */
function withoutDirectives(value: unknown, depth: number): unknown {
  if (depth > maxDepth) throw wrong('', `nested deeper than ${maxDepth}`);
  if (Array.isArray(value)) {
    return value
      .filter(
        (item) =>
          !isObject(item) || !['delete', 'replace'].includes(String(getOwn(item, patchDirective))),
      )
      .map((item) => withoutDirectives(item, depth + 1));
  }
  if (!isObject(value)) return value;
  const plain: Fields = {};
  if (getOwn(value, patchDirective) === 'delete') return plain;
  for (const key of Object.keys(value)) {
    const isDirective =
      key === patchDirective ||
      key === keysDirective ||
      key.startsWith(deleteFromList) ||
      key.startsWith(setElementOrder);
    if (!isDirective && value[key] !== null) {
      setOwn(plain, key, withoutDirectives(value[key], depth + 1));
    }
  }
  return plain;
}
