import type { TextKey } from '../candidate-index.ts';
import { literalPrefix } from '../regular-expression.ts';
import type { Expression, Predicate } from './expression.ts';

/**
 * The texts of which a field must have one for the expression to hold, or null if the expression says
 * nothing sure on the field. Used to leave most routes unlooked at.
 */
export function indexKeys(
  expression: Expression,
  field: 'http.host' | 'http.path',
): readonly TextKey[] | null {
  if (expression.kind === 'not') {
    return null;
  }
  if (expression.kind === 'predicate') {
    return expression.field === field ? predicateKeys(expression) : null;
  }
  const left = indexKeys(expression.left, field);
  const right = indexKeys(expression.right, field);
  if (expression.kind === 'or') {
    return left === null || right === null ? null : [...left, ...right];
  }
  return left ?? right;
}

function predicateKeys(predicate: Predicate): readonly TextKey[] | null {
  const { literal, operator, isLower } = predicate;
  if (literal.type !== 'string' || isLower) {
    return null;
  }
  switch (operator) {
    case '==':
      return [{ kind: 'equal', text: literal.text }];
    case '^=':
      return [{ kind: 'prefix', text: literal.text }];
    case '=^':
      return [{ kind: 'suffix', text: literal.text }];
    case '~': {
      const prefix = literalPrefix(literal.text);
      return prefix === '' ? null : [{ kind: 'prefix', text: prefix }];
    }
    default:
      return null;
  }
}
