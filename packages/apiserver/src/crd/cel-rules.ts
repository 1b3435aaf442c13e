import { Environment } from '@marcbachmann/cel-js';
import {
  celLibraries,
  inOwnWords,
  registerCommonFunctions,
  registerListFunctions,
  registerQuantityFunctions,
  registerUrlFunctions,
  withLinearMatches,
} from '@waygate/schema';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  type ProblemType,
  required,
} from '../status/field-problem.ts';
import { isPlainObject } from '../typed-schema/type-node.ts';
import { type CelRule, type JsonSchema, valuesSchema } from './json-schema.ts';

/** CEL with the functions that Kubernetes adds; `matches` takes time linear in the text. */
function newEnvironment(): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
  });
  registerCommonFunctions(environment);
  registerListFunctions(environment);
  registerQuantityFunctions(environment);
  registerUrlFunctions(environment);
  return environment;
}

const environment = newEnvironment();
type Program = (context: Record<string, unknown>) => unknown;
const programs = new Map<string, Program | Error>();

/** Compiles an expression, or says what is wrong with it. */
export function compileCel(expression: string): Program | Error {
  let program = programs.get(expression);
  if (program === undefined) {
    try {
      program = environment.parse(withLinearMatches(expression)) as unknown as Program;
    } catch (error) {
      const { message } = error as Error;
      program = new Error(inOwnWords(message), { cause: error });
    }
    // Definitions come and go: what was compiled once must not stay for ever.
    if (programs.size >= 10_000) programs.clear();
    programs.set(expression, program);
  }
  return program;
}

/** Evaluates an expression; numbers that are whole are CEL integers. */
export function evaluateCel(expression: string, context: Record<string, unknown>): unknown {
  const program = compileCel(expression);
  if (program instanceof Error) throw program;
  return program({ ...(toCel(context) as Record<string, unknown>), ...celLibraries });
}

function toCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (!isPlainObject(value)) return value;
  const map: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) map[key] = toCel(item);
  return map;
}

/** Runs the rules of a schema over a value, and over its old state for transition rules. */
export function celProblems(
  value: unknown,
  old: unknown,
  schema: JsonSchema,
  field: string,
): FieldProblem[] {
  if (value === undefined || value === null) return [];
  const problems = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) =>
    ruleProblems(rule, value, old, field),
  );
  if (Array.isArray(value) && schema.items !== undefined) {
    const items = schema.items;
    const isKeyed = schema['x-kubernetes-list-type'] === 'map';
    for (const [index, item] of value.entries()) {
      const before = isKeyed ? oldItem(item, old, schema) : undefined;
      problems.push(...celProblems(item, before, items, `${field}[${index}]`));
    }
    return problems;
  }
  if (!isPlainObject(value)) return problems;
  const oldMap = isPlainObject(old) ? old : undefined;
  const values = valuesSchema(schema);
  for (const key of Object.keys(value)) {
    const property = schema.properties?.[key] ?? values;
    if (property === undefined) continue;
    const path =
      schema.properties?.[key] === undefined
        ? `${field}[${key}]`
        : field === ''
          ? key
          : `${field}.${key}`;
    problems.push(...celProblems(value[key], oldMap?.[key], property, path));
  }
  return problems;
}

function oldItem(item: unknown, old: unknown, schema: JsonSchema): unknown {
  if (!Array.isArray(old) || !isPlainObject(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return old.find((each) => isPlainObject(each) && keys.every((key) => each[key] === item[key]));
}

function ruleProblems(rule: CelRule, value: unknown, old: unknown, field: string): FieldProblem[] {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  if (isTransition && old === undefined && rule.optionalOldSelf !== true) return [];
  const path =
    rule.fieldPath === undefined || rule.fieldPath === '' ? field : `${field}${rule.fieldPath}`;
  let detail: string | undefined;
  try {
    const result = evaluateCel(rule.rule, {
      self: value,
      ...(isTransition ? { oldSelf: old } : {}),
    });
    if (result === true) return [];
  } catch (error) {
    detail = `rule evaluation error: ${inOwnWords((error as Error).message.split('\n')[0] ?? '')}: evaluating rule: ${rule.rule.trim()}`;
  }
  detail ??= messageOf(rule, value, old);
  return [problemOf(rule, path, value, detail)];
}

function messageOf(rule: CelRule, value: unknown, old: unknown): string {
  if (rule.messageExpression !== undefined && rule.messageExpression !== '') {
    try {
      const text = evaluateCel(rule.messageExpression, { self: value, oldSelf: old });
      if (typeof text === 'string' && text.trim() !== '') return text;
    } catch {
      // A message that cannot be made falls back to the fixed one.
    }
  }
  const fixed = (rule.message ?? '').trim();
  return fixed !== '' ? fixed : `failed rule: ${rule.rule.trim()}`;
}

function problemOf(rule: CelRule, field: string, value: unknown, detail: string): FieldProblem {
  switch (rule.reason) {
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueDuplicate':
      return { ...duplicate(field, value), detail };
    default: {
      const isScalar = typeof value !== 'object';
      const type: ProblemType = isScalar ? 'invalid' : 'invalidWithoutValue';
      return { type, field, value, detail };
    }
  }
}
