import type { TextKey } from '../../collection/text-key.ts';
import { literalPrefix } from '../regular-expression.ts';
import type { Expression, Predicate } from './expression.ts';

type KeyField = 'http.host' | 'http.path';

/**
 * The texts of which a field must have one for the expression to hold, or null if the expression says
 * nothing sure on the field. Used to leave most routes unlooked at.
 */
export function keysOf(expression: Expression, field: KeyField): readonly TextKey[] | null {
  if (expression.kind === 'not') return null;
  if (expression.kind === 'predicate') {
    return expression.field === field ? predicateKeys(expression) : null;
  }
  const left = keysOf(expression.left, field);
  const right = keysOf(expression.right, field);
  if (expression.kind === 'or') return left === null || right === null ? null : [...left, ...right];
  return left ?? right;
}

/** Whether the expression says no more than that the field has one of its keys. */
export function isExactly(expression: Expression, field: KeyField): boolean {
  if (expression.kind === 'or') {
    return isExactly(expression.left, field) && isExactly(expression.right, field);
  }
  return (
    expression.kind === 'predicate' &&
    expression.field === field &&
    expression.operator !== '~' &&
    !expression.isLower &&
    predicateKeys(expression) !== null
  );
}

export function mentions(expression: Expression, field: KeyField): boolean {
  switch (expression.kind) {
    case 'predicate':
      return expression.field === field;
    case 'not':
      return mentions(expression.operand, field);
    default:
      return mentions(expression.left, field) || mentions(expression.right, field);
  }
}

/** Whether no two different keys can fit the same text, so that the order of their tests tells nothing. */
export function singleMatch(keys: readonly TextKey[]): boolean {
  const [first] = keys;
  if (first === undefined || first.kind === 'suffix') return false;
  return keys.every(
    ({ kind, text }) =>
      kind === first.kind && (kind === 'equal' || byteLength(text) === byteLength(first.text)),
  );
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Stands at both ends of a text in lower case, so that it is not taken for one as it came. */
const lowerMark = '\u0000';

/** What the keys of `lower(http.host)` are looked up by. */
export function lowerHost(host: string): string {
  return `${lowerMark}${host.toLowerCase()}${lowerMark}`;
}

function predicateKeys(predicate: Predicate): readonly TextKey[] | null {
  const { literal, operator, isLower } = predicate;
  if (literal.type !== 'string') return null;
  if (isLower) return predicate.field === 'http.host' ? lowerKeys(literal.text, operator) : null;
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

function lowerKeys(text: string, operator: Predicate['operator']): readonly TextKey[] | null {
  switch (operator) {
    case '==':
      return [{ kind: 'equal', text: `${lowerMark}${text}${lowerMark}` }];
    case '^=':
      return [{ kind: 'prefix', text: `${lowerMark}${text}` }];
    case '=^':
      return [{ kind: 'suffix', text: `${text}${lowerMark}` }];
    default:
      return null;
  }
}
