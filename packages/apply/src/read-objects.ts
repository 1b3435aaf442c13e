import type { DynamicObject } from '@waygate/schema';
import { decodeJson, isObject, parseYamlAll } from '@waygate/text';
import { ApplyError } from './apply-error.ts';

interface ReadObjectsOptions {
  /** The name of the text in messages, such as a file. */
  readonly name?: string;
}

/**
 * The Kubernetes objects of a manifest. Lists are unfolded; kustomize's own configuration and
 * documents without a kind are left out.
 *
 * ```ts
 * readObjects('apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n')[0]?.metadata.name; // 'a'
 * ```
 *
 * @throws SchemaError when the text is not YAML, ApplyError when a document has a kind but no name
 */
export function readObjects(text: string, options: ReadObjectsOptions = {}): DynamicObject[] {
  const objects: DynamicObject[] = [];
  const values = jsonStream(text) ?? parseYamlAll(text, { duplicateKeys: 'last', ...options });
  for (const value of values) collect(value, objects, 0);
  return objects;
}

function collect(value: unknown, objects: DynamicObject[], depth: number): void {
  if (!isObject(value)) throw new ApplyError('WG_APPLY_MANIFEST', 'a document is not an object');
  if (isList(value)) {
    if (depth > 8) throw new ApplyError('WG_APPLY_MANIFEST', 'lists are nested too deeply');
    for (const item of value.items as unknown[]) collect(item, objects, depth + 1);
    return;
  }
  if (isKubernetesObject(value) && !isKustomization(value)) objects.push(value);
}

function isList(value: Record<string, unknown>): boolean {
  return (
    typeof value.kind === 'string' && value.kind.endsWith('List') && Array.isArray(value.items)
  );
}

function isKubernetesObject(value: Record<string, unknown>): value is DynamicObject {
  if (!isObject(value.metadata)) return false;
  const { name } = value.metadata;
  return isText(value.apiVersion) && isText(value.kind) && isText(name);
}

/**
 * Configuration of kustomize, which no API serves.
 *
 * ```ts
 * isKustomization({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }); // true
 * ```
 */
export function isKustomization(value: { apiVersion?: unknown; kind?: unknown }): boolean {
  return (
    value.kind === 'Kustomization' &&
    typeof value.apiVersion === 'string' &&
    value.apiVersion.startsWith('kustomize.config.k8s.io/')
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** JSON objects one after the other, a line each, as `kubectl` takes them; undefined for all else. */
function jsonStream(text: string): unknown[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2 || !lines.every((line) => /^\s*\{.*\}\s*$/.test(line))) return undefined;
  try {
    return lines.map((line) => decodeJson(line));
  } catch {
    return undefined;
  }
}
