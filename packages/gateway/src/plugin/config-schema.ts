import type { JsonObject } from '@waygate/kong';

/** What is wrong with a plugin's `config`, field by field, in the shape of Kong's `fields`. */
export type ConfigProblems = { [field: string]: string | ConfigProblems | (string | null)[] };

/**
 * The schema of a plugin that Kong does not have, in the form in which Kong writes them.
 *
 * ```ts
 * configSchema({ status: { type: 'integer', between: [400, 599], default: 503 } });
 * ```
 */
export function configSchema(fields: Readonly<Record<string, JsonObject>>): JsonObject {
  return { fields: [{ config: record(fields, { required: true }) }] };
}

/** A field that is a record of others. */
export function record(
  fields: Readonly<Record<string, JsonObject>>,
  more: JsonObject = {},
): JsonObject {
  return {
    type: 'record',
    ...more,
    fields: Object.entries(fields).map(([name, field]) => ({ [name]: field })),
  };
}

/** A list of texts. */
export function texts(more: JsonObject = {}): JsonObject {
  return { type: 'array', elements: { type: 'string' }, default: [], ...more };
}

/** Only the fields that have a problem; undefined if none has. */
export function problemsOf(
  found: Readonly<Record<string, ConfigProblems[string] | undefined>>,
): ConfigProblems | undefined {
  const problems: ConfigProblems = {};
  for (const [field, problem] of Object.entries(found)) {
    if (problem !== undefined) problems[field] = problem;
  }
  return Object.keys(problems).length === 0 ? undefined : problems;
}
