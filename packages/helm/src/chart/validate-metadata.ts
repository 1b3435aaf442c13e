import { HelmError } from '../helm-error.ts';
import { isVersion } from '../version/version.ts';
import type { ChartDependency, ChartMetadata } from './metadata.ts';

/**
 * Checks what `Chart.yaml` says, and cleans its texts of control characters in place.
 *
 * @throws HelmError `WG_HELM_CHART`, `validation: …`
 */
export function validateMetadata(metadata: ChartMetadata): void {
  clean(metadata, [
    'name',
    'description',
    'home',
    'icon',
    'condition',
    'tags',
    'appVersion',
    'kubeVersion',
  ]);
  cleanList(metadata.sources);
  cleanList(metadata.keywords);
  const { apiVersion, name, version, type = '' } = metadata;
  if (!apiVersion) throw invalid('chart.metadata.apiVersion is required');
  if (!name) throw invalid('chart.metadata.name is required');
  const quoted = JSON.stringify(name);
  if (name === '.' || name === '..') throw invalid(`chart.metadata.name ${quoted} is not allowed`);
  if (name.includes('/')) throw invalid(`chart.metadata.name ${quoted} is invalid`);
  if (!version) throw invalid('chart.metadata.version is required');
  if (!isVersion(version)) {
    throw invalid(`chart.metadata.version ${JSON.stringify(version)} is invalid`);
  }
  if (!['', 'application', 'library'].includes(type)) {
    throw invalid('chart.metadata.type must be application or library');
  }
  for (const maintainer of metadata.maintainers ?? []) {
    if (maintainer === null) throw invalid('maintainers must not contain empty or null nodes');
    clean(maintainer, ['name', 'email', 'url']);
  }
  validateDependencies(metadata.dependencies ?? []);
}

function validateDependencies(dependencies: readonly ChartDependency[]): void {
  const keys = new Set<string>();
  for (const dependency of dependencies) {
    if (dependency === null) throw invalid('dependencies must not contain empty or null nodes');
    clean(dependency, ['name', 'version', 'repository', 'condition']);
    cleanList(dependency.tags);
    const { name = '', alias } = dependency;
    if (alias && !/^[a-zA-Z0-9_-]+$/.test(alias)) {
      throw invalid(`dependency ${JSON.stringify(name)} has disallowed characters in the alias`);
    }
    const key = alias || name;
    if (keys.has(key)) {
      throw invalid(`more than one dependency with name or alias ${JSON.stringify(key)}`);
    }
    keys.add(key);
  }
}

function clean<T>(object: T, fields: readonly (keyof T)[]): void {
  for (const field of fields) {
    const value = object[field];
    if (typeof value === 'string') object[field] = sanitize(value) as T[keyof T];
  }
}

function cleanList(texts: string[] | undefined): void {
  texts?.forEach((each, index) => {
    texts[index] = sanitize(each);
  });
}

/** White space becomes a space; what cannot be printed goes. */
function sanitize(value: string): string {
  if (/^[ -~]*$/.test(value)) return value;
  return value.replace(/\p{White_Space}/gu, ' ').replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '');
}

function invalid(message: string): HelmError {
  return new HelmError('WG_HELM_CHART', `validation: ${message}`);
}
