import {
  compileRegex,
  isMissingOrNull,
  isPresent,
  type NodeKind,
  newKey,
  newMap,
  newScalar,
  newSequence,
  noContent,
  YamlNode,
} from '@waygate/text';
import { demandKind, setMapField } from './field-setter.ts';
import { KustomizeError } from './kustomize-error.ts';

/** Splits `a.b\.c.[name=x.y]` at dots that are neither escaped nor in brackets. */
export function splitFieldPath(path: string, delimiter = '.'): string[] {
  const parts: string[] = [];
  const pieces = splitEscaped(path, delimiter);
  for (let index = 0; index < pieces.length; index += 1) {
    let part = pieces[index]!;
    if (!part.startsWith('[') || part.endsWith(']')) {
      parts.push(part);
      continue;
    }
    while (index < pieces.length - 1) {
      index += 1;
      part += delimiter + pieces[index]!;
      if (part.endsWith(']')) break;
    }
    // Without an `=` the brackets only hold a key together.
    parts.push(part.includes('=') ? part : part.replace(/^[[\]]+|[[\]]+$/g, ''));
  }
  return parts;
}

/** Splits at a delimiter that no backslash precedes, and drops that backslash. */
export function splitEscaped(path: string, delimiter: string): string[] {
  const pieces = path.split(delimiter);
  const result = [pieces[0]!];
  for (const piece of pieces.slice(1)) {
    const last = result.length - 1;
    if (result[last]!.endsWith('\\')) {
      result[last] = `${result[last]!.slice(0, -1)}${delimiter}${piece}`;
    } else {
      result.push(piece);
    }
  }
  return result;
}

function isListIndex(part: string): boolean {
  return part.startsWith('[') && part.endsWith(']');
}

/** Splits `[name=value]`. */
function splitIndex(part: string): { name: string; value: string } {
  const inner = part.slice(1, -1);
  const equals = inner.indexOf('=');
  if (equals < 0) {
    throw new KustomizeError(
      'list path element must contain fieldName=fieldValue for element to match',
    );
  }
  return { name: inner.slice(0, equals), value: inner.slice(equals + 1) };
}

function isNumber(part: string): boolean {
  return /^[-+]?\d+$/.test(part);
}

function cleaned(path: readonly string[]): string[] {
  return path.map((part) => part.trim()).filter((part) => part !== '');
}

/** The node at a path, where list items are given by index, by `-` (the last) or `[key=value]`. */
export function lookUp(root: YamlNode, path: readonly string[]): YamlNode | undefined {
  let node: YamlNode | undefined = root;
  for (const part of cleaned(path)) {
    node = step(node, part);
    if (!isPresent(node)) return undefined;
  }
  return node;
}

function step(node: YamlNode, part: string): YamlNode | undefined {
  if (isNumber(part)) {
    const index = Number(part);
    if (index < 0) throw new KustomizeError(`array index ${index} cannot be negative`);
    demandKind(node, 'sequence');
    return node.content[index];
  }
  if (part === '-') {
    demandKind(node, 'sequence');
    return node.content.at(-1);
  }
  if (isListIndex(part)) {
    const { name, value } = splitIndex(part);
    demandKind(node, 'sequence');
    return node.content.find((item) => matchesItem(item, name, value));
  }
  if (isMissingOrNull(node)) return undefined;
  demandKind(node, 'map');
  return node.get(part);
}

function matchesItem(item: YamlNode, name: string, value: string): boolean {
  if (name === '') return item.value === value;
  return item.kind === 'map' && item.get(name)?.value === value;
}

/** Like `lookUp`, and makes what is missing; the last part becomes a node of the kind. */
export function lookUpOrCreate(
  root: YamlNode,
  path: readonly string[],
  kind: NodeKind,
): YamlNode | undefined {
  const parts = cleaned(path);
  let node: YamlNode | undefined = root;
  for (const [index, part] of parts.entries()) {
    node = stepOrCreate(node, part, kindOf(parts[index + 1], kind));
    if (node === undefined) return undefined;
    if (node.isNull() && index < parts.length - 1) return undefined;
  }
  return node;
}

/** What a node has to be for the next part to be found in it. */
function kindOf(next: string | undefined, leaf: NodeKind): NodeKind {
  if (next === undefined) return leaf;
  if (isNumber(next) || isListIndex(next)) return 'sequence';
  return 'map';
}

function newNode(kind: NodeKind): YamlNode {
  if (kind === 'map') return newMap();
  if (kind === 'sequence') return newSequence();
  return new YamlNode('scalar', '', '', noContent);
}

function stepOrCreate(node: YamlNode, part: string, kind: NodeKind): YamlNode | undefined {
  if (isNumber(part) || part === '-') return step(node, part);
  if (isListIndex(part)) {
    const found = step(node, part);
    if (found !== undefined) return found;
    const { name, value } = splitIndex(part);
    const item = name === '' ? newScalar(value) : newMap([newKey(name), newScalar(value)]);
    node.content.push(item);
    return item;
  }
  demandKind(node, 'map');
  const found = node.get(part);
  if (found !== undefined) return found;
  const created = newNode(kind);
  node.content.push(newKey(part), created);
  return created;
}

/** Creation of what a path names; false means that nothing is made. */
export type CreateKind = NodeKind | undefined;

/** All nodes that a path leads to: items may be given by `*`, or by a regular expression. */
export function matchPath(root: YamlNode, path: readonly string[], create: CreateKind): YamlNode[] {
  return matchParts(root, cleaned(path), create);
}

function matchParts(root: YamlNode, path: readonly string[], create: CreateKind): YamlNode[] {
  const part = path[0];
  if (part === undefined) return [root];
  const rest = path.slice(1);
  if (isNumber(part)) return matchIndex(root, part, rest, create);
  if (isListIndex(part)) return matchItems(root, part, rest, create);
  if (part === '*') {
    demandKind(root, 'sequence');
    return root.content.flatMap((item) => matchParts(item, rest, create));
  }
  if (isMissingOrNull(root)) return [];
  demandKind(root, 'map');
  let field = root.get(part);
  if (field === undefined) {
    if (create === undefined) return [];
    field = newNode(kindOf(rest[0], create));
    setMapField(root, part, field);
  }
  return matchParts(field, rest, create);
}

function matchIndex(
  root: YamlNode,
  part: string,
  rest: readonly string[],
  create: CreateKind,
): YamlNode[] {
  const index = Number(part);
  demandKind(root, 'sequence');
  if (root.content.length === index && create !== undefined) {
    root.content.push(newNode(kindOf(rest[0], create)));
  }
  const item = root.content[index];
  if (item === undefined) {
    throw new KustomizeError(
      `index ${index} specified but only ${root.content.length} elements found`,
    );
  }
  return matchParts(item, rest, create);
}

function matchItems(
  root: YamlNode,
  part: string,
  rest: readonly string[],
  create: CreateKind,
): YamlNode[] {
  const { name, value } = splitIndex(part);
  demandKind(root, 'sequence');
  const matches = compileRegex(value);
  const found = root.content.filter((item) => {
    const field = name === '' ? item : item.get(name);
    return field !== undefined && matches(field.value.trim());
  });
  if (found.length === 0 && create !== undefined) {
    const item = name === '' ? newScalar(value) : newMap([newKey(name), newScalar(value)]);
    root.content.push(item);
    found.push(item);
  }
  // A scalar that matched is the end of the path.
  if (name === '') return found;
  return found.flatMap((item) => matchParts(item, rest, create));
}
