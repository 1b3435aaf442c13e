import type { JsonObject, JsonValue, RouterFlavor } from '@waygate/kong';
import type { RegexDialect } from '@waygate/text';
import { originPattern } from '../plugins/cors.ts';
import { regularExpressionProblem } from '../router/regular-expression.ts';

/** Errors in the shape of Kong's `fields`. */
type FieldErrors = { [field: string]: string | FieldErrors | (string | null)[] };

/**
 * What this gateway cannot run of an entity that Kong's schema accepts: regular expressions that only
 * backtracking can match, or that are too large. They are refused when they are written, since a
 * route or a plugin without its pattern would do something else than its author asked for.
 */
export function patternCheck(
  flavor: RouterFlavor,
): (schemaName: string, entity: JsonObject) => FieldErrors | undefined {
  const dialect: RegexDialect = flavor === 'traditional' ? 'pcre' : 'rust';
  return (schemaName, entity) => {
    if (schemaName === 'routes') return routeProblems(entity, dialect);
    return schemaName === 'plugins' ? pluginProblems(entity) : undefined;
  };
}

function routeProblems(route: JsonObject, dialect: RegexDialect): FieldErrors | undefined {
  const anchor = dialect === 'rust' ? '^' : '';
  const paths = listProblems(route.paths, (path) =>
    path.startsWith('~') ? problemOf(`${anchor}${path.slice(1)}`, dialect) : undefined,
  );
  const headers: FieldErrors = {};
  for (const [name, values] of Object.entries((route.headers ?? {}) as JsonObject)) {
    const isPattern = Array.isArray(values) && values.length === 1;
    const problems = listProblems(isPattern ? values : [], (value) =>
      value.startsWith('~*') ? problemOf(value.slice(2), dialect) : undefined,
    );
    if (problems !== undefined) headers[name] = problems;
  }
  const hasHeaders = Object.keys(headers).length > 0;
  if (paths === undefined && !hasHeaders) return undefined;
  return { ...(paths === undefined ? {} : { paths }), ...(hasHeaders ? { headers } : {}) };
}

/** The fields of plugins that hold patterns, and how the plugin reads one. */
const pluginFields: Readonly<
  Record<string, Readonly<Record<string, (value: string) => string | undefined>>>
> = {
  cors: {
    origins: (origin) => (origin === '*' ? undefined : problemOf(originPattern(origin), 'pcre')),
  },
  'bot-detection': {
    allow: (pattern) => problemOf(pattern, 'pcre'),
    deny: (pattern) => problemOf(pattern, 'pcre'),
  },
};

function pluginProblems({ name, config }: JsonObject): FieldErrors | undefined {
  const fields = Object.hasOwn(pluginFields, String(name)) ? pluginFields[String(name)] : undefined;
  const errors: FieldErrors = {};
  for (const [field, check] of Object.entries(fields ?? {})) {
    const problems = listProblems((config as JsonObject | undefined)?.[field], check);
    if (problems !== undefined) errors[field] = problems;
  }
  return Object.keys(errors).length === 0 ? undefined : { config: errors };
}

function listProblems(
  list: JsonValue | undefined,
  check: (value: string) => string | undefined,
): (string | null)[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const problems = list.map((value) => (typeof value === 'string' ? (check(value) ?? null) : null));
  return problems.some((problem) => problem !== null) ? problems : undefined;
}

function problemOf(pattern: string, dialect: RegexDialect): string | undefined {
  const problem = regularExpressionProblem(pattern, { dialect });
  return problem && `the gateway cannot run this regular expression: ${problem}`;
}
