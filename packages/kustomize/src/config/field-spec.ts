import { type NodeKind, newKey, newMap, newSequence, noContent, YamlNode } from '@waygate/text';
import { splitEscaped } from '../field-path.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import type { Resource, ResourceType } from '../resource.ts';
import { idString } from '../resource-id.ts';

/** Names a field of some kinds; an empty group, version or kind stands for any. */
export interface FieldSpec {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  /** Field names between slashes; lists are walked without being named. */
  readonly path: string;
  readonly create?: boolean;
}

interface FieldVisit {
  /** Called with every node that the path leads to; may change it. */
  readonly visit: (node: YamlNode) => void;
  /** What to make of a field that is missing, where the spec says `create`. */
  readonly createKind?: NodeKind;
  readonly createTag?: string;
}

interface ParsedPath {
  readonly name: string;
  readonly isList: boolean;
}

const parsedPaths = new Map<string, readonly ParsedPath[]>();

function parsePath(path: string): readonly ParsedPath[] {
  let parsed = parsedPaths.get(path);
  if (parsed === undefined) {
    parsed = splitEscaped(path, '/').map((part) => ({
      name: part.endsWith('[]') ? part.slice(0, -2) : part,
      isList: part.endsWith('[]'),
    }));
    if (parsedPaths.size > 5000) parsedPaths.clear();
    parsedPaths.set(path, parsed);
  }
  return parsed;
}

/** Whether a spec speaks of resources of this kind. */
export function appliesTo(
  spec: { group?: string; version?: string; kind?: string },
  gvk: { group: string; version: string; kind: string },
): boolean {
  if (spec.kind !== undefined && spec.kind !== '' && spec.kind !== gvk.kind) return false;
  if (spec.group !== undefined && spec.group !== '' && spec.group !== gvk.group) return false;
  return spec.version === undefined || spec.version === '' || spec.version === gvk.version;
}

/** Visits the fields of a resource that a list of specs names. */
export function visitFields(
  resource: Resource,
  specs: readonly FieldSpec[],
  visit: FieldVisit,
): void {
  for (const spec of specsFor(resource.type, specs)) visitField(resource, spec, visit);
}

const specsByKind = new WeakMap<readonly FieldSpec[], Map<string, readonly FieldSpec[]>>();

/** The specs of a list that speak of a kind: found once, as resources of a kind are many. */
function specsFor(type: ResourceType, specs: readonly FieldSpec[]): readonly FieldSpec[] {
  let byKind = specsByKind.get(specs);
  if (byKind === undefined) {
    byKind = new Map();
    specsByKind.set(specs, byKind);
  }
  const key = `${type.apiVersion}/${type.kind}`;
  let fitting = byKind.get(key);
  if (fitting === undefined) {
    fitting = specs.filter((spec) => appliesTo(spec, type));
    if (byKind.size > 1000) byKind.clear();
    byKind.set(key, fitting);
  }
  return fitting;
}

/** Visits the fields of one spec, whose kind is known to fit. */
export function visitField(resource: Resource, spec: FieldSpec, visit: FieldVisit): void {
  try {
    walk(resource.node, parsePath(spec.path), 0, spec.create === true, visit);
  } catch (error) {
    throw wrap(error, `considering field '${spec.path}' of object ${idString(resource.id)}`);
  }
}

function walk(
  node: YamlNode,
  path: readonly ParsedPath[],
  index: number,
  creates: boolean,
  visit: FieldVisit,
): void {
  if (index === path.length) {
    visit.visit(node);
    return;
  }
  if (node.isNull()) return;
  switch (node.kind) {
    case 'sequence':
      try {
        for (const item of node.content) walk(item, path, index, creates, visit);
      } catch (error) {
        const rest = path.slice(index).map((part) => `${part.name}${part.isList ? '[]' : ''}`);
        throw wrap(error, `visit traversal on path: [${rest.join(' ')}]`);
      }
      return;
    case 'map': {
      const field = findField(node, path, index, creates, visit);
      if (field !== undefined) walk(field, path, index + 1, creates, visit);
      return;
    }
    default:
      throw new KustomizeError('expected sequence or mapping node');
  }
}

function findField(
  map: YamlNode,
  path: readonly ParsedPath[],
  index: number,
  creates: boolean,
  visit: FieldVisit,
): YamlNode | undefined {
  const { name, isList } = path[index]!;
  if (name === '*')
    throw new KustomizeError('fieldName: *: wildcard is not supported in PathGetter');
  const field = map.get(name);
  const mayCreate = creates && visit.createKind !== undefined && !isList;
  const isLast = index === path.length - 1;
  const kind: NodeKind | undefined = isList
    ? 'sequence'
    : mayCreate
      ? isLast
        ? visit.createKind!
        : 'map'
      : undefined;
  const tag = mayCreate ? (isLast ? (visit.createTag ?? '') : '!!map') : '';
  if (field === undefined) {
    if (!mayCreate) return undefined;
    const created = newOf(kind!);
    map.content.push(newKey(name), created);
    return created;
  }
  if (field.isNull() && kind !== undefined) {
    field.kind = kind;
    field.tag = tag;
    if (kind !== 'scalar') {
      field.value = '';
      field.content = [];
    }
  }
  return field;
}

function newOf(kind: NodeKind): YamlNode {
  if (kind === 'map') return newMap();
  if (kind === 'sequence') return newSequence();
  return new YamlNode('scalar', '', '', noContent);
}
