import { inOwnWords } from '@waygate/schema';
import { BudgetExceeded } from '../cel/budget.ts';
import { evaluateCel, lastCost } from '../cel/environment.ts';
import {
  duplicate,
  type FieldProblem,
  forbidden,
  type ProblemType,
  required,
} from '../status/field-problem.ts';
import { isPlainObject } from '../typed-schema/type-node.ts';
import { type CelRule, type JsonSchema, valuesSchema } from './json-schema.ts';

/** What all rules together may take for one object, as in Kubernetes. */
const objectLimit = 10_000_000;

/** What is left for the rules of an object; nothing once one of them went too far. */
interface Allowance {
  left: number;
}

/** Runs the rules of a schema over a value, and over its old state for transition rules. */
export function celProblems(
  value: unknown,
  old: unknown,
  schema: JsonSchema,
  field: string,
  allowance: Allowance = { left: objectLimit },
): FieldProblem[] {
  if (value === undefined || value === null) return [];
  const problems = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) =>
    allowance.left > 0 ? ruleProblems(rule, value, old, field, allowance) : [],
  );
  if (Array.isArray(value) && schema.items !== undefined) {
    const items = schema.items;
    const isKeyed = schema['x-kubernetes-list-type'] === 'map';
    for (const [index, item] of value.entries()) {
      const before = isKeyed ? oldItem(item, old, schema) : undefined;
      problems.push(...celProblems(item, before, items, `${field}[${index}]`, allowance));
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
    problems.push(...celProblems(value[key], oldMap?.[key], property, path, allowance));
  }
  return problems;
}

function oldItem(item: unknown, old: unknown, schema: JsonSchema): unknown {
  if (!Array.isArray(old) || !isPlainObject(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return old.find((each) => isPlainObject(each) && keys.every((key) => each[key] === item[key]));
}

function ruleProblems(
  rule: CelRule,
  value: unknown,
  old: unknown,
  field: string,
  allowance: Allowance,
): FieldProblem[] {
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
    allowance.left -= lastCost();
    if (allowance.left <= 0) {
      detail =
        'validation failed due to running out of cost budget, no further validation rules will be run';
    } else if (result === true) return [];
  } catch (error) {
    if (error instanceof BudgetExceeded) {
      allowance.left = 0;
      const why = `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule.rule.trim()}`;
      return [problemOf(rule, path, value, why)];
    }
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
