import type { JsonObject, JsonValue } from '../entity/entities.ts';
import { findRustRegexError } from './rust-regex.ts';

/**
 * Kong compiles every route into an expression of its router and refuses the route when that fails.
 * What can fail once the fields are right by themselves is a regular expression that the router's
 * engine does not know, and a header without values.
 */

interface Literal {
  readonly operator: string;
  readonly text: string;
}

/** One condition of the expression: a field, and the literals of which one must match. */
interface Condition {
  readonly field: string;
  readonly literals: readonly Literal[];
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value)
    ? value.filter((text): text is string => typeof text === 'string')
    : [];
}

function pathLiteral(path: string): Literal {
  if (!path.startsWith('~')) return { operator: '^=', text: path };
  return { operator: '~', text: `^${path.slice(1).replaceAll('?<', '?P<')}` };
}

function headerCondition(name: string, values: readonly string[]): Condition {
  const field = `any(lower(http.headers.${name.toLowerCase().replaceAll('-', '_')}))`;
  const [first] = values;
  const isRegex = values.length === 1 && first?.startsWith('~*');
  if (isRegex) return { field, literals: [{ operator: '~', text: (first as string).slice(2) }] };
  return {
    field,
    literals: values.map((value) => ({ operator: '==', text: value.toLowerCase() })),
  };
}

function conditionsOf(route: JsonObject): readonly Condition[] {
  const conditions: Condition[] = [];
  const methods = texts(route.methods);
  const hosts = texts(route.hosts);
  const paths = texts(route.paths);
  if (methods.length > 0) {
    conditions.push({
      field: 'http.method',
      literals: methods.map((text) => ({ operator: '==', text })),
    });
  }
  if (hosts.length > 0) {
    conditions.push({
      field: 'http.host',
      literals: hosts.map((text) => ({ operator: '==', text })),
    });
  }
  if (paths.length > 0) conditions.push({ field: 'http.path', literals: paths.map(pathLiteral) });
  for (const [name, values] of Object.entries((route.headers ?? {}) as JsonObject)) {
    conditions.push(headerCondition(name, texts(values)));
  }
  return conditions;
}

function report(expression: string, start: number, length: number, problem: string): string {
  const padding = ' '.repeat(start);
  const marker = length < 2 ? '^---' : `^${'-'.repeat(length - 2)}^`;
  return `Router Expression failed validation:  --> 1:${start + 1}\n  |\n1 | ${expression}\n  | ${padding}${marker}\n  |\n  = ${problem}`;
}

/** Why the router would refuse the route, in its words, or undefined. */
export function findRouteExpressionError(route: JsonObject): string | undefined {
  let expression = '';
  let found: { start: number; length: number; problem: string } | undefined;
  for (const { field, literals } of conditionsOf(route)) {
    expression += expression === '' ? '(' : ' && (';
    if (literals.length === 0) {
      found ??= { start: expression.length, length: 1, problem: 'expected term' };
    }
    literals.forEach(({ operator, text }, index) => {
      expression += `${index === 0 ? '' : ' || '}${field} ${operator} `;
      const literal = `r#"${text}"#`;
      const error = operator === '~' ? findRustRegexError(text) : undefined;
      if (error !== undefined) {
        const marker = `${' '.repeat(error.offset)}${'^'.repeat(error.length)}`;
        found ??= {
          start: expression.length,
          length: literal.length,
          problem: `regex parse error:\n    ${text}\n    ${marker}\nerror: ${error.message}`,
        };
      }
      expression += literal;
    });
    expression += ')';
  }
  return found && report(expression, found.start, found.length, found.problem);
}
