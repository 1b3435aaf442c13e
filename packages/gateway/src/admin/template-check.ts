import type { JsonObject, JsonValue } from '@waygate/kong';
import { splitEntry } from '../plugins/request-changes.ts';
import { templateProblem } from '../template/template.ts';

/** Errors in the shape of Kong's `fields`. */
type FieldErrors = { [field: string]: string | FieldErrors | (string | null)[] };

const verbs = ['rename', 'replace', 'add', 'append'] as const;
const parts = ['headers', 'querystring', 'body'] as const;

/**
 * Refuses templates that this gateway cannot run when they are written: a request that needs one could
 * only fail.
 */
export function checkTemplates(schemaName: string, entity: JsonObject): FieldErrors | undefined {
  const { name, config } = entity;
  if (schemaName !== 'plugins' || name !== 'request-transformer') return undefined;
  const errors: Record<string, FieldErrors> = {};
  for (const verb of verbs) {
    const section = (config as JsonObject | undefined)?.[verb] as JsonObject | undefined;
    const found: FieldErrors = {};
    for (const part of parts) {
      const problems = listProblems(section?.[part]);
      if (problems !== undefined) found[part] = problems;
    }
    const uri = section?.uri;
    const problem = typeof uri === 'string' ? problemOf(uri) : undefined;
    if (problem !== undefined) found.uri = problem;
    if (Object.keys(found).length > 0) errors[verb] = found;
  }
  return Object.keys(errors).length === 0 ? undefined : { config: errors };
}

function listProblems(list: JsonValue | undefined): (string | null)[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const problems = list.map((entry) => {
    const value = typeof entry === 'string' ? splitEntry(entry)[1] : '';
    return problemOf(value) ?? null;
  });
  return problems.some((problem) => problem !== null) ? problems : undefined;
}

function problemOf(text: string): string | undefined {
  const problem = templateProblem(text);
  return problem && `the gateway cannot run this template: ${problem}`;
}
