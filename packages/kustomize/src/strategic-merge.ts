import { isMissingOrNull, isPresent, type YamlNode } from '@waygate/text';
import { demandKind, setMapField } from './field-setter.ts';
import { KustomizeError } from './kustomize-error.ts';
import { type Schema, type SchemaSet, schemaFromComment } from './schema-facts.ts';
import { mergeKeyedList, mergePrimitiveList } from './strategic-merge-list.ts';

export interface MergeOptions {
  readonly schemas: SchemaSet;
  /** Where new items of a merged list go: kustomize puts them in front. */
  readonly newItems: 'prepend' | 'append';
  /** Whether lists of unknown kinds merge when their items have a telling key. */
  readonly infersLists: boolean;
}

/**
 * Merges a patch into a node, by the schema of the kind. Changes and returns the target (or, where
 * the patch adds something, a part of the patch); undefined when the patch deletes it.
 */
export function strategicMerge(
  target: YamlNode,
  patch: YamlNode,
  options: MergeOptions,
): YamlNode | undefined {
  return mergeNodes(target, patch, undefined, undefined, options);
}

/** The names of the fields on the way to a node, the last one first. */
export interface MergePath {
  readonly above: MergePath | undefined;
  readonly name: string;
}

/** A path as messages write it. */
export function pathText(path: MergePath | undefined): string {
  const names: string[] = [];
  for (let at = path; at !== undefined; at = at.above) names.unshift(at.name);
  return names.join('.');
}

/** Merges two nodes of one place; either may be absent. */
export function mergeNodes(
  target: YamlNode | undefined,
  patch: YamlNode | undefined,
  known: Schema | undefined,
  path: MergePath | undefined,
  options: MergeOptions,
): YamlNode | undefined {
  const schema = known ?? schemaOf(target, options) ?? schemaOf(patch, options);
  const guide = isMissingOrNull(target) ? (isMissingOrNull(patch) ? undefined : patch) : target;
  if (guide === undefined) return mergeMaps(target, patch, schema, path, options);
  if (isPresent(target)) demandKind(target, guide.kind);
  if (isPresent(patch)) demandKind(patch, guide.kind);
  if (guide.kind === 'map') return mergeMaps(target, patch, schema, path, options);
  if (guide.kind === 'sequence') return mergeLists(target, patch, schema, path, options);
  return patch ?? target;
}

function schemaOf(node: YamlNode | undefined, options: MergeOptions): Schema | undefined {
  if (node === undefined || node.kind !== 'map') return undefined;
  const kind = node.get('kind');
  const apiVersion = node.get('apiVersion');
  if (kind?.kind !== 'scalar' || apiVersion?.kind !== 'scalar') return undefined;
  return options.schemas.schemaOf(apiVersion.value, kind.value);
}

function mergeMaps(
  target: YamlNode | undefined,
  patch: YamlNode | undefined,
  schema: Schema | undefined,
  path: MergePath | undefined,
  options: MergeOptions,
): YamlNode | undefined {
  keepPatchStyle(target, patch);
  const result = mapToKeep(target, patch);
  if (result === undefined) return undefined;
  if (result.kind !== 'map') return result;
  if (patch?.kind === 'map' && patch !== result) {
    // Copied, as a part of the patch may become a part of the target on the way.
    const fields = [...patch.content];
    for (let index = 0; index < fields.length; index += 2) {
      const key = fields[index]!;
      mergeField(result, patch, key, schema, path, options);
    }
  }
  mergeRest(result, patch, schema, path, options);
  return result;
}

function mergeField(
  result: YamlNode,
  patch: YamlNode | undefined,
  key: YamlNode,
  schema: Schema | undefined,
  path: MergePath | undefined,
  options: MergeOptions,
): void {
  const name = key.value;
  const existing = result.get(name);
  const change = patch?.get(name);
  const merged = mergeNodes(
    existing,
    change,
    commentSchema(key, result, patch) ?? schema?.field(name),
    { above: path, name },
    options,
  );
  if (change === undefined && merged !== undefined && merged === existing && merged.isNull())
    return;
  // The key is taken as the patch writes it: quotes around a number make it a string.
  setMapField(result, name, merged, key);
}

/** A comment beside the field, in either document, outweighs what is known of the kind. */
function commentSchema(
  key: YamlNode,
  result: YamlNode,
  patch: YamlNode | undefined,
): Schema | undefined {
  const comment =
    key.schemaComment ??
    keyOf(result, key.value)?.schemaComment ??
    keyOf(patch, key.value)?.schemaComment;
  return comment === undefined ? undefined : schemaFromComment(comment);
}

function keyOf(map: YamlNode | undefined, name: string): YamlNode | undefined {
  if (map?.kind !== 'map') return undefined;
  for (let index = 0; index < map.content.length; index += 2) {
    if (map.content[index]!.value === name) return map.content[index];
  }
  return undefined;
}

/** Fields that the patch does not name are looked at, too: nulls go, and lists get their order. */
function mergeRest(
  result: YamlNode,
  patch: YamlNode | undefined,
  schema: Schema | undefined,
  path: MergePath | undefined,
  options: MergeOptions,
): void {
  const isOwn = patch === result;
  const rest: YamlNode[] = [];
  for (let index = 0; index < result.content.length; index += 2) {
    const key = result.content[index]!;
    if (!isOwn && key.value !== '' && isSettled(result.content[index + 1]!)) continue;
    if (isOwn || patch?.get(key.value) === undefined) rest.push(key);
  }
  for (const key of rest) mergeField(result, isOwn ? patch : undefined, key, schema, path, options);
}

/** A scalar that no merge would change. */
function isSettled(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.tag !== '!!null' && node.tag !== '';
}

/** The node that goes on: the target, the patch where it replaces, or nothing. */
function mapToKeep(
  target: YamlNode | undefined,
  patch: YamlNode | undefined,
): YamlNode | undefined {
  if (isMissingOrNull(target)) {
    if (directiveOf(patch) === 'delete') return undefined;
    const explicitNull = target as YamlNode | undefined;
    // `null` and `~` that the patch says nothing of are there on purpose; an empty value is not.
    if (patch === undefined && explicitNull !== undefined && explicitNull.value !== '') {
      return explicitNull;
    }
    return patch;
  }
  if (patch?.isNull()) return undefined;
  switch (directiveOf(patch)) {
    case 'delete':
      return undefined;
    case 'replace':
      return patch;
    default:
      return target;
  }
}

function keepPatchStyle(target: YamlNode | undefined, patch: YamlNode | undefined): void {
  if (target === undefined || patch === undefined) return;
  if (target.kind !== 'scalar' && target.content.length === 0) target.style = patch.style;
}

type Directive = 'merge' | 'replace' | 'delete';

/** Reads and removes `$patch` of a map, or of the item of a list that holds nothing else. */
function directiveOf(node: YamlNode | undefined): Directive {
  if (node === undefined) return 'merge';
  if (node.kind === 'map') {
    const value = node.get('$patch');
    if (value === undefined) return 'merge';
    const directive = directiveNamed(value.value);
    node.remove('$patch');
    return directive;
  }
  if (node.kind !== 'sequence') return 'merge';
  const item = node.content.find((child) => child.get('$patch') !== undefined);
  if (item === undefined || item.content.length > 2) return 'merge';
  const directive = directiveNamed(item.get('$patch')!.value);
  node.content = node.content.filter((child) => child.get('$patch')?.value !== directive);
  return directive;
}

function directiveNamed(value: string): Directive {
  if (value === 'merge' || value === 'replace' || value === 'delete') return value;
  throw new KustomizeError(`unknown patch strategy '${value}'`);
}

function mergeLists(
  target: YamlNode | undefined,
  patch: YamlNode | undefined,
  schema: Schema | undefined,
  path: MergePath | undefined,
  options: MergeOptions,
): YamlNode | undefined {
  keepPatchStyle(target, patch);
  const keys = listKeys(target, patch, schema, path, options);
  if (keys === undefined) return patch ?? target;
  let list: YamlNode | undefined;
  if (isMissingOrNull(target)) {
    list = patch;
  } else if (patch?.isNull()) {
    return undefined;
  } else {
    const directive = directiveOf(patch);
    if (directive === 'delete') return undefined;
    list = directive === 'replace' ? patch : target;
  }
  if (list === undefined || list.kind !== 'sequence') return list;
  const sides = { target: list, patch: patch?.kind === 'sequence' ? patch : undefined };
  const merged =
    keys.length === 0
      ? mergePrimitiveList(sides, options)
      : mergeKeyedList(sides, keys, schema?.items(), path, options);
  return isMissingOrNull(merged) ? undefined : merged;
}

const tellingKeys = [
  'mountPath',
  'devicePath',
  'ip',
  'type',
  'topologyKey',
  'name',
  'containerPort',
];

/** The merge keys of a list; none for a list of scalars; undefined when it is replaced. */
function listKeys(
  target: YamlNode | undefined,
  patch: YamlNode | undefined,
  schema: Schema | undefined,
  path: MergePath | undefined,
  options: MergeOptions,
): readonly string[] | undefined {
  if (schema !== undefined) return schema.mergeKeys;
  if (!options.infersLists) return undefined;
  const found = [target, patch].flatMap((list) =>
    list?.kind === 'sequence' && list.content.length > 0 ? [tellingKey(list)] : [],
  );
  if (found.every((key) => key === undefined)) return undefined;
  const [first, second] = found;
  if (second !== undefined && first !== second) {
    throw new KustomizeError(
      `conflicting merge keys [${first ?? ''},${second}] for field ${pathText(path)}`,
    );
  }
  return first === undefined ? undefined : [first];
}

function tellingKey(list: YamlNode): string | undefined {
  return tellingKeys.find((key) =>
    list.content.every((item) => item.kind === 'map' && item.get(key) !== undefined),
  );
}
