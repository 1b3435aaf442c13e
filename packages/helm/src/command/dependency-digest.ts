import { createHash } from 'node:crypto';
import type { ChartDependency } from '../chart/metadata.ts';
import { toJson } from '../formats/json-write.ts';
import { Budget } from '../go/budget.ts';

/** What a lock file keeps of the dependencies that it was made for: if it differs, the lock is out of date. */
export function dependencyDigest(
  declared: readonly ChartDependency[],
  locked: readonly ChartDependency[],
): string {
  return sha256(`[${listText(declared)},${listText(locked)}]`);
}

/** The digest that Helm 2 wrote. */
export function oldDependencyDigest(declared: readonly ChartDependency[]): string {
  return sha256(`{"dependencies":${listText(declared)}}`);
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function listText(dependencies: readonly ChartDependency[]): string {
  return `[${dependencies.map(dependencyText).join(',')}]`;
}

/** In the order of the fields of Helm's struct, which the digest depends on. */
function dependencyText(dependency: ChartDependency): string {
  const fields: string[] = [`"name":${json(dependency.name)}`];
  const add = (key: string, value: string | undefined): void => {
    if (value !== undefined) fields.push(`"${key}":${value}`);
  };
  add('version', dependency.version ? json(dependency.version) : undefined);
  add('repository', json(dependency.repository ?? ''));
  add('condition', dependency.condition ? json(dependency.condition) : undefined);
  add('tags', dependency.tags?.length ? `[${dependency.tags.map(json).join(',')}]` : undefined);
  add('enabled', dependency.enabled ? 'true' : undefined);
  const imported = dependency['import-values'];
  add('import-values', imported?.length ? toJson(imported, new Budget()) : undefined);
  add('alias', dependency.alias ? json(dependency.alias) : undefined);
  return `{${fields.join(',')}}`;
}

function json(text: string): string {
  return toJson(text, new Budget());
}
