import { parseYaml } from '@waygate/text';

/** A JSON or YAML object in a text; undefined when the text is neither, or is not an object. */
export function parseYamlObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    try {
      value = parseYaml(text);
    } catch {
      return undefined;
    }
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  return value as Record<string, unknown>;
}
