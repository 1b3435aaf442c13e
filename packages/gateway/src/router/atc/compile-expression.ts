import { type AddressRange, parseAddressRange } from '@waygate/text';
import {
  compileRegularExpression,
  type RegularExpression,
  regularExpressionProblem,
} from '../regular-expression.ts';
import type { PathCaptures, RouteRequest } from '../route-match.ts';
import type { Expression, Operator, Predicate } from './expression.ts';
import { type FieldValue, fieldReader, fieldType } from './field-values.ts';

/** What a matching expression found out on the path. */
export interface MatchState {
  matchedPath: string | undefined;
  captures: PathCaptures | undefined;
}

export type CompiledExpression = (request: RouteRequest, state: MatchState) => boolean;

/** Why an expression cannot be run, in Kong's words. */
interface ExpressionProblem {
  readonly message: string;
  /** The regular expression that cannot be read, if that is the problem. */
  readonly regex?: string;
}

/** Turns a tree into a function, checking types on the way as Kong does when a route is written. */
export function compileExpression(expression: Expression): CompiledExpression | ExpressionProblem {
  if (expression.kind === 'predicate') return compilePredicate(expression);
  if (expression.kind === 'not') {
    const operand = compileExpression(expression.operand);
    return typeof operand === 'function' ? (request, state) => !operand(request, state) : operand;
  }
  const left = compileExpression(expression.left);
  if (typeof left !== 'function') return left;
  const right = compileExpression(expression.right);
  if (typeof right !== 'function') return right;
  return expression.kind === 'and'
    ? (request, state) => left(request, state) && right(request, state)
    : (request, state) => left(request, state) || right(request, state);
}

function compilePredicate(predicate: Predicate): CompiledExpression | ExpressionProblem {
  const problem = checkTypes(predicate);
  if (problem !== undefined) return problem;
  const test = compileTest(predicate);
  if (typeof test !== 'function') return test;
  const read = fieldReader(predicate.field);
  const { isAny, isLower } = predicate;
  return (request, state) => {
    const values = read(request);
    for (const value of values) {
      const compared = isLower && typeof value === 'string' ? value.toLowerCase() : value;
      const isMatch = test(compared, state);
      if (isMatch && isAny) return true;
      if (!isMatch && !isAny) return false;
    }
    return !isAny && values.length > 0;
  };
}

type ValueTest = (value: FieldValue, state: MatchState) => boolean;

function compileTest(predicate: Predicate): ValueTest | ExpressionProblem {
  const { literal, operator } = predicate;
  const isPath = predicate.field === 'http.path';
  if (literal.type === 'ip' || literal.type === 'cidr') {
    const text = literal.type === 'ip' ? literal.address : `${literal.address}/${literal.bits}`;
    const range = parseAddressRange(text);
    return range === undefined
      ? { message: `invalid IP address syntax: ${text}` }
      : addressTest(range, operator);
  }
  if (literal.type === 'int') return integerTest(literal.number, operator);
  if (operator === '~') {
    const options = { dialect: 'rust' as const };
    const pattern = compileRegularExpression(literal.text, options);
    return pattern === undefined
      ? { message: regularExpressionProblem(literal.text, options) ?? '', regex: literal.text }
      : regexTest(pattern, isPath);
  }
  return textTest(literal.text, operator, isPath);
}

function textTest(text: string, operator: Operator, isPath: boolean): ValueTest {
  const remember = (isMatch: boolean, state: MatchState): boolean => {
    if (isMatch && isPath) state.matchedPath = text;
    return isMatch;
  };
  switch (operator) {
    case '==':
      return (value, state) => remember(value === text, state);
    case '!=':
      return (value) => value !== text;
    case '^=':
      return (value, state) => remember(String(value).startsWith(text), state);
    case '=^':
      return (value, state) => remember(String(value).endsWith(text), state);
    default:
      return (value) => String(value).includes(text);
  }
}

function regexTest(pattern: RegularExpression, isPath: boolean): ValueTest {
  if (!isPath) return (value) => pattern.test(String(value));
  return (value, state) => {
    const text = String(value);
    const match = pattern.exec(text);
    if (match === undefined) return false;
    state.matchedPath = text.slice(match.start, match.end);
    state.captures = pattern.captures(match);
    return true;
  };
}

function integerTest(number: bigint, operator: Operator): ValueTest {
  const tests: Partial<Record<Operator, (value: bigint) => boolean>> = {
    '==': (value) => value === number,
    '!=': (value) => value !== number,
    '>': (value) => value > number,
    '>=': (value) => value >= number,
    '<': (value) => value < number,
    '<=': (value) => value <= number,
  };
  const test = tests[operator];
  return (value) => typeof value === 'bigint' && test?.(value) === true;
}

function addressTest(range: AddressRange, operator: Operator): ValueTest {
  const isNegative = operator === '!=' || operator === 'not in';
  return (value) => range.contains(String(value)) !== isNegative;
}

function checkTypes(predicate: Predicate): ExpressionProblem | undefined {
  const type = fieldType(predicate.field);
  if (type === undefined) return { message: 'Unknown LHS field' };
  const { operator, literal } = predicate;
  if (operator === 'in' || operator === 'not in') {
    return type === 'ip' && literal.type === 'cidr'
      ? undefined
      : { message: 'In/NotIn operators only supports IP in CIDR' };
  }
  if (operator === '~') {
    return type === 'string' && literal.type === 'string'
      ? undefined
      : { message: 'Regex operators only supports string operands' };
  }
  if (type !== literal.type) {
    return { message: 'Type mismatch between the LHS and RHS values of predicate' };
  }
  if (predicate.isLower && type !== 'string') {
    return {
      message: 'lower-case transformation function only supported with String type fields',
    };
  }
  return checkOperator(operator, type);
}

function checkOperator(operator: Operator, type: string): ExpressionProblem | undefined {
  if ((operator === '^=' || operator === '=^') && type !== 'string') {
    return { message: 'Regex/Prefix/Postfix operators only supports string operands' };
  }
  if (operator === 'contains' && type !== 'string') {
    return { message: 'Contains operator only supports string operands' };
  }
  if (['>', '>=', '<', '<='].includes(operator) && type !== 'int') {
    const names = 'Greater/GreaterOrEqual/Lesser/LesserOrEqual';
    return { message: `${names} operators only supports integer operands` };
  }
  return undefined;
}
