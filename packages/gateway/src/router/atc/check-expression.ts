import { compileExpression } from './compile-expression.ts';
import type { Expression } from './expression.ts';
import { ExpressionSyntaxError, parseExpression } from './parse-expression.ts';

const streamFields = /^(net\.|tls\.sni$)/;

/**
 * What is wrong with an expression, in the words in which Kong refuses a route for it; undefined if
 * nothing is. Streams have neither paths nor headers.
 */
export function checkExpression(text: string, isStream: boolean): string | undefined {
  let expression: Expression;
  try {
    expression = parseExpression(text);
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) {
      return point(text, error.offset, '^---', `expected ${error.expected}`);
    }
    throw error;
  }
  if (isStream && fieldsOf(expression).some((field) => !streamFields.test(field))) {
    return 'Unknown LHS field';
  }
  const compiled = compileExpression(expression);
  if (typeof compiled === 'function') return undefined;
  const { regex, message } = compiled;
  if (regex === undefined) return message;
  const at = Math.max(text.indexOf(regex) - 1, 0);
  const mark = `^${'-'.repeat(Math.max(regex.length, 0))}^`;
  return point(text, at, mark, `regex parse error:\n    ${regex}\n    ^\nerror: ${message}`);
}

/** Shows a place in a text as Rust's parsers do. */
function point(text: string, offset: number, mark: string, message: string): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - (before.lastIndexOf('\n') + 1) + 1;
  const shown = text.split('\n')[line - 1] ?? '';
  const margin = ' '.repeat(String(line).length);
  return (
    `${margin}--> ${line}:${column}\n${margin} |\n${line} | ${shown}\n` +
    `${margin} | ${' '.repeat(column - 1)}${mark}\n${margin} |\n${margin} = ${message}`
  );
}

function fieldsOf(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case 'predicate':
      return [expression.field];
    case 'not':
      return fieldsOf(expression.operand);
    default:
      return [...fieldsOf(expression.left), ...fieldsOf(expression.right)];
  }
}
