import { toYaml } from '../formats/yaml-write.ts';
import { Budget } from '../go/budget.ts';
import { GoMap, type GoValue } from '../go/value.ts';
import type { ChartDependency, ChartLock, ChartMetadata } from './metadata.ts';

/** `Chart.yaml` written anew: sorted, without comments and what Helm does not know. */
export function printMetadata(metadata: ChartMetadata): string {
  return yamlOf(metadataMap(metadata));
}

/** `Chart.lock`. */
export function printLock({ dependencies, digest, generated }: ChartLock): string {
  return yamlOf(
    new GoMap([
      ['dependencies', dependencies.map(dependencyMap)],
      ['digest', digest],
      ['generated', generated],
    ]),
  );
}

function yamlOf(value: GoMap): string {
  return `${toYaml(value, new Budget())}\n`;
}

/** Metadata as JSON has it: empty fields are left out. */
export function metadataMap({ dependencies, ...rest }: ChartMetadata): GoMap {
  const map = new GoMap();
  for (const [key, value] of Object.entries(rest)) setUnlessEmpty(map, key, value);
  if (dependencies !== undefined && dependencies.length > 0) {
    map.set('dependencies', dependencies.map(dependencyMap));
  }
  return map;
}

function dependencyMap(dependency: ChartDependency): GoMap {
  const map = new GoMap([
    ['name', dependency.name ?? ''],
    ['repository', dependency.repository ?? ''],
  ]);
  for (const [key, value] of Object.entries(dependency)) {
    if (!map.has(key)) setUnlessEmpty(map, key, value);
  }
  return map;
}

function setUnlessEmpty(map: GoMap, key: string, value: unknown): void {
  const made = goValueOf(value);
  const isEmpty =
    made === '' ||
    made === false ||
    made === null ||
    (Array.isArray(made) && made.length === 0) ||
    (made instanceof GoMap && made.size === 0);
  if (!isEmpty) map.set(key, made);
}

function goValueOf(value: unknown): GoValue {
  if (Array.isArray(value)) return value.map(goValueOf);
  if (value instanceof GoMap || value === null || typeof value !== 'object') {
    return (value ?? null) as GoValue;
  }
  return new GoMap(
    Object.entries(value)
      .filter(([, each]) => each !== '')
      .map(([key, each]) => [key, goValueOf(each)] as const),
  );
}
