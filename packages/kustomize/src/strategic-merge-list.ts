import { isMissingOrNull, isPresent, newScalar, newSequence, type YamlNode } from '@waygate/text';
import { KustomizeError } from './kustomize-error.ts';
import type { Schema } from './schema-facts.ts';
import { type MergeOptions, type MergePath, mergeNodes, pathText } from './strategic-merge.ts';

interface ListSides {
  readonly target: YamlNode;
  readonly patch: YamlNode | undefined;
}

/** Lists whose items cannot be matched by a map cost the product of their lengths. */
const maxComparisons = 20_000_000;

type MergeItems = (a: YamlNode | undefined, b: YamlNode | undefined) => YamlNode | undefined;

/** Merges two lists of maps by their keys. */
export function mergeKeyedList(
  sides: ListSides,
  keys: readonly string[],
  itemSchema: Schema | undefined,
  path: MergePath | undefined,
  options: MergeOptions,
): YamlNode {
  const { target, patch } = sides;
  const total = target.content.length + (patch?.content.length ?? 0);
  if (target.content.length * total > maxComparisons) {
    throw new KustomizeError(`the list at ${pathText(path)} is too long to merge`, {
      code: 'WG_KUSTOMIZE_LIMIT',
    });
  }
  const values = distinctValues(inOrder(sides, options), keys);
  const used = keys.filter((_key, index) => values.some((value) => value[index] !== ''));
  const merge: MergeItems = (a, b) => mergeNodes(a, b, itemSchema, path, options);
  const list = newSequence(
    used.length > 1
      ? mergeByKeys(sides, keys, values, merge, options)
      : mergeByKey(sides, used[0] ?? keys[0]!, merge, options),
  );
  list.style = target.style;
  list.line = target.line;
  list.file = target.file;
  return list;
}

function inOrder(sides: ListSides, options: MergeOptions): (YamlNode | undefined)[] {
  const { target, patch } = sides;
  return options.newItems === 'prepend' ? [patch, target] : [target, patch];
}

/** Items have one key: those of the patch come first, in its order. */
function mergeByKey(
  sides: ListSides,
  key: string,
  merge: MergeItems,
  options: MergeOptions,
): YamlNode[] {
  const { target, patch } = sides;
  const keys = [key];
  const merged = newSequence();
  const values = distinctValues(inOrder(sides, options), keys);
  // Items without the key are looked at first. They are never found, and to drop what has no value
  // takes away all of the target that has one: so does the original.
  values.sort(([a], [b]) => Number(a !== '') - Number(b !== ''));
  for (const value of values) {
    const item = merge(findItem(target, key, value[0]!), findItem(patch, key, value[0]!));
    if (!isPresent(item) || isEmptyMap(item)) {
      setItem(target, undefined, keys, value);
      continue;
    }
    if (item.kind === 'map' && item.get(key) === undefined) item.set(key, newScalar(value[0]!));
    setItem(merged, item, keys, value);
  }
  return options.newItems === 'prepend'
    ? putAll(merged, target, key).content
    : putAll(target, merged, key).content;
}

/**
 * Items have several keys, and some may lack one, such as ports without a protocol. New items come
 * first and the others keep their order. The rules for a missing key are the original's, odd as
 * they are: it stands for any value that is there.
 */
function mergeByKeys(
  sides: ListSides,
  keys: readonly string[],
  values: readonly (readonly string[])[],
  merge: MergeItems,
  options: MergeOptions,
): YamlNode[] {
  const { target, patch } = sides;
  const added = newSequence();
  for (const value of values) {
    const alike = values.filter((other) => other[0] === value[0]);
    const indexes = keys.flatMap((_key, index) =>
      alike.some((other) => other[index] !== '') ? [index] : [],
    );
    const usedKeys = indexes.length === 0 ? keys : indexes.map((index) => keys[index]!);
    const usedValues = indexes.length === 0 ? value : indexes.map((index) => value[index]!);
    const existing = target.content.find((item) => matches(item, usedKeys, usedValues));
    // What stands for any value must not bring together items whose values differ.
    const wanted = existing === undefined ? usedValues : valuesOf(existing, usedKeys);
    const change = patch?.content.find((item) => matches(item, usedKeys, wanted));
    const item = merge(existing, change);
    if (!isPresent(item) || isEmptyMap(item)) setItem(target, undefined, keys, value);
    else if (existing === undefined) setItem(added, item, keys, value);
  }
  const kept = newSequence();
  for (const item of target.content) setItem(kept, item, keys, valuesOf(item, keys));
  const isTaken = (item: YamlNode): boolean =>
    target.content.some((other) => matches(item, keys, valuesOf(other, keys)));
  const fresh = added.content.filter((item) => !isTaken(item));
  return options.newItems === 'prepend' ? [...fresh, ...kept.content] : [...kept.content, ...fresh];
}

/** Merges two lists of scalars: a union. */
export function mergePrimitiveList(sides: ListSides, options: MergeOptions): YamlNode {
  const seen = new Set<string>();
  const content: YamlNode[] = [];
  for (const side of inOrder(sides, options)) {
    for (const item of side?.content ?? []) {
      if (seen.has(item.value) || isMissingOrNull(item)) continue;
      seen.add(item.value);
      content.push(item);
    }
  }
  const merged = newSequence(content);
  merged.style = sides.target.style;
  return merged;
}

function isEmptyMap(node: YamlNode): boolean {
  return node.kind === 'map' && node.content.length === 0;
}

function valuesOf(item: YamlNode, keys: readonly string[]): string[] {
  return keys.map((key) => {
    const field = item.get(key);
    return isPresent(field) ? field.value : '';
  });
}

/** The key values of all items, each combination once. */
function distinctValues(
  lists: readonly (YamlNode | undefined)[],
  keys: readonly string[],
): string[][] {
  const result: string[][] = [];
  const seen = new Set<string>();
  for (const list of lists) {
    for (const item of list?.content ?? []) {
      const value = valuesOf(item, keys);
      const text = value.join('\0');
      if (seen.has(text)) continue;
      seen.add(text);
      result.push(value);
    }
  }
  return result;
}

function findItem(list: YamlNode | undefined, key: string, value: string): YamlNode | undefined {
  return list?.content.find((item) => item.kind === 'map' && hasValue(item, key, value));
}

function hasValue(item: YamlNode, key: string, value: string): boolean {
  const { content } = item;
  for (let index = 0; index < content.length; index += 2) {
    if (content[index]!.value === key && content[index + 1]!.value === value) return true;
  }
  return false;
}

/** Replaces the matching item, appends when none matches, removes when no item is given. */
function setItem(
  list: YamlNode,
  item: YamlNode | undefined,
  keys: readonly string[],
  values: readonly string[],
): void {
  const content: YamlNode[] = [];
  let isFound = false;
  const setsMap = values[0] !== undefined && values[0] !== '';
  for (const existing of list.content) {
    if (isMissingOrNull(existing) || isEmptyMap(existing)) continue;
    if (existing.kind !== 'map' && setsMap) {
      content.push(existing);
      continue;
    }
    if (!matches(existing, keys, values)) {
      content.push(existing);
      continue;
    }
    isFound = true;
    if (item !== undefined) content.push(item);
  }
  list.content = content;
  if (!isFound && item !== undefined) list.content.push(item);
}

/** An empty value asks only for the key to be there. */
function matches(item: YamlNode, keys: readonly string[], values: readonly string[]): boolean {
  if (item.kind !== 'map') return false;
  return keys.every((key, index) => {
    const value = values[index];
    if (value === undefined) return false;
    return value === '' ? item.get(key) !== undefined : hasValue(item, key, value);
  });
}

/** Puts the items of one list into another; those without the key go to the front. */
function putAll(into: YamlNode, from: YamlNode, key: string): YamlNode {
  const withoutKey: YamlNode[] = [];
  for (const item of [...from.content]) {
    const field = item.get(key);
    if (field === undefined) withoutKey.push(item);
    else setItem(into, item, [key], [field.value]);
  }
  into.content.unshift(...withoutKey);
  return into;
}
