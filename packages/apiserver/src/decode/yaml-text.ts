import { printYaml } from '@waygate/text';

/** A value as the API prints it for `Accept: application/yaml`: keys sorted. */
export function stringifyYaml(value: unknown): string {
  return printYaml(sortKeys(value));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    sorted[key] = sortKeys((value as Record<string, unknown>)[key]);
  }
  return sorted;
}
