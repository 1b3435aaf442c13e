import { type DynamicObject, type KubeObject, parseApiVersion } from '@waygate/schema';
import {
  compileAnchoredRegex,
  equalJson,
  getOwn,
  isObject,
  parseJsonPointer,
  parseLabelSelector,
} from '@waygate/text';
import { ApplyError } from './apply-error.ts';

/** Which objects a rule is for. Each part that is given must match; names are regular expressions. */
export interface IgnoreTarget {
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly annotationSelector?: string | undefined;
}

/** Fields that others may change: JSON pointers, and the objects that they count for. */
export interface IgnoreRule {
  readonly paths: readonly string[];
  readonly target?: IgnoreTarget | undefined;
}

/** @throws ApplyError `WG_APPLY_RULE` for an expression or a selector that cannot be read */
function isIgnoreTarget(object: KubeObject, target: IgnoreTarget | undefined): boolean {
  if (target === undefined) return true;
  const { group, version } = parseApiVersion(object.apiVersion ?? '');
  const { metadata } = object;
  return (
    matches(target.group, group) &&
    matches(target.version, version) &&
    matches(target.kind, object.kind ?? '') &&
    matches(target.namespace, metadata.namespace ?? '') &&
    matches(target.name, metadata.name ?? '') &&
    selects(target.labelSelector, metadata.labels) &&
    selects(target.annotationSelector, metadata.annotations)
  );
}

/**
 * The paths that rules name for an object, each once, in the order of the rules.
 *
 * ```ts
 * const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };
 * ignoredPaths(web, [{ paths: ['/spec/replicas'], target: { kind: 'Deployment' } }]); // ['/spec/replicas']
 * ```
 */
export function ignoredPaths(object: KubeObject, rules: readonly IgnoreRule[]): string[] {
  const paths = new Set<string>();
  for (const { target, paths: named } of rules) {
    if (!isIgnoreTarget(object, target)) continue;
    for (const path of named) paths.add(path);
  }
  return [...paths];
}

export function valueAt(object: unknown, pointer: string): unknown {
  return pointer.startsWith('/') ? parentAt(object, parseJsonPointer(pointer)) : undefined;
}

/**
 * Takes a field out of an object in place; what is not there needs no taking out.
 *
 * ```ts
 * const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { a: 1, b: 2 } };
 * removeAt(object, '/spec/a');
 * object.spec; // { b: 2 }
 * ```
 */
export function removeAt(object: DynamicObject, pointer: string): void {
  if (!pointer.startsWith('/')) return;
  const segments = parseJsonPointer(pointer);
  const last = segments.pop() as string;
  const parent = parentAt(object, segments);
  if (Array.isArray(parent)) {
    if (/^\d+$/.test(last) && Number(last) < parent.length) parent.splice(Number(last), 1);
  } else if (isObject(parent) && Object.hasOwn(parent, last)) delete parent[last];
}

export function setAt(object: DynamicObject, pointer: string, value: unknown): void {
  const segments = parseJsonPointer(pointer);
  const last = segments.pop();
  const parent = parentAt(object, segments);
  if (last === undefined || last === '__proto__') return;
  if (Array.isArray(parent) && /^\d+$/.test(last)) parent[Number(last)] = value;
  else if (isObject(parent)) parent[last] = value;
}

function parentAt(object: unknown, segments: readonly string[]): unknown {
  let value = object;
  for (const segment of segments) {
    if (Array.isArray(value)) value = /^\d+$/.test(segment) ? value[Number(segment)] : undefined;
    else if (isObject(value)) value = getOwn(value, segment);
    else return undefined;
  }
  return value;
}

/** Whether two objects differ at a path. */
export function differsAt(left: unknown, right: unknown, pointer: string): boolean {
  return !equalJson(valueAt(left, pointer), valueAt(right, pointer));
}

function matches(expression: string | undefined, text: string): boolean {
  if (expression === undefined || expression === '') return true;
  try {
    return compileAnchoredRegex(expression)(text);
  } catch (cause) {
    throw rule(`"${expression.slice(0, 80)}" is not a regular expression`, cause);
  }
}

function selects(selector: string | undefined, labels: Readonly<Record<string, string>> = {}) {
  if (selector === undefined || selector === '') return true;
  try {
    return parseLabelSelector(selector).matches(labels);
  } catch (cause) {
    throw rule(`"${selector}" is not a selector`, cause);
  }
}

function rule(message: string, cause?: unknown): ApplyError {
  return new ApplyError('WG_APPLY_RULE', message, { cause });
}
