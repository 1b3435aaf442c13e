import { compileRegex } from '../regex/compile-regex.ts';
import { clauseProblems, parseFormat } from './libraries/text-format.ts';
import type { CallExpression, CelExpression, ListExpression } from './syntax/ast.ts';
import { childrenOf } from './syntax/ast.ts';
import type { CelIssue } from './syntax/source.ts';
import { type CelType, isSameType, nameOfType, optionalPart, showType } from './types/type.ts';
import { parseGoDuration, parseTimestamp } from './values/time.ts';
import { CelFailure, CelTimestamp } from './values/value.ts';

/** What is wrong with an expression whose types fit: literals that cannot be read, lists of several types. */
export function literalProblems(expression: CelExpression): CelIssue[] {
  const issues: CelIssue[] = [];
  visit(expression, false, issues);
  return issues;
}

function visit(expression: CelExpression, isInFormat: boolean, issues: CelIssue[]): void {
  if (expression.kind === 'call') issues.push(...callProblems(expression));
  if (!isInFormat) issues.push(...mixedProblems(expression));
  const isFormat = expression.kind === 'call' && expression.function === 'format';
  for (const part of childrenOf(expression)) visit(part, isInFormat || isFormat, issues);
}

const checks: Readonly<Record<string, { index: number; isRight: (text: string) => boolean }>> = {
  duration: { index: 0, isRight: (text) => parseGoDuration(text) !== undefined },
  timestamp: { index: 0, isRight: (text) => parseTimestamp(text) instanceof CelTimestamp },
  matches: { index: 0, isRight: isRegex },
};

function isRegex(pattern: string): boolean {
  try {
    compileRegex(pattern);
    return true;
  } catch {
    return false;
  }
}

function callProblems(call: CallExpression): CelIssue[] {
  const { function: name, args } = call;
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  const argument = check && args[check.index];
  if (argument?.kind === 'literal' && typeof argument.value === 'string') {
    if (!check?.isRight(argument.value)) {
      return [{ offset: argument.offset, message: `invalid ${name} argument` }];
    }
  }
  const [list] = args;
  const isFormat = name === 'format' && call.target?.kind === 'literal' && list?.kind === 'list';
  return isFormat ? formatProblems(call, list as ListExpression) : [];
}

const clauseKinds: Readonly<Record<string, readonly string[]>> = {
  s: 'list map int uint double bool string timestamp bytes duration type null'.split(' '),
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

function formatProblems(
  { target, offset }: CallExpression,
  { elements }: ListExpression,
): CelIssue[] {
  const text = target?.kind === 'literal' ? target.value : undefined;
  if (typeof text !== 'string') return [];
  const parts = parseFormat(text, elements.length);
  if (parts instanceof CelFailure) return [{ offset, message: parts.message }];
  let used = 0;
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const argument = elements[used] as CelExpression;
    used += 1;
    const wrong = wrongPart(argument, part.verb);
    if (wrong === undefined) continue;
    const message = `error during formatting: ${clauseProblems[part.verb]} ${nameOfType(wrong.type as CelType)}`;
    return [{ offset: wrong.offset, message }];
  }
  if (elements.length <= used) return [];
  const message = `too many arguments supplied to string.format (expected ${used}, got ${elements.length})`;
  return [{ offset, message }];
}

/** The part of an argument that a verb cannot write. */
function wrongPart(argument: CelExpression, verb: string): CelExpression | undefined {
  const kind = argument.type?.kind ?? 'dyn';
  if (kind !== 'dyn' && !clauseKinds[verb]?.includes(kind)) return argument;
  if (verb !== 's' || (argument.kind !== 'list' && argument.kind !== 'map')) return undefined;
  for (const part of childrenOf(argument)) {
    const wrong = wrongPart(part, verb);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** All items of a list, keys of a map and values of a map are of one type. */
function mixedProblems(expression: CelExpression): CelIssue[] {
  if (expression.kind === 'list') {
    const { elements, optionals } = expression;
    const types = elements.map((element, index) => typeOf(element, optionals.has(index)));
    return firstOther(elements, types).slice(0, 1);
  }
  if (expression.kind !== 'map') return [];
  const { entries } = expression;
  const [keys, values] = [entries.map(({ key }) => key), entries.map(({ value }) => value)];
  const valueTypes = entries.map(({ value, isOptional }) => typeOf(value, isOptional));
  return [
    ...firstOther(
      keys,
      keys.map((key) => typeOf(key, false)),
    ),
    ...firstOther(values, valueTypes),
  ];
}

function typeOf({ type }: CelExpression, isOptional: boolean): CelType {
  const known = type as CelType;
  return isOptional ? (optionalPart(known) ?? known) : known;
}

function firstOther(parts: readonly CelExpression[], types: readonly CelType[]): CelIssue[] {
  const [first] = types;
  return parts.flatMap(({ offset }, index) => {
    const type = types[index] as CelType;
    if (first === undefined || isSameType(first, type)) return [];
    return [
      { offset, message: `expected type '${showType(first)}' but found '${showType(type)}'` },
    ];
  });
}
