/**
 * Kong's expressions, as text. A matcher is an expression; the empty text matches anything and
 * disappears from combinations.
 */
export type Matcher = string;

/** Matches everything that comes over HTTP: an expression may not be empty. */
export const anyHttpRequest: Matcher = '(net.protocol == "http") || (net.protocol == "https")';

type Operator = '==' | '^=' | '=^' | '~' | '>=';

export function compare(field: string, operator: Operator, value: string | number): Matcher {
  return `${field} ${operator} ${typeof value === 'number' ? value : literal(value)}`;
}

export function allOf(...matchers: readonly Matcher[]): Matcher {
  return combine(matchers, ' && ');
}

export function anyOf(...matchers: readonly Matcher[]): Matcher {
  return combine(matchers, ' || ');
}

function combine(matchers: readonly Matcher[], operator: string): Matcher {
  const present = matchers.filter((matcher) => matcher !== '');
  if (present.length <= 1) return present[0] ?? '';
  return present.map((matcher) => `(${matcher})`).join(operator);
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function literal(text: string): string {
  return `"${text.replace(/[\\"\n\r\t]/gu, (character) => escapes[character] ?? character)}"`;
}
